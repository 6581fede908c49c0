package taskwork_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

var errSpawn = errors.New("no goroutine to be had")

// onItsOwn calls f on a goroutine of its own, which f may end by runtime.Goexit, and waits for it. It returns what f panicked
// with.
func onItsOwn(f func()) (v any) {
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	return <-done
}

// TestRunnerSpawn: whatever Spawn does, each entry is handled once and in order, one run at a time, and the failures are
// counted.
func TestRunnerSpawn(t *testing.T) {
	for _, c := range []struct {
		name  string
		spawn func(run func()) error
		fails bool // each call counts as a failure
	}{
		{"nil", nil, false},
		{"goroutine", func(run func()) error { go run(); return nil }, false},
		{"synchronous", func(run func()) error { run(); return nil }, false},
		{"error", func(func()) error { return errSpawn }, true},
		{"panic", func(func()) error { panic(errSpawn) }, true},
		{"goexit", func(func()) error { runtime.Goexit(); return nil }, true},
		{"synchronous, then error", func(run func()) error { run(); return errSpawn }, true},
		{"synchronous, then panic", func(run func()) error { run(); panic(errSpawn) }, true},
		{"synchronous, then goexit", func(run func()) error { run(); runtime.Goexit(); return nil }, false},
		{"goroutine, then error", func(run func()) error { go run(); return errSpawn }, true},
		{"goroutine, then panic", func(run func()) error { go run(); panic(errSpawn) }, true},
		{"twice", func(run func()) error { run(); run(); return nil }, false},
		{"twice at a time", func(run func()) error { go run(); go run(); return nil }, false},
		{"now and later", func(run func()) error { run(); go run(); return nil }, false},
		{"on another's", func(run func()) error { onItsOwn(run); return nil }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
				for _, budget := range []int{1, 2, 3, 1000} {
					a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget, Spawn: c.spawn})
					a.during = func(v int) {
						if v < 10 {
							a.Pushed(a.q.Push(v + 10)) // whose wake is false: the consumer is active
						}
					}
					for v := range 10 {
						require.Nil(t, onItsOwn(func() { _ = a.Push(v) }), "no panic of Spawn comes out of a push")
						synctest.Wait()
					}
					require.NoError(t, a.Shutdown(context.Background()))
					synctest.Wait() // a Spawn that fails after its run may be late
					var want []int
					for v := range 10 {
						want = append(want, v, v+10)
					}
					require.Equal(t, want, a.handled, "budget %d", budget)
					totals := a.Totals()
					require.Equal(t, int64(10), totals.Wakes)
					runs := int64(10)
					if budget == 1 {
						runs = 20
					}
					require.Equal(t, runs, totals.Runs)
					if c.fails {
						require.Equal(t, runs, totals.SpawnErrors)
					} else {
						require.Zero(t, totals.SpawnErrors)
					}
					require.Equal(t, int64(min(budget, 2)), totals.LongestRun)
				}
			})
		})
	}
}

// TestRunnerSpawnLate: a run func that comes after the Runner has started that very run itself does nothing, however late, also
// while a later run is waiting to be started.
func TestRunnerSpawnLate(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		fail := true
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: func(run func()) error {
			_ = pool.spawn(run)
			if fail {
				return errSpawn
			}
			return nil
		}})
		require.NoError(t, a.Push(1))
		synctest.Wait()
		require.Equal(t, []int{1}, a.handled, "with go")
		fail = false
		require.NoError(t, a.Push(2))
		old := pool.next(t)
		old()
		require.Equal(t, []int{1}, a.handled, "that run is over")
		current := pool.next(t)
		current()
		require.Equal(t, []int{1, 2}, a.handled)
		require.NoError(t, a.Push(3))
		old()
		current()
		require.Equal(t, []int{1, 2}, a.handled)
		pool.next(t)()
		require.Equal(t, []int{1, 2, 3}, a.handled)
		require.Equal(t, taskwork.Totals{Wakes: 3, Runs: 3, Handled: 3, SpawnErrors: 1, LongestRun: 1}, a.Totals())
	})
}

// TestRunnerSpawnedOneAtATime: while a run is waiting to be started, or running, no other is given to Spawn.
func TestRunnerSpawnedOneAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: pool.spawn, Budget: 2})
		release := make(chan struct{})
		a.during = func(int) { <-release }
		for v := range 5 {
			require.NoError(t, a.Push(v))
			require.Equal(t, 1, pool.len())
		}
		for handled := 0; handled < 5; {
			run := pool.next(t)
			go run()
			for range min(2, 5-handled) {
				synctest.Wait()
				require.Zero(t, pool.len(), "while the run is in progress")
				release <- struct{}{}
				handled++
			}
			synctest.Wait()
		}
		require.Zero(t, pool.len())
		require.Equal(t, seq(0, 5), a.handled)
	})
}

// TestRunnerTraceWakePanics: a hook that panics does not take the consumer side with it.
func TestRunnerTraceWakePanics(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Trace: &taskwork.Trace{Wake: func() { panic("wake") }}})
		require.PanicsWithValue(t, "wake", func() { _ = a.Push(1) })
		synctest.Wait()
		require.Equal(t, []int{1}, a.handled)
		require.PanicsWithValue(t, "wake", func() { _ = a.PushAll([]int{2, 3}) })
		require.NoError(t, a.Shutdown(context.Background()))
		require.Equal(t, []int{1, 2, 3}, a.handled)
	})
}
