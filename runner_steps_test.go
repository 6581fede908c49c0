package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// TestRunnerEventsAtEveryStep stops the consumer of a Runner before and after each of its steps and makes things happen there:
// pushes, Close, Shutdowns with and without patience, in pairs and at every pair of steps. It is a small explorer of its own,
// in ordinary builds and over every queue, at the grain of the queue's operations.
func TestRunnerEventsAtEveryStep(t *testing.T) {
	pairs := [][]string{
		{"push", "push"},
		{"push", "close"},
		{"close", "push"},
		{"push", "wait"},
		{"wait", "push"},
		{"wait", "give up"},
		{"give up", "wait"},
		{"push", "give up"},
		{"late", "late"},
		{"wait", "late"},
		{"give up", "late"},
		{"late", "give up"},
		{"close", "wait"},
		{"wait", "wait"},
		{"late", "wait"},
	}
	for _, synchronous := range []bool{false, true} {
		for _, pair := range pairs {
			t.Run(fmt.Sprintf("synchronous=%t/%s,%s", synchronous, pair[0], pair[1]), func(t *testing.T) {
				inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
					for _, budget := range []int{1, 2, 1000} {
						schedules(len(pair), func(steps []int) int {
							s := runnerSteps{t: t, events: pair, steps: slices.Clone(steps), budget: budget}
							return s.run(newQueue(), synchronous)
						})
					}
				})
			})
		}
	}
}

type runnerSteps struct {
	t      *testing.T
	events []string
	steps  []int
	budget int

	a *actor
	// accepted and late belong to whoever is at work: the stopped consumer, or the test after it.
	accepted, late []int
	// finished is true once a Shutdown has returned nil: the handler must not be called any more.
	finished atomic.Bool
	gaveUp   bool
	waiting  []<-chan error
}

func (s *runnerSteps) String() string {
	return fmt.Sprintf("%v at %v, budget %d", s.events, s.steps, s.budget)
}

// event is what happens at a step, on the goroutine of the stopped consumer.
func (s *runnerSteps) event(kind string, v int) {
	switch kind {
	case "push":
		if err := s.a.Push(v); err == nil {
			s.accepted = append(s.accepted, v)
		} else if !errors.Is(err, taskwork.ErrClosed) {
			s.t.Error(s, err)
		}
	case "late": // it has passed the check for closed, whether or not the Runner is closed by now
		s.accepted = append(s.accepted, v)
		s.late = append(s.late, v)
		s.a.Pushed(s.a.q.Queue.Push(v))
	case "close":
		_ = s.a.Close()
	case "wait":
		done := make(chan error, 1)
		go func() {
			err := s.a.Shutdown(context.Background())
			s.finished.Store(true)
			done <- err
		}()
		synctest.Wait() // it goes as far as it can
		s.waiting = append(s.waiting, done)
	case "give up":
		if err := s.a.Shutdown(ended()); err == nil {
			s.finished.Store(true)
		} else if s.gaveUp = true; !errors.Is(err, context.Canceled) {
			s.t.Error(s, err)
		}
	}
}

func (s *runnerSteps) run(q taskwork.Queue[int], synchronous bool) (happened int) {
	var runs sync.WaitGroup
	s.a = newActor(s.t, q, taskwork.RunnerConfig[int]{Budget: s.budget, Spawn: func(run func()) error {
		if synchronous {
			run()
		} else {
			runs.Go(run)
		}
		return nil
	}})
	s.a.during = func(v int) {
		if s.finished.Load() {
			s.t.Errorf("%v: entry %d was handled after Shutdown had returned nil", s, v)
		}
	}
	var events []func()
	for i, kind := range s.events {
		events = append(events, func() { s.event(kind, 10*(i+1)) })
	}
	count := s.a.q.atStep(s.steps, events)
	s.accepted = []int{1, 2}
	require.NoError(s.t, s.a.PushAll(s.accepted))
	runs.Wait()
	happened = count()
	s.a.q.onStep(nil)
	for _, late := range events[happened:] { // later than any step
		late()
		runs.Wait()
	}
	s.check()
	return happened
}

func (s *runnerSteps) check() {
	t := s.t
	require.NoError(t, s.a.Shutdown(context.Background()))
	synctest.Wait()
	for _, done := range s.waiting {
		require.Len(t, done, 1, "%v: a Shutdown waits for ever", s)
		require.NoError(t, <-done)
	}
	require.True(t, s.a.q.Resting(), "%v", s)
	require.True(t, slices.IsSorted(s.a.handled), "%v: handled %v", s, s.a.handled)
	out := slices.Concat(s.a.handled, s.a.cancelled)
	slices.Sort(out)
	require.Equal(t, s.accepted, out, "%v: handled %v, cancelled %v", s, s.a.handled, s.a.cancelled)
	for _, v := range s.a.cancelled {
		require.True(t, s.gaveUp || slices.Contains(s.late, v), "%v: entry %d was cancelled without a reason", s, v)
	}
	totals := s.a.Totals()
	require.Equal(t, int64(len(s.a.handled)), totals.Handled, "%v", s)
	require.Equal(t, int64(len(s.a.cancelled)), totals.Cancelled, "%v", s)
	require.LessOrEqual(t, totals.LongestRun, int64(s.budget), "%v", s)
}
