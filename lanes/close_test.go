package lanes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const closedPanic = "taskwork: push through a closed handle"

func TestPushAfterClosePanics(t *testing.T) {
	q := small()
	for _, pushed := range []int{0, 1, 2, 3} { // none, half a chunk, a full one, more
		p := q.Producer()
		p.PushAll(seq(0, pushed))
		p.Close()
		require.PanicsWithValue(t, closedPanic, func() { p.Push(1) })
		require.PanicsWithValue(t, closedPanic, func() { p.PushAll([]int{1, 2, 3}) })
		p.Close()
	}
	require.Len(t, drain(q), 6)
	require.True(t, q.Idle())
	require.False(t, func() bool { p := q.Producer(); p.Close(); return p.PushAll(nil) }(), "no push, no panic")
}

// TestClosedLaneIsHandedOutThenForgotten: Close does not cut off what was pushed before, and leaves nothing behind.
func TestClosedLaneIsHandedOutThenForgotten(t *testing.T) {
	q := small()
	stays := q.Producer()
	goes := q.Producer()
	require.True(t, goes.PushAll(seq(0, 5)))
	goes.Close()
	stays.Push(9)
	require.Len(t, q.registered(), 2)
	require.ElementsMatch(t, []int{0, 1, 2, 3, 4, 9}, drain(q))
	require.Equal(t, []*Producer[int]{stays}, q.registered())
	require.True(t, q.Empty(), "what was taken off the forgotten lane does not count any more")
	require.True(t, q.Idle())
	require.Nil(t, goes.head)
	require.Nil(t, goes.first)
	require.Nil(t, goes.free.top.Load())

	require.True(t, stays.Push(1))
	require.Equal(t, []int{1}, drain(q))
	require.True(t, q.Idle())
}

// TestCloseOfUnusedHandle: no consumer has to come by to forget it.
func TestCloseOfUnusedHandle(t *testing.T) {
	q := small()
	a, b, c := q.Producer(), q.Producer(), q.Producer()
	b.Close()
	require.Equal(t, []*Producer[int]{a, c}, q.registered())
	c.Close()
	a.Close()
	require.Empty(t, q.registered())
	require.True(t, q.Resting())
}

// TestClosedAtRest: a handle closed while the queue rests is forgotten in the next run.
func TestClosedAtRest(t *testing.T) {
	q := small()
	for i := range 100 {
		p := q.Producer()
		require.True(t, p.Push(i))
		require.Equal(t, []int{i}, drain(q))
		require.True(t, q.Idle())
		p.Close()
		require.LessOrEqual(t, len(q.registered()), 2)
	}
}

// TestOnlyLaneIsForgotten: the short way for a single lane sees that the lane is closed.
func TestOnlyLaneIsForgotten(t *testing.T) {
	for _, pushed := range []int{1, 2, 3} {
		q := small()
		p := q.Producer()
		require.True(t, p.PushAll(seq(0, pushed)))
		require.Equal(t, seq(0, pushed), drain(q))
		require.False(t, p.Push(9))
		require.Equal(t, []int{9}, drain(q), "goes the short way")
		p.Close()
		_, ok := q.Pop()
		require.False(t, ok)
		require.Empty(t, q.registered())
		require.Nil(t, p.head)
		require.True(t, q.Empty())
		require.True(t, q.Idle())
	}
}
