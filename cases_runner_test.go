package taskwork_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// The faults that real queues have had, as far as they concern a Runner: how work is started, kept going and ended. CASES.md
// has the rows. What they have to say about a half push, closing and memory stands in files of its own.

// TestCase_B1_RunnerHasOneConsumer: the handler of 1 causes push 2; the run pops 2; 3 is pushed while it is still in that
// handler.
func TestCase_B1_RunnerHasOneConsumer(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{1, 2, 1000} {
			var pool later
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget, Spawn: pool.spawn})
			gate := make(chan struct{})
			a.during = func(v int) {
				if v == 1 {
					_ = a.Push(2)
				}
				<-gate
			}
			require.NoError(t, a.Push(1))
			for v := 1; v <= 3; v++ {
				if pool.len() > 0 {
					go pool.next(t)()
				}
				synctest.Wait()
				require.Equal(t, seq(1, v+1), a.handled, "the handler of %d is at work", v)
				if v == 2 {
					require.NoError(t, a.Push(3))
				}
				require.Zero(t, pool.len(), "no second run is scheduled while one is in progress")
				gate <- struct{}{}
				synctest.Wait()
				require.LessOrEqual(t, pool.len(), 1)
			}
			require.Zero(t, pool.len())
			require.True(t, a.q.Resting())
			require.Equal(t, int64(1), a.Totals().Wakes, "one wake served them all")
		}
	})
}

// TestCase_B2_RunnerPushBeforeIdle: a push between the run's last empty Pop and its Idle is handled without a further push.
func TestCase_B2_RunnerPushBeforeIdle(t *testing.T) {
	const rounds = 5000
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{1, 2, 1000} {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget})
			last := 3 // a Pop has its steps 0 and 1, the empty one 2 and 3
			if budget == 1 {
				last = 1 // there is no empty Pop: the budget is used up
			}
			for round := range rounds {
				happened := a.q.atStep([]int{last}, []func(){func() { _ = a.Push(2*round + 1) }})
				_ = a.Push(2 * round)
				synctest.Wait()
				require.Equal(t, 1, happened())
				require.Len(t, a.handled, 2*round+2)
			}
			require.Equal(t, seq(0, 2*rounds), a.handled)
			require.Equal(t, int64(rounds), a.Totals().Wakes)
		}
	})
}

// TestCase_B2_RunnerPingPong: the same without a hook. Each entry is pushed as soon as the one before has been handled, while
// its run is about to go to rest, for real.
func TestCase_B2_RunnerPingPong(t *testing.T) {
	const rounds = 5000
	guard(t)
	each(t, func(t *testing.T, q queueOf[int]) {
		for _, budget := range []int{1, 2, 1000} {
			handled := make(chan int, 1)
			r := taskwork.NewRunner(q.new(), taskwork.RunnerConfig[int]{Budget: budget, Handle: func(v int) { handled <- v }})
			for v := range rounds {
				_ = r.Push(v)
				require.Equal(t, v, <-handled) // a push that is lost hangs here
			}
			require.NoError(t, r.Shutdown(context.Background()))
			require.Equal(t, int64(rounds), r.Totals().Handled)
		}
	})
}

// TestCase_B4_SynchronousSpawn: the run begins inside Push and finds the entry; also while another push is half done, when the
// run does not end early.
func TestCase_B4_SynchronousSpawn(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		sync := func(run func()) error { run(); return nil }
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: sync})
		for v := range 10 {
			require.NoError(t, a.Push(v))
			require.Equal(t, seq(0, v+1), a.handled, "by the time that Push returns")
		}

		b := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: sync})
		// 1 is half pushed while the run, inside the push of 0, is in the handler of 0. The other half waits for 20 fruitless
		// Pops.
		var finish func() bool
		b.during = func(v int) {
			if v == 0 {
				finish = b.q.pushHalf(1)
			}
		}
		b.q.onStep(func() {
			if finish != nil && b.q.pops.Load() == 20 {
				b.Pushed(finish())
				finish = nil
			}
		})
		require.NoError(t, b.Push(0))
		require.Equal(t, []int{0, 1}, b.handled, "without a further push")
		require.Equal(t, int64(1), b.Totals().Runs)
	})
}

// TestCase_B6_RunnerWakes: which pushes find a Runner at rest is the same in every build and over every queue. (So is the rest
// of these tests: .ci/run runs them all under the race detector, over the explorer's overlay and for other platforms.)
func TestCase_B6_RunnerWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		wakes := 0
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{
			Spawn: pool.spawn, Trace: &taskwork.Trace{Wake: func() { wakes++ }},
		})
		forms := map[string]func(){
			"Push":    func() { require.NoError(t, a.Push(1)) },
			"PushAll": func() { require.NoError(t, a.PushAll([]int{1, 2})) },
			"Pushed":  func() { a.Pushed(a.q.Push(1)) },
		}
		if nq, ok := a.q.Queue.(taskwork.NodeQueue[int]); ok {
			forms["PushNode"] = func() { a.Pushed(nq.PushNode(&taskwork.Node[int]{Value: 1})) }
			forms["PushChain"] = func() {
				var c taskwork.Chain[int]
				c.Append(&taskwork.Node[int]{Value: 1})
				a.Pushed(nq.PushChain(&c))
			}
		}
		for first, push := range forms {
			for second, again := range forms {
				wakes = 0
				push()
				require.Equal(t, 1, wakes, "%s at rest", first)
				again()
				require.Equal(t, 1, wakes, "%s while the run of %s is waiting to be started", second, first)
				a.during = func(int) {
					a.during = nil
					again()
				}
				pool.next(t)()
				require.Equal(t, 1, wakes, "%s from the handler", second)
				require.Zero(t, pool.len())
				require.NoError(t, a.PushAll(nil))
				require.Equal(t, 1, wakes, "nothing is no push")
			}
		}
	})
}

