package taskwork_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// actor is a Runner under test, with a record of what became of its entries. What a test reads of it, it reads after a
// synctest.Wait, a Shutdown, or on the run's own goroutine.
type actor struct {
	*taskwork.Runner[int]
	t *testing.T
	q *hooked[int]

	// handled and busy are handed on along with the consumer side, and so is cancelled, since all of these entries are one
	// consumer's at a time.
	handled, cancelled []int
	busy               bool
	// during, if it is not nil, is called by the handler after the entry has been noted.
	during func(v int)
}

// newActor returns a Runner over a hooked queue. cfg's Handle and Cancel are the actor's.
func newActor(t *testing.T, q taskwork.Queue[int], cfg taskwork.RunnerConfig[int]) *actor {
	a := &actor{t: t, q: hook(q)}
	cfg.Handle = a.handle
	cfg.Cancel = func(v int) { a.cancelled = append(a.cancelled, v) }
	a.Runner = taskwork.NewRunner[int](a.q, cfg)
	return a
}

func (a *actor) handle(v int) {
	if a.busy {
		a.t.Errorf("the handler of %d overlaps with another", v)
	}
	a.busy = true
	defer func() { a.busy = false }()
	a.handled = append(a.handled, v)
	if a.during != nil {
		a.during(v)
	}
}

// later collects the runs that a Spawn is given, to be started by the test when it likes.
type later struct {
	mu   sync.Mutex
	runs []func()
}

func (l *later) spawn(run func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, run)
	return nil
}

// next takes the oldest run, which must be there.
func (l *later) next(t *testing.T) func() {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.NotEmpty(t, l.runs, "no run is waiting to be started")
	run := l.runs[0]
	l.runs = l.runs[1:]
	return run
}

func (l *later) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}

// statsLog collects what Trace.Run is told.
type statsLog struct {
	mu  sync.Mutex
	all []taskwork.Stats
}

func (l *statsLog) add(s taskwork.Stats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s)
}

func (l *statsLog) get() []taskwork.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// seq returns from, from+1, … up to and without to; nil if that is nothing.
func seq(from, to int) (vs []int) {
	for v := from; v < to; v++ {
		vs = append(vs, v)
	}
	return vs
}

func TestRunnerHandlesInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{0, 1, 2, 7, 1000} {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget})
			for v := 0; v < 300; {
				switch v % 3 {
				case 0:
					require.NoError(t, a.Push(v))
					v++
				case 1:
					require.NoError(t, a.PushAll([]int{v, v + 1, v + 2, v + 3}))
					v += 4
				case 2:
					a.Pushed(a.q.Push(v))
					v++
				}
			}
			require.NoError(t, a.PushAll(nil), "an empty slice is no push")
			require.NoError(t, a.Shutdown(t.Context()))
			n := len(a.handled)
			require.GreaterOrEqual(t, n, 300)
			require.Equal(t, seq(0, n), a.handled, "budget %d", budget)
			require.Empty(t, a.cancelled)
			require.Equal(t, int64(n), a.Totals().Handled)
		}
	})
}

// TestRunnerNeeds: what NewRunner refuses.
func TestRunnerNeeds(t *testing.T) {
	handle := func(int) {}
	each(t, func(t *testing.T, q queueOf[int]) {
		missing := "taskwork: NewRunner without a queue or without Handle"
		require.PanicsWithValue(t, missing, func() { taskwork.NewRunner(q.new(), taskwork.RunnerConfig[int]{}) })
		require.PanicsWithValue(t, missing, func() { taskwork.NewRunner(nil, taskwork.RunnerConfig[int]{Handle: handle}) })
		used := q.new()
		used.Push(1)
		require.PanicsWithValue(t, "taskwork: NewRunner with a queue that is in use",
			func() { taskwork.NewRunner(used, taskwork.RunnerConfig[int]{Handle: handle}) })
		require.False(t, used.Empty(), "the queue was left alone")
	})
}

// TestRunnerBudget: how a run ends, and what Trace and Totals say of it.
func TestRunnerBudget(t *testing.T) {
	type stats = []taskwork.Stats
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, c := range []struct {
			budget, entries int
			runs            stats
		}{
			{3, 1, stats{{Count: 1, Loops: 1}}},
			{3, 3, stats{{Count: 3, Loops: 1}}}, // used up, and at rest: no further run
			{3, 4, stats{{Count: 3, Loops: 1, More: true}, {Count: 1, Loops: 1}}},
			{3, 7, stats{{Count: 3, Loops: 1, More: true}, {Count: 3, Loops: 1, More: true}, {Count: 1, Loops: 1}}},
			{1, 2, stats{{Count: 1, Loops: 1, More: true}, {Count: 1, Loops: 1}}},
			{0, 256, stats{{Count: 256, Loops: 1}}},
			{-1, 257, stats{{Count: 256, Loops: 1, More: true}, {Count: 1, Loops: 1}}},
		} {
			var log statsLog
			var pool later
			wakes := 0
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{
				Budget: c.budget,
				Spawn:  pool.spawn,
				Trace:  &taskwork.Trace{Run: log.add, Wake: func() { wakes++ }},
			})
			for v := range c.entries {
				require.NoError(t, a.Push(v))
			}
			for range c.runs {
				require.Equal(t, 1, pool.len(), "one run at a time is waiting to be started")
				pool.next(t)()
			}
			require.Zero(t, pool.len())
			require.Equal(t, c.runs, log.get(), "budget %d, %d entries", c.budget, c.entries)
			require.Equal(t, seq(0, c.entries), a.handled)
			require.Equal(t, 1, wakes)
			require.Equal(t, taskwork.Totals{
				Wakes: 1, Runs: int64(len(c.runs)), Handled: int64(c.entries), LongestRun: int64(c.runs[0].Count),
			}, a.Totals())
			require.True(t, a.q.Resting())
		}
	})
}

