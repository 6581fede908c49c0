package node

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

const queued = "taskwork: node is already queued"

func numbered(n int) []Node[int] {
	nodes := make([]Node[int], n)
	for i := range nodes {
		nodes[i].Value = i
	}
	return nodes
}

// walk follows the links from first and checks that they end at last, with the end mark.
func walk(t *testing.T, first, last *Node[int]) (vs []int) {
	t.Helper()
	for n := first; n != nil; n = Next(n) {
		vs = append(vs, n.Value)
		if Next(n) == nil {
			require.Same(t, last, n)
			require.Same(t, n, Get(n), "the end mark")
		}
	}
	return vs
}

// upTo returns 0 to n-1 and the same backwards.
func upTo(n int) (up, down []int) {
	for i := range n {
		up = append(up, i)
		down = append(down, n-1-i)
	}
	return up, down
}

func TestLink(t *testing.T) {
	var a, b Node[int]
	require.Nil(t, Get(&a))
	require.Nil(t, LoadNext(&a))
	Set(&a, &a)
	require.Same(t, &a, LoadNext(&a))
	require.Nil(t, Next(&a), "the end mark")
	StoreNext(&a, &b)
	require.Same(t, &b, Get(&a))
	require.Same(t, &b, Next(&a))
	a.Value = 7
	require.Equal(t, 7, Take(&a))
	require.Equal(t, Node[int]{}, a)
}

func TestCheckFree(t *testing.T) {
	var a, b Node[int]
	require.NotPanics(t, func() { CheckFree(&a) })
	Set(&a, &a)
	require.PanicsWithValue(t, queued, func() { CheckFree(&a) }, "the last one in its list")
	Set(&a, &b)
	require.PanicsWithValue(t, queued, func() { CheckFree(&a) })
	Take(&a)
	require.NotPanics(t, func() { CheckFree(&a) })
}

// TestChain cuts chains of every length, both ways, whichever way the last cut was.
func TestChain(t *testing.T) {
	var c Chain[int]
	for round, newestFirst := range []bool{false, false, true, true, false, true} {
		for n := range 5 {
			nodes := numbered(n)
			for i := range nodes {
				c.Append(&nodes[i])
				require.Equal(t, i+1, c.Len())
				require.PanicsWithValue(t, queued, func() { c.Append(&nodes[i]) })
				require.PanicsWithValue(t, queued, func() { new(Chain[int]).Append(&nodes[0]) })
			}
			cut, name := Cut[int], fmt.Sprintf("round %d, %d nodes", round, n)
			want, down := upTo(n)
			if newestFirst {
				cut, want = CutNewest[int], down
			}
			first, last := cut(&c)
			require.Zero(t, c.Len())
			require.Equal(t, n == 0, last == nil, name)
			require.Equal(t, want, walk(t, first, last), name)
			require.Equal(t, newestFirst, c.newestFirst, "it remembers")
			first, last = cut(&c)
			require.Nil(t, first, "a chain is cut once")
			require.Nil(t, last)
		}
	}
}

func TestOf(t *testing.T) {
	for n := 1; n < 5; n++ {
		up, down := upTo(n)
		oldest, newest := Of(up)
		require.Equal(t, up, walk(t, oldest, newest))
		newest, oldest = OfNewest(up)
		require.Equal(t, down, walk(t, newest, oldest))
		require.Zero(t, oldest.Value)
		require.Equal(t, n-1, newest.Value)
	}
}

// TestReverse: a list ends with the end mark or before stop; reversed, with the end mark. stop itself is not touched.
func TestReverse(t *testing.T) {
	var stop Node[int]
	require.Nil(t, Reverse[int](nil, nil))
	require.Nil(t, Reverse(nil, &stop))
	for n := 1; n < 5; n++ {
		up, down := upTo(n)
		oldest, newest := Of(up)
		require.Same(t, newest, Reverse(oldest, nil))
		require.Equal(t, down, walk(t, newest, oldest))
		require.Same(t, oldest, Reverse(newest, &stop), "a stop that the list does not lead to")
		require.Equal(t, up, walk(t, oldest, newest))

		Set(newest, &stop)
		require.Same(t, newest, Reverse(oldest, &stop))
		require.Equal(t, down, walk(t, newest, oldest))
		require.Equal(t, Node[int]{}, stop)
	}

	// A stop in the middle: what is behind it stays as it is.
	ns := numbered(4)
	for i := range ns {
		Set(&ns[i], &ns[min(i+1, 3)])
	}
	require.Equal(t, []int{1, 0}, walk(t, Reverse(&ns[0], &ns[2]), &ns[0]))
	require.Equal(t, []int{2, 3}, walk(t, &ns[2], &ns[3]))
}

func TestSlab(t *testing.T) {
	require.Equal(t, 2040/int(unsafe.Sizeof(Node[int]{})), len(Slab[int]()))
	require.Len(t, Slab[[112]byte](), 64)
	require.Len(t, Slab[[1 << 16]byte](), 4)
	for _, n := range Slab[int]() {
		require.Equal(t, Node[int]{}, n)
	}
	require.Equal(t, uintptr(3), Size[[3]byte]())
	require.NotZero(t, Here())
}
