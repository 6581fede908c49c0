package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/taskwork/taskwork"
)

// TestInboxEventsAtEveryStep stops a receiver before and after each of its looks at the queue and makes things happen there:
// pushes of every kind, whole and half, the end of ctx, Close; two or three of them, at every choice of steps, the last ones
// also while it sleeps. Afterwards it must have returned exactly if something was due, with what was due, and nothing may be
// lost.
func TestInboxEventsAtEveryStep(t *testing.T) {
	for _, events := range []string{
		"lazy lazy", "lazy forced", "forced lazy", "forced forced", "all lazy", "lazy all",
		"lazy cancel", "cancel lazy", "forced cancel", "cancel forced",
		"lazy close", "close late", "late close", "forced close", "cancel close", "close cancel",
		"half finish", "half finish-forced",
		"lazy lazy forced", "lazy forced lazy", "forced lazy cancel", "lazy cancel forced", "lazy lazy cancel",
		"half lazy finish", "half forced finish", "half lazy finish-forced", "half cancel finish", "half close finish",
		"close half finish", "forced half finish", "lazy half finish", "close late late",
	} {
		t.Run(strings.ReplaceAll(events, " ", ","), func(t *testing.T) {
			inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
				kinds := strings.Fields(events)
				cases := []struct{ before, atLeast, dst int }{
					{0, 2, 2}, {0, 3, 4}, {1, 2, 4}, {0, 1, 4}, {0, 2, 4}, {0, 5, 5}, {2, 3, 4}, {3, 4, 4}, {1, 2, 2},
				}
				switch {
				case len(kinds) == 2 && raceEnabled, len(kinds) > 2 && !raceEnabled:
					cases = cases[:3]
				case len(kinds) > 2: // which have many more choices of steps
					cases = cases[:1]
				}
				for _, c := range cases {
					schedules(len(kinds), func(steps []int) int {
						s := inboxSteps{t: t, events: kinds, steps: slices.Clone(steps)}
						s.before, s.atLeast, s.dst = c.before, c.atLeast, c.dst
						return s.run(newQueue())
					})
				}
			})
		})
	}
}

type inboxSteps struct {
	t      *testing.T
	events []string
	steps  []int
	// before is how many lazy entries are queued before the call.
	before, atLeast, dst int

	in     *mailbox
	ctx    context.Context
	cancel context.CancelFunc
	half   int // the value of the half push
	finish func() (wake bool)
	next   int // the value to push next

	// What has happened: the receiver, stopped, notes it, or the test after it.
	accepted  []int
	forced    []int
	cancelled bool
	closed    bool
}

func (s *inboxSteps) String() string {
	return fmt.Sprintf("%v at %v, RecvBatch(%d of %d), %d before", s.events, s.steps, s.atLeast, s.dst, s.before)
}

func (s *inboxSteps) event(kind string) {
	s.next++
	v, err := s.next, error(nil)
	switch kind {
	case "lazy":
		err = s.in.PushLazy(v)
	case "forced":
		err = s.in.Push(v)
	case "all":
		err = s.in.PushAll([]int{v, v})
	case "late": // a lazy one that has passed the check for closed
		s.in.PushedLazy(s.in.q.Queue.Push(v), 1)
	case "half":
		s.half, s.finish = v, s.in.q.pushHalf(v)
	case "finish":
		s.in.PushedLazy(s.finish(), 1)
		return
	case "finish-forced":
		s.forced = append(s.forced, s.half)
		s.in.Pushed(s.finish(), 1)
		return
	case "cancel":
		s.cancelled = true
		s.cancel()
		return
	case "close":
		s.closed = true
		s.in.Close()
		return
	}
	if s.closed && kind != "late" && kind != "half" {
		if !errors.Is(err, taskwork.ErrClosed) {
			s.t.Errorf("%v: %s after Close: %v", s, kind, err)
		}
		return
	}
	s.accepted = append(s.accepted, v)
	if kind == "all" {
		s.accepted = append(s.accepted, v)
	}
	if kind == "all" || kind == "forced" {
		s.forced = append(s.forced, v)
	}
}

func (s *inboxSteps) run(q taskwork.Queue[int]) (happened int) {
	s.in = newMailbox(s.t, q)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	defer s.cancel()
	for range s.before {
		s.event("lazy")
	}
	var events []func()
	for _, kind := range s.events {
		events = append(events, func() { s.event(kind) })
	}
	count := s.in.q.atStep(s.steps, events)
	done := s.in.receive(s.ctx, s.dst, s.atLeast, 0)
	happened = count()
	s.in.q.onStep(nil)
	for _, late := range events[happened:] { // later than any step: the receiver sleeps, or has returned
		late()
		synctest.Wait()
	}
	s.check(done)
	return happened
}

// must fails the test with what has happened. (There are tens of thousands of checks: testify's would look for their caller
// each time.)
func (s *inboxSteps) must(ok bool, format string, args ...any) {
	if !ok {
		s.t.Fatalf("%v: %s", s, fmt.Sprintf(format, args...))
	}
}

// check judges what has come of it, when all events are over and the receiver sleeps or has returned.
func (s *inboxSteps) check(done <-chan batch) {
	due := len(s.forced) > 0 || s.cancelled || s.closed || len(s.accepted) >= s.atLeast
	s.must(due == (len(done) == 1), "something was due: %t, and the receiver has returned: %t", due, len(done) == 1)
	if !due {
		s.event("forced") // wakes it
		synctest.Wait()
		s.must(len(done) == 1, "the receiver sleeps over a forced entry")
	}
	b := <-done
	got := b.vs
	switch {
	case b.err == nil:
		s.must(len(got) > 0, "it returned 0 and nil")
		s.must(len(got) >= s.atLeast || len(s.forced) > 0 || s.closed, "it returned %v, less than its minimum", got)
	case errors.Is(b.err, taskwork.ErrClosed):
		s.must(s.closed && len(got) == 0, "it returned %v and %v", got, b.err)
	default:
		s.must(s.cancelled && errors.Is(b.err, context.Canceled), "it returned %v and %v", got, b.err)
	}
	// What was forced and did not fit is still due, whatever the minimum.
	missing := func(v int) bool { return !slices.Contains(got, v) && !slices.Contains(s.in.cancelled, v) }
	for slices.ContainsFunc(s.forced, missing) {
		b := s.in.recv(context.Background(), 9, 9, 0)
		s.must(b.err == nil, "%v", b.err)
		got = append(got, b.vs...)
	}
	s.in.Close()
	for b := (batch{}); b.err == nil; {
		b = s.in.recv(context.Background(), 9, 9, 0)
		s.must(b.err == nil || errors.Is(b.err, taskwork.ErrClosed), "%v", b.err)
		got = append(got, b.vs...)
	}
	out := slices.Concat(got, s.in.cancelled)
	s.must(slices.Equal(s.accepted, out), "accepted %v, received %v, cancelled %v", s.accepted, got, s.in.cancelled)
	totals := s.in.Totals()
	s.must(totals.Handled == int64(len(got)) && totals.Cancelled == int64(len(s.in.cancelled)), "totals %+v", totals)
}
