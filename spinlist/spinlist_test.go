package spinlist

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/node"
)

// requirePops checks that exactly vs come out, and that the queue then is active and empty.
func requirePops(t *testing.T, q *Queue[int], vs ...int) {
	t.Helper()
	for _, want := range vs {
		require.False(t, q.Empty())
		v, ok := q.Pop()
		require.True(t, ok, "nothing where %d should be", want)
		require.Equal(t, want, v)
	}
	_, ok := q.Pop()
	require.False(t, ok)
	require.True(t, q.Empty())
	require.True(t, q.running)
	require.Nil(t, q.batch)
	require.Zero(t, q.normal)
	require.Zero(t, q.urgent)
}

// requireWaits checks that f, in a goroutine of its own, does not return while the caller holds the lock, and does after
// release, which gives it back.
func requireWaits(t *testing.T, release func(), f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	returned := false
	for range 200 {
		runtime.Gosched()
		select {
		case <-done:
			returned = true
		default:
		}
	}
	release()
	<-done
	require.False(t, returned, "it did not wait for the lock")
}

// TestRunning: the flag is set by the push that wakes and cleared by the Idle that succeeds, by nothing else.
func TestRunning(t *testing.T) {
	var q Queue[int]
	for range 3 {
		require.False(t, q.running)
		require.True(t, q.Resting())
		require.True(t, q.Empty())
		_, ok := q.Pop()
		require.False(t, ok)
		require.False(t, q.running)

		require.True(t, q.Push(1))
		require.True(t, q.running)
		require.False(t, q.Resting())
		require.False(t, q.Push(2))
		require.False(t, q.Idle(), "both lists are to be looked at")
		require.True(t, q.running)
		requirePops(t, &q, 1, 2)
		require.False(t, q.PushUrgent(3), "active until Idle")
		require.False(t, q.Idle())
		require.False(t, q.Empty())
		requirePops(t, &q, 3)
		require.True(t, q.Idle())
	}
	require.True(t, q.PushUrgent(1))
	require.True(t, q.running)
}

// TestUrgentOrder: urgent entries go before what has not been taken, in their own order, and do not overtake a batch.
func TestUrgentOrder(t *testing.T) {
	var q Queue[int]
	require.True(t, q.PushAll([]int{3, 4}))
	require.False(t, q.PushUrgent(1))
	require.False(t, q.PushUrgentNode(&node.Node[int]{Value: 2}))
	v, ok := q.Pop()
	require.True(t, ok)
	require.Equal(t, 1, v)
	require.Zero(t, q.normal, "the refill takes both lists")
	require.Zero(t, q.urgent)
	require.False(t, q.Idle(), "the batch is left")
	require.False(t, q.Push(6))
	require.False(t, q.PushUrgent(5))
	requirePops(t, &q, 2, 3, 4, 5, 6)
	q.PushUrgent(7)
	requirePops(t, &q, 7)
}

// TestLockHeld: whoever else comes waits for the holder, whatever it wants.
func TestLockHeld(t *testing.T) {
	var q Queue[int]
	q.mu.Lock()
	wake := false
	requireWaits(t, func() {
		require.Zero(t, q.normal)
		require.False(t, q.running)
		q.mu.Unlock()
	}, func() { wake = q.Push(1) })
	require.True(t, wake)

	q.mu.Lock()
	requireWaits(t, q.mu.Unlock, func() { wake = q.PushUrgent(0) })
	require.False(t, wake)
	for _, ask := range []func() bool{q.Resting, q.Empty, q.Idle} {
		got := true
		q.mu.Lock()
		requireWaits(t, q.mu.Unlock, func() { got = ask() })
		require.False(t, got)
	}
	q.mu.Lock()
	v, ok := 1, false
	requireWaits(t, q.mu.Unlock, func() { v, ok = q.Pop() })
	require.True(t, ok)
	require.Zero(t, v)
	q.mu.Lock() // what has been taken is handed out without the lock
	require.False(t, q.Idle())
	v, ok = q.Pop()
	q.mu.Unlock()
	require.True(t, ok)
	require.Equal(t, 1, v)
	requirePops(t, &q)
}

// TestPushHalfWay: a producer stops between its append and the flag. It holds the lock, so nobody sees the one without the other.
func TestPushHalfWay(t *testing.T) {
	var q Queue[int]
	n := &node.Node[int]{Value: 1}
	node.Set(n, n)
	q.mu.Lock()
	q.normal.append(n, n)
	wake := true
	requireWaits(t, func() {
		q.running = true
		q.mu.Unlock()
	}, func() { wake = q.Push(2) })
	require.False(t, wake, "the first push has it")
	requirePops(t, &q, 1, 2)
	require.True(t, q.Idle())
}

func TestPushesAndPanics(t *testing.T) {
	var q Queue[int]
	var c node.Chain[int]
	require.False(t, q.PushAll(nil))
	require.False(t, q.PushChain(&c))
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })
	require.True(t, q.Resting(), "the lock is free after the panic")

	nodes := []node.Node[int]{{Value: 1}, {Value: 2}, {Value: 3}}
	c.Append(&nodes[0])
	c.Append(&nodes[1])
	require.True(t, q.PushChain(&c))
	require.False(t, q.PushNode(&nodes[2]))
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(&nodes[2]) })
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushUrgentNode(&nodes[0]) })
	requirePops(t, &q, 1, 2, 3)
	require.Equal(t, make([]node.Node[int], 3), nodes)

	q.PushAll([]int{1, 2, 3})
	q.Pop()
	node.Take(q.batch) // a second consumer
	require.PanicsWithValue(t, "taskwork: concurrent consumer", func() { q.Pop() })
}