// TestRunnerLoops: a run that is kept going by pushes at its last moment counts its rounds.
func TestRunnerLoops(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var log statsLog
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{
			Spawn: func(run func()) error { run(); return nil },
			Trace: &taskwork.Trace{Run: log.add},
		})
		// The steps: around Pop (1), around the Pop that finds nothing, around Idle. A push at the fourth comes after the last
		// look.
		a.q.atStep([]int{3}, []func(){func() { require.NoError(t, a.Push(2)) }})
		require.NoError(t, a.Push(1))
		require.Equal(t, []taskwork.Stats{{Count: 2, Loops: 2}}, log.get())
		require.Equal(t, []int{1, 2}, a.handled)
		require.Equal(t, taskwork.Totals{Wakes: 1, Runs: 1, Handled: 2, LongestRun: 2}, a.Totals())
	})
}

// TestRunnerTotals: runs of their own add up.
func TestRunnerTotals(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: 5})
		total := taskwork.Totals{}
		handled := 0
		a.during = func(int) { handled++ }
		a.q.onStep(func() {
			// Whoever sees the queue at rest sees exact totals. The step after Idle is the earliest moment.
			if a.q.Resting() && a.Totals().Handled != int64(handled) {
				t.Errorf("at rest after %d entries, with %+v", handled, a.Totals())
			}
		})
		for n := 1; n <= 12; n++ {
			require.NoError(t, a.PushAll(seq(0, n)))
			synctest.Wait()
			total.Wakes++
			total.Runs += int64((n + 4) / 5)
			total.Handled += int64(n)
			total.LongestRun = max(total.LongestRun, int64(min(n, 5)))
			require.Equal(t, total, a.Totals())
			require.True(t, a.q.Resting(), "nothing runs while there is nothing to do")
		}
		require.NoError(t, a.Shutdown(t.Context()))
		require.Equal(t, total, a.Totals())
	})
}

// TestRunnerPushedNodes: nodes, chains and a Batch go around Push, and the Runner learns of it by Pushed.
func TestRunnerPushedNodes(t *testing.T) {
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		guard(t)
		synctest.Test(t, func(t *testing.T) {
			nq := newQueue()
			a := newActor(t, nq, taskwork.RunnerConfig[int]{})
			n := &taskwork.Node[int]{Value: 1}
			a.Pushed(nq.PushNode(n))
			synctest.Wait()
			require.Equal(t, []int{1}, a.handled)
			require.Zero(t, n.Value)

			n.Value = 2 // and again
			var c taskwork.Chain[int]
			c.Append(n)
			c.Append(&taskwork.Node[int]{Value: 3})
			a.Pushed(nq.PushChain(&c))
			a.Pushed(nq.PushChain(&c)) // empty by now: no push
			b := taskwork.NewBatch(nq, 2)
			a.Pushed(b.Push(4))
			a.Pushed(b.Push(5))
			a.Pushed(b.Push(6))
			synctest.Wait()
			require.Equal(t, []int{1, 2, 3, 4, 5}, a.handled)
			a.Pushed(b.Flush())
			require.NoError(t, a.Shutdown(t.Context()))
			require.Equal(t, []int{1, 2, 3, 4, 5, 6}, a.handled)
		})
	})
}

// TestRunnerPushedHandle: lanes handles, too.
func TestRunnerPushedHandle(t *testing.T) {
	guard(t)
	synctest.Test(t, func(t *testing.T) {
		var q lanes.Queue[int]
		a := newActor(t, &q, taskwork.RunnerConfig[int]{})
		p := q.Producer()
		a.Pushed(p.Push(1))
		a.Pushed(p.PushAll([]int{2, 3}))
		p.Close()
		require.NoError(t, a.Shutdown(t.Context()))
		require.Equal(t, []int{1, 2, 3}, a.handled)
	})
}

// TestRunnerHandlerPushesItsNode: the node that carried the entry, from inside its handler, to the same Runner and to another.
func TestRunnerHandlerPushesItsNode(t *testing.T) {
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		guard(t)
		synctest.Test(t, func(t *testing.T) {
			nq, nq2 := newQueue(), newQueue()
			a := newActor(t, nq, taskwork.RunnerConfig[int]{Budget: 3})
			b := newActor(t, nq2, taskwork.RunnerConfig[int]{})
			n := &taskwork.Node[int]{Value: 1}
			a.during = func(v int) {
				n.Value = v + 1
				if v < 10 {
					a.Pushed(nq.PushNode(n))
				} else {
					b.Pushed(nq2.PushNode(n))
				}
			}
			a.Pushed(nq.PushNode(n))
			synctest.Wait()
			require.Equal(t, seq(1, 11), a.handled)
			require.Equal(t, []int{11}, b.handled)
			require.Equal(t, int64(4), a.Totals().Runs)
		})
	})
}
