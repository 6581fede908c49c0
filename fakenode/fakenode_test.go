package fakenode

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/node"
)

// addHalf does the first half of an Add of n: it loads the head and links n in front. finish is the compare-and-swap; if that
// fails the producer adds anew. It tells whether the compare-and-swap succeeded, and what the push returns.
func addHalf(q *Queue[int], n *node.Node[int]) (finish func() (swapped, wake bool)) {
	head := q.list.First()
	node.Set(n, head)
	if head == nil {
		node.Set(n, n)
	}
	return func() (bool, bool) {
		if q.list.CompareAndSwap(head, n) {
			return true, head == nil
		}
		return false, q.list.Add(n)
	}
}

// requirePops checks that exactly vs come out, and that the queue then is active and empty.
func requirePops(t *testing.T, q *Queue[int], vs ...int) {
	t.Helper()
	for _, want := range vs {
		require.False(t, q.Empty())
		require.NotSame(t, &q.fake, q.batch)
		v, ok := q.Pop()
		require.True(t, ok, "nothing where %d should be", want)
		require.Equal(t, want, v)
		require.False(t, q.Resting())
	}
	_, ok := q.Pop()
	require.False(t, ok)
	requireActiveEmpty(t, q)
}

func requireActiveEmpty(t *testing.T, q *Queue[int]) {
	t.Helper()
	require.True(t, q.Empty())
	require.False(t, q.Resting())
	require.Same(t, &q.fake, q.list.First())
	require.Nil(t, q.batch)
	require.Equal(t, node.Node[int]{}, q.fake, "the fake is never written")
}

// TestStates goes round the picture in the package comment.
func TestStates(t *testing.T) {
	var q Queue[int]
	for range 3 {
		require.True(t, q.Resting())
		require.True(t, q.Empty())
		require.Nil(t, q.list.First())
		_, ok := q.Pop()
		require.False(t, ok)
		require.True(t, q.Resting(), "a look at rest changes nothing")

		require.True(t, q.Push(1))
		require.False(t, q.Resting())
		require.False(t, q.Idle(), "woken, not looked yet")
		requirePops(t, &q, 1)
		require.False(t, q.Push(2))
		require.Same(t, &q.fake, node.Get(q.list.First()), "the fake lies under what came since")
		require.False(t, q.Idle())
		require.False(t, q.Push(3))
		requirePops(t, &q, 2, 3)
		require.True(t, q.Idle())
	}
}

// TestCappedLeftovers: a run that stops in the middle of a batch leaves the rest, although the head holds nothing but the fake.
func TestCappedLeftovers(t *testing.T) {
	var q Queue[int]
	require.True(t, q.PushAll([]int{1, 2, 3}))
	v, ok := q.Pop()
	require.True(t, ok)
	require.Equal(t, 1, v)
	require.Same(t, &q.fake, q.list.First())
	require.NotNil(t, q.batch)
	require.False(t, q.Empty())
	require.False(t, q.Idle())
	require.False(t, q.Resting())
	require.False(t, q.Push(4), "no second consumer")
	requirePops(t, &q, 2, 3, 4)
}

// TestCase_C7_ConsumerTakesAll: between a producer's load and its compare-and-swap the consumer takes the list and leaves the
// fake. The link to a node that is gone must not be published.
func TestCase_C7_ConsumerTakesAll(t *testing.T) {
	var q Queue[int]
	stale := &node.Node[int]{Value: 1}
	require.True(t, q.PushNode(stale))
	n := &node.Node[int]{Value: 2}
	finish := addHalf(&q, n)
	require.Same(t, stale, node.Get(n))
	requirePops(t, &q, 1)
	require.Nil(t, node.Get(stale))
	swapped, wake := finish()
	require.False(t, swapped)
	require.False(t, wake)
	require.Same(t, &q.fake, node.Get(n), "linked anew")
	requirePops(t, &q, 2)
	require.True(t, q.Idle())
}

// TestCase_C7_ConsumerGoesToRest: the same, and the consumer goes to rest as well: now this push has the wake. The other way
// round, a producer that found the queue at rest has no wake if another one came first.
func TestCase_C7_ConsumerGoesToRest(t *testing.T) {
	var q Queue[int]
	q.Push(1)
	requirePops(t, &q, 1)
	n := &node.Node[int]{Value: 2}
	finish := addHalf(&q, n)
	require.Same(t, &q.fake, node.Get(n))
	require.True(t, q.Idle())
	swapped, wake := finish()
	require.False(t, swapped)
	require.True(t, wake)
	require.Same(t, n, node.Get(n), "the end mark, not the fake")
	requirePops(t, &q, 2)
	require.True(t, q.Idle())

	n.Value = 4
	finish = addHalf(&q, n)
	require.True(t, q.Push(3))
	swapped, wake = finish()
	require.False(t, swapped)
	require.False(t, wake)
	requirePops(t, &q, 3, 4)
}

// TestCase_C7_SameNodeAgain: the consumer takes all and pushes the node that was first again. The compare-and-swap succeeds, over
// a different list, and rightly so: the new link says no more than that this node comes next.
func TestCase_C7_SameNodeAgain(t *testing.T) {
	var q Queue[int]
	first := &node.Node[int]{Value: 2}
	q.Push(1)
	q.PushNode(first)
	n := &node.Node[int]{Value: 4}
	finish := addHalf(&q, n)
	requirePops(t, &q, 1, 2)
	first.Value = 3
	require.False(t, q.PushNode(first))
	swapped, wake := finish()
	require.True(t, swapped)
	require.False(t, wake)
	requirePops(t, &q, 3, 4)

	// With another node on top of it, the compare-and-swap fails.
	q.PushNode(first)
	finish = addHalf(&q, n)
	requirePops(t, &q, 0)
	first.Value, n.Value = 5, 7
	q.PushNode(first)
	q.Push(6)
	swapped, _ = finish()
	require.False(t, swapped)
	requirePops(t, &q, 5, 6, 7)
}

func TestPushes(t *testing.T) {
	var q Queue[int]
	var c node.Chain[int]
	require.False(t, q.PushAll(nil))
	require.False(t, q.PushChain(&c))
	require.True(t, q.Resting())
	nodes := []node.Node[int]{{Value: 1}, {Value: 2}, {Value: 3}}
	c.Append(&nodes[0])
	c.Append(&nodes[1])
	require.True(t, q.PushChain(&c))
	require.False(t, q.PushNode(&nodes[2]))
	require.False(t, q.PushAll([]int{4, 5}))
	requirePops(t, &q, 1, 2, 3, 4, 5)
	for i := range nodes {
		require.Equal(t, node.Node[int]{}, nodes[i])
	}
}

func TestPanics(t *testing.T) {
	var q Queue[int]
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })
	var n node.Node[int]
	require.True(t, q.PushNode(&n))
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(&n) })
	requirePops(t, &q, 0)
	require.True(t, q.Idle())
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })

	// A second consumer has handed out the entry that comes next.
	q.PushAll([]int{1, 2, 3})
	q.Pop()
	node.Take(q.batch)
	require.PanicsWithValue(t, "taskwork: concurrent consumer", func() { q.Pop() })
}
