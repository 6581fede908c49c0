package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// fault is a way in which a handler does not return.
type fault struct {
	name string
	do   func()
	// value is what OnPanic, or whoever recovers, gets; nil for Goexit.
	value any
}

var faults = []fault{
	{"panic", func() { panic("handler") }, "handler"},
	{"goexit", runtime.Goexit, nil},
}

// spawner is a Spawn that survives a panic that goes on, and how it does so.
type spawner struct {
	name string
	// new returns the Spawn and what it has recovered so far.
	new func() (spawn func(run func()) error, recovered func() []any)
	// dies: a panic that goes on kills the program.
	dies bool
}

var spawners = []spawner{
	{"nil", func() (func(func()) error, func() []any) { return nil, nil }, true},
	{"error", func() (func(func()) error, func() []any) {
		return func(func()) error { return errSpawn }, nil
	}, true},
	{"recovering", func() (func(func()) error, func() []any) {
		var mu sync.Mutex
		var values []any
		return func(run func()) error {
			go func() {
				defer func() {
					if v := recover(); v != nil {
						mu.Lock()
						defer mu.Unlock()
						values = append(values, v)
					}
				}()
				run()
			}()
			return nil
		}, func() []any { mu.Lock(); defer mu.Unlock(); return values }
	}, false},
	// The Runner itself recovers what comes out of a synchronous Spawn.
	{"synchronous", func() (func(func()) error, func() []any) {
		return func(run func()) error { run(); return nil }, nil
	}, false},
}

// TestCase_J6_HandlerDoesNotReturn: a panic or Goexit on the first, a middle or the last entry, or on the only one, which has
// emptied the queue. All others are handled once and in order, and the Runner does not stay stuck as running.
func TestCase_J6_HandlerDoesNotReturn(t *testing.T) {
	const entries = 5
	for _, fault := range faults {
		for _, spawner := range spawners {
			for _, onPanic := range []bool{false, true} {
				if spawner.dies && !onPanic && fault.value != nil {
					continue // TestCase_J6_PanicGoesOn
				}
				t.Run(fmt.Sprintf("%s/spawn=%s/OnPanic=%t", fault.name, spawner.name, onPanic), func(t *testing.T) {
					inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
						for _, budget := range []int{1, 2, entries, 1000} {
							for _, at := range [][]int{{0}, {2}, {entries - 1}, {0, 1}, {3, entries - 1}, seq(0, entries)} {
								for _, one := range []bool{true, false} {
									faultScene{fault, spawner, onPanic, budget, at, one}.run(t, newQueue(), entries)
								}
							}
						}
					})
				})
			}
		}
	}
}

// faultScene is one case of J6.
type faultScene struct {
	fault    fault
	spawner  spawner
	onPanic  bool
	budget   int
	at       []int // the entries whose handler does not return
	oneByOne bool  // each entry has been handled before the next is pushed: it is the one that empties the queue
}

func (s faultScene) run(t *testing.T, q taskwork.Queue[int], entries int) {
	spawn, recovered := s.spawner.new()
	cfg := taskwork.RunnerConfig[int]{Budget: s.budget, Spawn: spawn}
	var told []any
	if s.onPanic {
		cfg.OnPanic = func(v any) { told = append(told, v) }
	}
	a := newActor(t, q, cfg)
	faulty := map[int]bool{}
	for _, v := range s.at {
		faulty[v] = true
	}
	a.during = func(v int) {
		if faulty[v] {
			s.fault.do()
		}
	}
	// The pusher's goroutine may be ended: a synchronous Spawn runs the handler on it.
	var vs []int
	for v := range entries {
		if vs = append(vs, v); s.oneByOne || len(vs) == entries {
			require.Nil(t, onItsOwn(func() { _ = a.PushAll(vs) }), "the handler's panic does not come out of a push")
			synctest.Wait()
			require.Equal(t, seq(0, v+1), a.handled)
			require.True(t, a.q.Resting())
			vs = nil
		}
	}
	n := len(s.at)
	var values []any
	for range s.at {
		if s.fault.value != nil {
			values = append(values, s.fault.value)
		}
	}
	if s.onPanic {
		require.Equal(t, values, told)
	} else if recovered != nil {
		require.Equal(t, values, recovered())
	}
	require.NoError(t, a.Shutdown(context.Background()))
	synctest.Wait()
	totals := a.Totals()
	require.Equal(t, int64(entries), totals.Handled, "one whose handler panicked counts")
	require.Equal(t, int64(n), totals.Panics)
	if s.oneByOne {
		require.Equal(t, int64(entries), totals.Runs, "a run that has emptied the queue is followed by no other, however it ended")
	}
	if s.spawner.name == "synchronous" && !s.onPanic {
		require.Equal(t, int64(len(values)), totals.SpawnErrors, "a panic that came out of Spawn")
	}
}

