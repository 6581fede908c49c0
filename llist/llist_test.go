package llist

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/node"
)

// numbered returns n nodes with the values 0 to n-1.
func numbered(n int) []node.Node[int] {
	nodes := make([]node.Node[int], n)
	for i := range nodes {
		nodes[i].Value = i
	}
	return nodes
}

// values walks a chain without changing it.
func values(n *node.Node[int]) (vs []int) {
	for ; n != nil; n = Next(n) {
		vs = append(vs, n.Value)
	}
	return vs
}

func TestAddDelAll(t *testing.T) {
	var l List[int]
	ns := numbered(3)
	require.True(t, l.Empty())
	require.Nil(t, l.First())
	require.Nil(t, l.DelAll())
	require.True(t, l.Add(&ns[0]))
	require.Same(t, &ns[0], node.Get(&ns[0]), "the end mark")
	require.False(t, l.Empty())
	require.False(t, l.Add(&ns[1]))
	require.False(t, l.Add(&ns[2]))
	require.Same(t, &ns[2], l.First())
	require.Equal(t, []int{2, 1, 0}, values(l.DelAll()))
	require.True(t, l.Empty())
	require.Nil(t, l.DelAll())
	require.True(t, l.Add(&ns[1]), "empty again; the old link is of no account")
	require.Equal(t, []int{1}, values(l.DelAll()))
}

func TestAddBatch(t *testing.T) {
	var l List[int]
	ns := numbered(4)
	l.Add(&ns[0])
	l.Add(&ns[1])
	newest := l.DelAll()
	node.Set(&ns[0], &ns[3]) // the link of the last one may be anything
	require.True(t, l.AddBatch(newest, &ns[0]))
	require.Same(t, &ns[0], node.Get(&ns[0]))
	l.Add(&ns[2])
	require.Equal(t, []int{2, 1, 0}, values(l.DelAll()))

	l.Add(&ns[3])
	require.False(t, l.AddBatch(&ns[2], &ns[0]), "in front of what is there")
	require.Equal(t, []int{2, 1, 0, 3}, values(l.DelAll()))
}

func TestAddChain(t *testing.T) {
	var l List[int]
	ns := numbered(4)
	var c node.Chain[int]
	require.False(t, l.AddChain(&c), "nothing to add")
	require.True(t, l.Empty())
	for round := range 2 { // the second time the chain grows the way this list wants it
		c.Append(&ns[0])
		c.Append(&ns[1])
		c.Append(&ns[2])
		require.True(t, l.AddChain(&c), "round %d", round)
		require.Zero(t, c.Len())
		c.Append(&ns[3])
		require.False(t, l.AddChain(&c))
		var got []int
		for n := range All(l.DelAll()) {
			got = append(got, n.Value)
		}
		require.Equal(t, []int{3, 2, 1, 0}, got)
	}
}

func TestDelFirst(t *testing.T) {
	var l List[int]
	ns := numbered(3)
	require.Nil(t, l.DelFirst())
	require.False(t, l.DelFirstThis(&ns[0]))
	for i := range ns {
		l.Add(&ns[i])
	}
	require.Same(t, &ns[2], l.DelFirst())
	require.Nil(t, node.Get(&ns[2]), "free")
	require.False(t, l.DelFirstThis(&ns[0]), "in the list, but not the newest")
	require.False(t, l.DelFirstThis(&ns[2]), "not in the list")
	require.True(t, l.DelFirstThis(&ns[1]))
	require.Nil(t, node.Get(&ns[1]))
	require.True(t, l.DelFirstThis(&ns[0]), "the last one leaves nothing")
	require.Nil(t, node.Get(&ns[0]))
	require.True(t, l.Empty())
	l.Add(&ns[1])
	require.Same(t, &ns[1], l.DelFirst())
	require.True(t, l.Empty())
}

func TestSwap(t *testing.T) {
	var l List[int]
	ns := numbered(3)
	l.Add(&ns[0])
	l.Add(&ns[1])
	chain := l.Swap(nil)
	require.True(t, l.Empty())
	require.Nil(t, l.Swap(chain), "links untouched: the list is back")
	require.False(t, l.CompareAndSwap(nil, &ns[2]))
	require.False(t, l.CompareAndSwap(&ns[0], &ns[2]))
	require.Equal(t, node.Node[int]{Value: 2}, ns[2], "nothing is written to it")
	node.Set(&ns[2], &ns[1])
	require.True(t, l.CompareAndSwap(&ns[1], &ns[2]))
	require.Equal(t, []int{2, 1, 0}, values(l.DelAll()))
}

// TestCase_C7_AddHalfWay: the head changes between an Add's load and its compare-and-swap, which fails; the link is made anew.
func TestCase_C7_AddHalfWay(t *testing.T) {
	for _, change := range []func(l *List[int]){
		func(l *List[int]) { l.DelAll() },
		func(l *List[int]) { l.DelFirst() },
		func(l *List[int]) { l.Add(&node.Node[int]{Value: 3}) },
	} {
		var l List[int]
		ns := numbered(3)
		l.Add(&ns[0])
		l.Add(&ns[1])
		head := l.head.Load()
		node.Set(&ns[2], head)
		change(&l)
		require.False(t, l.head.CompareAndSwap(head, &ns[2]))
		after, rest := l.First(), values(l.First())
		require.Equal(t, after == nil, l.Add(&ns[2]))
		require.Equal(t, append([]int{2}, rest...), values(l.DelAll()))
	}
}

// TestDelFirstHalfWay: why the table wants a lock. Between the load of the link and the compare-and-swap another consumer takes
// two and adds the first again: the swap succeeds and puts back a node that has gone.
func TestDelFirstHalfWay(t *testing.T) {
	var l List[int]
	ns := numbered(3)
	for i := range ns {
		l.Add(&ns[i])
	}
	n := l.head.Load()
	next := Next(n)
	require.Same(t, &ns[2], l.DelFirst())
	require.Same(t, &ns[1], l.DelFirst())
	l.Add(&ns[2])
	require.True(t, l.head.CompareAndSwap(n, next))
	require.Same(t, &ns[1], l.First(), "it was removed, and is first")
}

func TestReverse(t *testing.T) {
	var l List[int]
	require.Nil(t, Reverse[int](nil))
	ns := numbered(3)
	for i := range ns {
		l.Add(&ns[i])
		require.Equal(t, []int{0, 1, 2}[:i+1], values(Reverse(l.DelAll())))
		for j := range i + 1 {
			l.Add(&ns[j])
		}
	}
}

func TestAll(t *testing.T) {
	var l List[int]
	ns := numbered(3)
	for range All[int](nil) {
		t.Fatal("a nil chain has no nodes")
	}
	for i := range ns {
		l.Add(&ns[i])
	}
	for n := range All(l.DelAll()) {
		require.Nil(t, node.Get(n), "free before it is yielded")
		l.Add(n)
	}
	require.Same(t, &ns[0], l.First(), "added again, the other way round")
	for n := range All(l.DelAll()) {
		require.Same(t, &ns[0], n)
		break
	}
	require.Same(t, &ns[2], node.Get(&ns[1]), "what was not yielded keeps its links")
}