// TestCase_B7_RunnerPaused: entries behind a run that is not started, or behind a handler that does not return, cost nothing:
// the test goes on only when everybody sleeps, and no call of the queue has been made meanwhile. Afterwards there are no more
// calls than entries.
func TestCase_B7_RunnerPaused(t *testing.T) {
	const entries = 100
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: pool.spawn})
		gate := make(chan struct{})
		a.during = func(int) { <-gate }
		require.NoError(t, a.PushAll(seq(0, entries)))
		synctest.Wait()
		require.Zero(t, a.q.pops.Load()+a.q.idles.Load())
		go pool.next(t)()
		time.Sleep(time.Hour)
		require.Equal(t, int64(1), a.q.pops.Load())
		require.Zero(t, a.q.idles.Load())
		close(gate)
		synctest.Wait()
		require.Len(t, a.handled, entries)
		require.Equal(t, int64(entries+1), a.q.pops.Load())
		require.Equal(t, int64(1), a.q.idles.Load())
	})
}

// TestCase_E1_RunnerBudget: pushes without pause, two for each entry that is handled. Each run ends within its budget and says
// More, and the rest is run later.
func TestCase_E1_RunnerBudget(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{1, 2, 10} {
			var log statsLog
			var pool later
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{
				Budget: budget, Spawn: pool.spawn, Trace: &taskwork.Trace{Run: log.add},
			})
			pushed, endless := 1, true
			a.during = func(int) {
				for range 2 {
					if endless {
						_ = a.Push(pushed)
						pushed++
					}
				}
			}
			require.NoError(t, a.Push(0))
			for round := range 50 {
				pool.next(t)()
				require.Len(t, a.handled, (round+1)*budget)
				require.Equal(t, taskwork.Stats{Count: budget, Loops: 1, More: true}, log.get()[round])
			}
			endless = false
			for pool.len() > 0 {
				pool.next(t)()
			}
			require.Equal(t, seq(0, pushed), a.handled)
			require.Equal(t, int64(budget), a.Totals().LongestRun)
		}
	})
}

// TestCase_E2_RunnerRepushesItself: a task that pushes itself again, on one processor. Other goroutines get turns, after a few
// budgets and not only when the scheduler's slice has passed; and Close works.
func TestCase_E2_RunnerRepushesItself(t *testing.T) {
	const budget, turns = 16, 100
	guard(t)
	setProcs(t, 1)
	for name, spawn := range map[string]func(func()) error{"nil": nil, "error": func(func()) error { return errSpawn }} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, q queueOf[int]) {
				var r *taskwork.Runner[int]
				var handled atomic.Int64
				r = taskwork.NewRunner(q.new(), taskwork.RunnerConfig[int]{Budget: budget, Spawn: spawn, Handle: func(v int) {
					handled.Add(1)
					_ = r.Push(v + 1)
				}})
				require.NoError(t, r.Push(0))
				for range turns {
					runtime.Gosched()
				}
				require.LessOrEqual(t, handled.Load(), int64(turns*budget*10), "entries while this goroutine had %d turns", turns)
				for began := handled.Load(); handled.Load() < began+3*budget; {
					runtime.Gosched() // it goes on
				}
				require.NoError(t, r.Shutdown(context.Background()), "the task's last push is refused, and all is quiet")
				require.Equal(t, handled.Load(), r.Totals().Handled)
			})
		})
	}
}

// TestCase_F7_RunnerShutdownBetweenRuns: a budgeted run has left something over, and another goroutine shuts down before the
// next run: each entry once, and the run that comes too late is refused.
func TestCase_F7_RunnerShutdownBetweenRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, patient := range []bool{true, false} {
			var pool later
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: 2, Spawn: pool.spawn})
			require.NoError(t, a.PushAll(seq(0, 5)))
			pool.next(t)()
			require.Equal(t, seq(0, 2), a.handled)
			if patient {
				done := a.shutdown(context.Background())
				require.True(t, waits(done), "the leftovers are to be handled first")
				pool.next(t)()
				require.True(t, waits(done))
				pool.next(t)()
				require.NoError(t, <-done)
				require.Equal(t, seq(0, 5), a.handled)
				continue
			}
			// Two at a time claim the pending run; and it starts at the same time.
			run := pool.next(t)
			first, second := a.shutdown(ended()), a.shutdown(ended())
			go run()
			synctest.Wait()
			require.ErrorIs(t, <-first, context.Canceled)
			require.NoError(t, <-second, "the queue rests already")
			require.Equal(t, seq(0, 2), a.handled)
			require.Equal(t, seq(2, 5), a.cancelled)
		}
	})
}
