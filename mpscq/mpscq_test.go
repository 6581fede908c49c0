package mpscq

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/internal/pad"
)

// pushHalf does the first half of a push of v: it exchanges the tail. finish does the second, and tells what the push returns.
func pushHalf(q *Queue[int], v int) (finish func() (wake bool)) {
	n := &node.Node[int]{Value: v}
	node.Set(n, n)
	prev := q.tail.Swap(n)
	return func() bool {
		q.link(prev, n)
		return prev == nil
	}
}

// requireStuck checks what everybody is told while something is queued and cannot be reached. It asks twice: asking changes
// nothing.
func requireStuck(t *testing.T, q *Queue[int]) {
	t.Helper()
	for range 2 {
		v, ok := q.Pop()
		require.False(t, ok, "Pop")
		require.Zero(t, v)
		require.False(t, q.Empty(), "Empty")
		require.False(t, q.Idle(), "Idle")
		require.False(t, q.Resting(), "Resting")
	}
}

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
	require.False(t, q.Resting())
	require.Same(t, &q.stub, q.tail.Load())
	require.Nil(t, node.Get(&q.stub))
	require.Nil(t, q.cursor)
}

// TestCase_C1_HalfPushAtRest: the exchange alone ends the rest, and its producer has the wake.
func TestCase_C1_HalfPushAtRest(t *testing.T) {
	var q Queue[int]
	require.True(t, q.Resting())
	finish := pushHalf(&q, 1)
	requireStuck(t, &q)
	require.True(t, finish())
	requirePops(t, &q, 1)
	require.True(t, q.Idle())
	require.True(t, q.Resting())
	require.Nil(t, q.tail.Load())
}

// TestCase_C1_HalfPushActiveEmpty: the consumer has taken everything; half a push is enough to keep it from going to rest.
func TestCase_C1_HalfPushActiveEmpty(t *testing.T) {
	var q Queue[int]
	require.True(t, q.Push(1))
	requirePops(t, &q, 1)
	finish := pushHalf(&q, 2)
	requireStuck(t, &q)
	require.False(t, finish())
	requirePops(t, &q, 2)
	require.True(t, q.Idle())
}

// TestCase_C1_HalfPushMidChain: the gap is behind an entry that is linked. That one waits, too: its link is still to be written.
func TestCase_C1_HalfPushMidChain(t *testing.T) {
	var q Queue[int]
	require.True(t, q.Push(1))
	require.False(t, q.Push(2))
	finish := pushHalf(&q, 3)
	require.False(t, q.Push(4))
	v, ok := q.Pop()
	require.True(t, ok)
	require.Equal(t, 1, v)
	requireStuck(t, &q)
	require.Same(t, q.cursor, node.Get(q.cursor), "the end mark stands until the link is stored")
	require.NotSame(t, q.last, q.cursor)

	require.False(t, q.Push(5)) // into the next chain, which nobody comes to yet
	require.Same(t, q.tail.Load(), node.Get(&q.stub))
	requireStuck(t, &q)
	require.False(t, finish())
	requirePops(t, &q, 2, 3, 4, 5)
	require.True(t, q.Idle())
}

// TestCase_C4_WholePushBehindHalf: a push that has returned stands behind one that has not: not to be had, but never denied.
func TestCase_C4_WholePushBehindHalf(t *testing.T) {
	var q Queue[int]
	first := pushHalf(&q, 1)
	require.False(t, q.Push(2))
	requireStuck(t, &q)
	third := pushHalf(&q, 3)
	require.False(t, q.Push(4))
	require.False(t, third(), "links may come in any order")
	requireStuck(t, &q)
	require.True(t, first(), "the wake belongs to the exchange that found nil")
	requirePops(t, &q, 1, 2, 3, 4)
	require.True(t, q.Idle())
}

// TestSpliceHalfWay: a producer comes between the two steps of a splice; its entry belongs to what the exchange takes.
func TestSpliceHalfWay(t *testing.T) {
	var q Queue[int]
	require.True(t, q.Push(1))
	first := node.LoadNext(&q.stub)
	node.Set(&q.stub, nil)
	require.False(t, q.Push(2))
	require.Nil(t, node.Get(&q.stub), "nobody links to the stub before the exchange")
	q.last = q.tail.Swap(&q.stub)
	q.cursor = first
	require.False(t, q.Push(3))
	require.Equal(t, 2, q.last.Value)
	requirePops(t, &q, 1, 2, 3)
}

func TestPushes(t *testing.T) {
	var q Queue[int]
	var c node.Chain[int]
	require.False(t, q.PushAll(nil))
	require.False(t, q.PushChain(&c))
	require.True(t, q.Resting())
	nodes := []node.Node[int]{{Value: 3}, {Value: 4}, {Value: 5}}
	require.True(t, q.PushAll([]int{1, 2}))
	require.False(t, q.PushNode(&nodes[0]))
	c.Append(&nodes[1])
	c.Append(&nodes[2])
	require.False(t, q.PushChain(&c))
	require.Zero(t, c.Len())
	require.False(t, q.Idle())
	requirePops(t, &q, 1, 2, 3, 4, 5)
	for i := range nodes {
		require.Nil(t, node.Get(&nodes[i]))
		require.Zero(t, nodes[i].Value)
	}
	require.False(t, q.PushNode(&nodes[2]), "free again")
	requirePops(t, &q, 0)
}

func TestPanics(t *testing.T) {
	var q Queue[int]
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })
	require.True(t, q.Resting())

	var n node.Node[int]
	require.True(t, q.PushNode(&n))
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(&n) })
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { new(node.Chain[int]).Append(&n) })
	requirePops(t, &q, 0)
	require.True(t, q.Idle())
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })

	// A second consumer has handed out the entry at the cursor.
	q.PushAll([]int{1, 2, 3})
	q.Pop()
	node.Take(q.cursor)
	require.PanicsWithValue(t, "taskwork: concurrent consumer", func() { q.Pop() })
}

func TestLayout(t *testing.T) {
	checkLayout[int](t)
	checkLayout[byte](t)
	checkLayout[*int](t)
}

func checkLayout[T any](t *testing.T) {
	var q Queue[T]
	tail, cursor, slabs := unsafe.Offsetof(q.tail), unsafe.Offsetof(q.cursor), unsafe.Offsetof(q.slabs)
	line := uintptr(pad.Line)
	if unsafe.Sizeof(tail) == 4 {
		line = 64 // the paddings are measured for words of 64 bits: here they keep off one line, but not off a pair
	}
	require.GreaterOrEqual(t, cursor-tail, line)
	require.GreaterOrEqual(t, slabs-(unsafe.Offsetof(q.looks)+unsafe.Sizeof(q.looks)), uintptr(64))
	require.LessOrEqual(t, unsafe.Sizeof(q), uintptr(320))
}
