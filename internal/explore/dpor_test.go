package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

// outcomes explores a body that reports what came out of each execution.
func outcomes(cfg explore.Config, body func(m *explore.M, out func(string))) (map[string]int, explore.Result) {
	set := map[string]int{}
	res := explore.Check(cfg, func(m *explore.M) {
		body(m, func(s string) { set[s]++ })
	})
	return set, res
}

// requireOutcomes explores exhaustively and compares the set of outcomes.
func requireOutcomes(t *testing.T, want []string, body func(m *explore.M, out func(string))) explore.Result {
	t.Helper()
	set, res := outcomes(explore.Config{}, body)
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
	var got []string
	for s := range set {
		got = append(got, s)
	}
	require.ElementsMatch(t, want, got)
	return res
}

func TestStoreBuffering(t *testing.T) {
	res := requireOutcomes(t, []string{"0 1", "1 0", "1 1"}, func(m *explore.M, out func(string)) {
		var x, y atomic.Int32
		var a, b int32
		m.Go("a", func() { x.Store(1); a = y.Load() })
		m.Go("b", func() { y.Store(1); b = x.Load() })
		m.Final(func() { out(fmt.Sprint(a, b)) })
	})
	require.Equal(t, 3, res.Executions, "as many classes as outcomes")
}

func TestMessagePassing(t *testing.T) {
	requireOutcomes(t, []string{"0 0", "0 1", "1 1"}, func(m *explore.M, out func(string)) {
		var data, ready atomic.Int32
		var r, d int32
		m.Go("writer", func() { data.Store(1); ready.Store(1) })
		m.Go("reader", func() { r = ready.Load(); d = data.Load() })
		m.Final(func() { out(fmt.Sprint(r, d)) })
	})
}

func TestLostUpdate(t *testing.T) {
	requireOutcomes(t, []string{"1", "2"}, func(m *explore.M, out func(string)) {
		var x atomic.Int32
		for range 2 {
			m.Go("inc", func() { x.Store(x.Load() + 1) })
		}
		m.Final(func() { out(fmt.Sprint(x.Load())) })
	})
}

// peterson is the mutual exclusion algorithm; the fault leaves out that a thread lets the other one go first.
func peterson(faulty bool) func(m *explore.M) {
	return func(m *explore.M) {
		var flag [2]atomic.Bool
		var turn atomic.Int32
		var inside atomic.Int32
		for i := range 2 {
			m.Go(fmt.Sprint("p", i), func() {
				flag[i].Store(true)
				if !faulty {
					turn.Store(int32(1 - i))
				}
				for flag[1-i].Load() && turn.Load() == int32(1-i) {
					runtime.Gosched()
				}
				m.Assert(inside.Add(1) == 1, "both are inside")
				inside.Add(-1)
				flag[i].Store(false)
			})
		}
	}
}

func TestPeterson(t *testing.T) {
	for _, await := range []bool{false, true} {
		res := explore.Check(explore.Config{Await: await}, peterson(false))
		require.Nil(t, res.Failure)
		require.True(t, res.Exhausted)
	}
	res := explore.Check(explore.Config{}, peterson(true))
	require.NotNil(t, res.Failure)
	require.Equal(t, "assertion", res.Failure.Kind)
	require.LessOrEqual(t, res.Failure.Preemptions, 1)
}

// TestIndependentThreads: threads that share nothing need one execution, however many and however long they are.
func TestIndependentThreads(t *testing.T) {
	res := explore.Check(explore.Config{}, func(m *explore.M) {
		for range 8 {
			x := new(atomic.Int64)
			m.Go("alone", func() {
				for range 10 {
					x.Add(1)
				}
			})
		}
	})
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
	require.Equal(t, 1, res.Executions)
}

// TestWritersCount: n writers of one variable have n! orders, and DPOR runs each once. Readers of it have one.
func TestWritersCount(t *testing.T) {
	for n, want := range map[int]int{2: 2, 3: 6, 4: 24, 5: 120} {
		res := explore.Check(explore.Config{}, func(m *explore.M) {
			var x atomic.Int64
			for range n {
				m.Go("writer", func() { x.Store(1) })
			}
		})
		require.Equal(t, want, res.Executions-res.Redundant)
		require.Zero(t, res.Redundant)
	}
	res := explore.Check(explore.Config{}, func(m *explore.M) {
		var x atomic.Int64
		for range 5 {
			m.Go("reader", func() { x.Load(); x.CompareAndSwap(1, 2) })
		}
	})
	require.Equal(t, 1, res.Executions, "a failed swap is a read")
}

// TestLockOrders: n threads that take a lock once have n! orders; waiting for it adds none.
func TestLockOrders(t *testing.T) {
	for n, want := range map[int]int{2: 2, 3: 6, 4: 24} {
		res := explore.Check(explore.Config{}, func(m *explore.M) {
			var mu sync.Mutex
			for range n {
				m.Go("locker", func() {
					mu.Lock()
					defer mu.Unlock()
				})
			}
		})
		require.Nil(t, res.Failure)
		require.Equal(t, want, res.Executions-res.Redundant)
	}
}

// TestChoicesAndEvents: every value of a choice is explored, and an event both happens and does not.
func TestChoicesAndEvents(t *testing.T) {
	requireOutcomes(t, []string{"0 0", "0 1", "1 0", "1 1", "2 0", "2 1"}, func(m *explore.M, out func(string)) {
		var x atomic.Int32
		n := m.Choose(3)
		m.Event("maybe", func() { x.Store(1) })
		m.Go("touch", func() { x.Load() })
		m.Final(func() { out(fmt.Sprint(n, x.Load())) })
	})
}

func TestBoundedDFS(t *testing.T) {
	body := func(m *explore.M, out func(string)) {
		var x, y atomic.Int32
		var a, b int32
		m.Go("a", func() { x.Store(1); a = y.Load() })
		m.Go("b", func() { y.Store(1); b = x.Load() })
		m.Final(func() { out(fmt.Sprint(a, b)) })
	}
	for bound, want := range []int{2, 4, 6} {
		_, res := outcomes(explore.Config{Mode: explore.DFS, Preemptions: bound}, body)
		require.Equal(t, want, res.Executions, "bound %d", bound)
		require.True(t, res.Exhausted)
	}
	_, res := outcomes(explore.Config{Mode: explore.DFS, Preemptions: explore.Unbounded}, body)
	require.Equal(t, 6, res.Executions, "4 over 2")
}

// TestYieldFirstLook: what a thread saw first is what its loop may have acted on, so a change after that ends the yield, even if
// the thread has looked again or made the change itself.
func TestYieldFirstLook(t *testing.T) {
	for name, body := range map[string]func(m *explore.M){
		"looked twice": func(m *explore.M) {
			var x, y atomic.Int32
			m.Go("reader", func() {
				for x.Load() == 0 {
					y.Store(x.Load())
					runtime.Gosched()
				}
			})
			m.Go("writer", func() { x.Store(1) })
		},
		"changed it": func(m *explore.M) {
			var x atomic.Int32
			m.Go("alone", func() {
				for x.Load() == 0 {
					x.Store(1)
					runtime.Gosched()
				}
			})
		},
	} {
		res := explore.Check(explore.Config{}, body)
		require.Nil(t, res.Failure, name)
		require.True(t, res.Exhausted)
	}
}