// TestCase_J6_PanicGoesOn: without OnPanic, a panic in a run that the Runner has started with go ends the program, with the
// handler's value and its stack.
func TestCase_J6_PanicGoesOn(t *testing.T) {
	const env = "TASKWORK_TEST_PANIC"
	if os.Getenv(env) != "" {
		q := queues[int]()[0].new()
		r := taskwork.NewRunner(q, taskwork.RunnerConfig[int]{Handle: func(v int) { handlerThatPanics(v) }})
		_ = r.Push(1)
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCase_J6_PanicGoesOn$")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Skipf("cannot start this very program: %v", err) // under an emulator
	}
	require.Contains(t, string(out), "panic: the handler of 1")
	require.Contains(t, string(out), "handlerThatPanics", "the stack shows where")
	require.False(t, strings.Contains(string(out), "WARNING: DATA RACE"), string(out))
}

func handlerThatPanics(v int) { panic(fmt.Sprintf("the handler of %d", v)) }

// TestRunnerOnPanicPanics: a panic of OnPanic goes on, and the Runner is runnable.
func TestRunnerOnPanicPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, leave := range []func(){func() { panic("OnPanic") }, runtime.Goexit} {
			spawn, recovered := spawners[2].new()
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: spawn, OnPanic: func(any) { leave() }})
			a.during = func(v int) {
				if v%2 == 0 {
					panic("handler")
				}
			}
			require.NoError(t, a.PushAll(seq(0, 5)))
			require.NoError(t, a.Shutdown(context.Background()))
			synctest.Wait()
			require.Equal(t, seq(0, 5), a.handled)
			require.Equal(t, int64(3), a.Totals().Panics)
			for _, v := range recovered() {
				require.Equal(t, "OnPanic", v)
			}
		}
	})
}

// TestRunnerCancelPanics: Cancel is the user's, too. Wherever it is called and however it ends, each entry reaches it once.
func TestRunnerCancelPanics(t *testing.T) {
	const entries = 6
	for _, fault := range faults {
		for _, onPanic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/OnPanic=%t", fault.name, onPanic), func(t *testing.T) {
				inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
					var cancelled []int
					var told []any
					var pool later
					q := newQueue()
					cfg := taskwork.RunnerConfig[int]{
						Handle: func(int) { t.Error("handled") },
						Cancel: func(v int) {
							cancelled = append(cancelled, v)
							if v%2 == 1 {
								fault.do()
							}
						},
						Spawn: pool.spawn,
					}
					if onPanic {
						cfg.OnPanic = func(v any) { told = append(told, v) }
					}
					r := taskwork.NewRunner(q, cfg)
					// In Shutdown, then in a late push.
					require.NoError(t, r.PushAll(seq(0, entries)))
					var err error
					v := onItsOwn(func() { err = r.Shutdown(ended()) })
					require.Equal(t, seq(0, entries), cancelled)
					late := onItsOwn(func() { r.Pushed(q.PushAll(seq(entries, 2*entries))) })
					require.Equal(t, seq(0, 2*entries), cancelled)
					switch {
					case fault.value != nil && onPanic:
						require.ErrorIs(t, err, context.Canceled)
						require.Len(t, told, entries)
						require.Nil(t, v)
						require.Nil(t, late)
					case fault.value != nil:
						require.Equal(t, fault.value, v, "the panic goes on")
						require.Equal(t, fault.value, late)
					default:
						require.NoError(t, err, "the goroutine has been ended")
						require.Empty(t, told)
					}
					require.True(t, q.Resting())
					require.Equal(t, int64(2*entries), r.Totals().Cancelled)
				})
			})
		}
	}
}

// restless is a queue that panics in Idle, as one does whose consumer side somebody else has used.
type restless struct{ taskwork.Queue[int] }

func (restless) Idle() bool { panic("taskwork: queue is at rest") }

// TestRunnerQueuePanics: a panic of the queue's own, which only misuse causes, is not kept from the program by OnPanic, and
// does not come again and again.
func TestRunnerQueuePanics(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		handled := 0
		r := taskwork.NewRunner[int](restless{newQueue()}, taskwork.RunnerConfig[int]{
			Handle:  func(int) { handled++ },
			OnPanic: func(v any) { t.Error(v) },
			Spawn:   pool.spawn,
		})
		require.NoError(t, r.Push(1))
		require.PanicsWithValue(t, "taskwork: queue is at rest", pool.next(t))
		require.Equal(t, 1, handled)
		require.Zero(t, r.Totals().Panics, "no handler's")
	})
}
