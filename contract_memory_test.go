package taskwork_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// big is a value that is worth collecting.
type big struct {
	node taskwork.Node[*big]
	_    [64 << 10]byte
}

// collector counts the objects that it was told of and that have been collected since.
type collector struct {
	made      int
	collected atomic.Int64
}

// new returns an object that is counted when it has been collected.
func (c *collector) new() *big {
	b := new(big)
	c.made++
	runtime.AddCleanup(b, func(n *atomic.Int64) { n.Add(1) }, &c.collected)
	return b
}

// collect collects garbage until done says that it has seen enough of it, or gives up after some seconds: cleanups run on a
// goroutine of their own, some time after the collection.
func collect(done func() bool) {
	for i := range 300 {
		runtime.GC()
		if done() {
			return
		}
		time.Sleep(time.Duration(min(i, 20)) * time.Millisecond)
	}
}

// gone fails the test unless all but kept of the objects are collected.
func (c *collector) gone(t *testing.T, kept int, what string, args ...any) {
	t.Helper()
	collect(func() bool { return int(c.collected.Load()) >= c.made-kept })
	require.Equalf(t, c.made-kept, int(c.collected.Load()), what, args...)
}

// bigForms are the ways to push n new objects.
func bigForms(q taskwork.Queue[*big]) map[string]func(c *collector, n int) {
	forms := map[string]func(c *collector, n int){
		"Push": func(c *collector, n int) {
			for range n {
				q.Push(c.new())
			}
		},
		"PushAll": func(c *collector, n int) {
			bs := make([]*big, n)
			for i := range bs {
				bs[i] = c.new()
			}
			q.PushAll(bs)
		},
	}
	if nq, ok := q.(taskwork.NodeQueue[*big]); ok {
		next := func(c *collector) *taskwork.Node[*big] {
			b := c.new()
			b.node.Value = b
			return &b.node
		}
		forms["PushNode"] = func(c *collector, n int) {
			for range n {
				nq.PushNode(next(c))
			}
		}
		forms["PushChain"] = func(c *collector, n int) {
			var chain taskwork.Chain[*big]
			for range n {
				chain.Append(next(c))
			}
			nq.PushChain(&chain)
		}
	}
	if lq, ok := q.(*lanes.Queue[*big]); ok {
		p := lq.Producer()
		forms["a handle's Push"] = func(c *collector, n int) {
			for range n {
				p.Push(c.new())
			}
		}
	}
	return forms
}

// TestCase_J2_HandedOutIsCollected: a big entry, handed out and dropped, is collected, whatever the queue does then: still
// active, at rest, with entries queued behind it, with others before it. Where the entry is its own node, the node is
// collected, too, so no cursor, tail, stub, fake or slot keeps it.
func TestCase_J2_HandedOutIsCollected(t *testing.T) {
	guard(t)
	each(t, func(t *testing.T, row queueOf[*big]) {
		q := row.new()
		for name, push := range bigForms(q) {
			t.Run(name, func(t *testing.T) {
				for _, queued := range []int{1, 2, 5} {
					c := new(collector)
					push(c, queued)
					for left := queued - 1; left >= 0; left-- {
						_, ok := q.Pop()
						require.True(t, ok)
						c.gone(t, left, "%d of %d queued, the queue active", left, queued)
					}
					_, ok := q.Pop()
					require.False(t, ok)
					push(c, 1) // behind an active consumer that has looked
					_, ok = q.Pop()
					require.True(t, ok)
					c.gone(t, 0, "the queue active")
					require.True(t, q.Idle())
					c.gone(t, 0, "the queue at rest")
				}
			})
		}
		runtime.KeepAlive(q)
	})
}

// TestCase_K3_AllCollected: a thousand values of 64 KiB go through; all are collected, while the queue lives on.
func TestCase_K3_AllCollected(t *testing.T) {
	guard(t)
	each(t, func(t *testing.T, row queueOf[*big]) {
		q := row.new()
		for name, push := range bigForms(q) {
			for _, atOnce := range []int{1, 100} {
				c := new(collector)
				for c.made < 1000/4 {
					push(c, atOnce)
					taskwork.Run(q, 0, func(*big) {})
				}
				c.gone(t, 0, "%s, %d at once", name, atOnce)
			}
		}
		runtime.KeepAlive(q)
	})
}

// TestCase_J1_KeptNode: whoever keeps one node keeps that node alone: its link is nil, and of a million others that go through
// the queue after it, none is kept by it.
func TestCase_J1_KeptNode(t *testing.T) {
	guard(t)
	others := 1_000_000
	if raceEnabled || testing.Short() {
		others = 100_000
	}
	type item struct {
		node taskwork.Node[int]
		_    [4]uint64 // not a tiny object, which would share its memory with others
	}
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		q := newQueue()
		var made, collected atomic.Int64
		fresh := func(v int) *taskwork.Node[int] {
			it := &item{node: taskwork.Node[int]{Value: v}}
			if v%1000 == 1 { // of all others a thousandth, and the very next one
				made.Add(1)
				runtime.AddCleanup(it, func(n *atomic.Int64) { n.Add(1) }, &collected)
			}
			return &it.node
		}
		kept := &taskwork.Node[int]{Value: -1}
		require.True(t, q.PushNode(kept))
		for v := 1; v <= 5; v++ { // behind it, so that it did have a link
			q.PushNode(fresh(v))
		}
		pop := func(want int) {
			if v, ok := q.Pop(); !ok || v != want {
				t.Fatalf("got %d, %t, want %d", v, ok, want)
			}
		}
		pop(-1)
		require.Zero(t, kept.Value)
		for v := 6; v <= others; v++ {
			q.PushNode(fresh(v))
			pop(v - 5)
		}
		for v := others - 4; v <= others; v++ {
			pop(v)
		}
		require.True(t, q.Idle())
		collect(func() bool { return made.Load() == collected.Load() })
		require.Equal(t, made.Load(), collected.Load(), "nodes collected")
		// Only a node whose link is nil may be pushed; a chain tells that without a queue.
		var c taskwork.Chain[int]
		require.NotPanics(t, func() { c.Append(kept) })
		runtime.KeepAlive(q)
	})
}

// TestAllocations: with the caller's nodes nothing allocates; values share the allocation of their nodes, and so do the values
// of a slice; a lane uses its chunks again.
func TestAllocations(t *testing.T) {
	const runs, length = 200, 16
	consume := func(q taskwork.Queue[int]) {
		for {
			if _, ok := q.Pop(); !ok {
				break
			}
		}
		if !q.Idle() {
			panic("Idle returned false")
		}
	}
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		q := newQueue()
		var nodes [length]taskwork.Node[int]
		var c taskwork.Chain[int]
		require.Zero(t, testing.AllocsPerRun(runs, func() {
			for i := range nodes {
				q.PushNode(&nodes[i])
			}
			consume(q)
		}), "PushNode, Pop and Idle")
		require.Zero(t, testing.AllocsPerRun(runs, func() {
			for i := range nodes {
				c.Append(&nodes[i])
			}
			q.PushChain(&c)
			consume(q)
		}), "Append, PushChain, Pop and Idle")
		require.Zero(t, testing.AllocsPerRun(runs, func() {
			for i := range nodes {
				q.PushNode(&nodes[i])
			}
			taskwork.Run(taskwork.Queue[int](q), 0, func(int) {})
		}), "PushNode and Run")
		require.LessOrEqual(t, testing.AllocsPerRun(runs, func() {
			for i := range length {
				q.Push(i)
			}
			consume(q)
		}), 1., "Push, %d times", length)
		vs := make([]int, length)
		require.EqualValues(t, 1, testing.AllocsPerRun(runs, func() {
			q.PushAll(vs)
			consume(q)
		}), "PushAll")
	})
	// Nodes of large values are not allocated together, but a push never allocates twice.
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[[32]uint64]) {
		q := newQueue()
		require.LessOrEqual(t, testing.AllocsPerRun(runs, func() {
			q.Push([32]uint64{})
			taskwork.Run(taskwork.Queue[[32]uint64](q), 0, func([32]uint64) {})
		}), 1., "Push of a large value")
	})
	t.Run("lanes", func(t *testing.T) {
		q := new(lanes.Queue[int])
		p := q.Producer()
		for name, push := range map[string]func(int) bool{"Push": q.Push, "a handle's Push": p.Push} {
			require.Zero(t, testing.AllocsPerRun(runs, func() {
				for i := range length {
					push(i)
				}
				consume(q)
			}), name)
		}
	})
}

// TestCase_I2_NodeAnywhere: a node may be the first, a middle or the last field of a struct, of any size and alignment. Run it
// with -race and with -gcflags=all=-d=checkptr=2.
func TestCase_I2_NodeAnywhere(t *testing.T) {
	type small [3]byte
	type odd [12]byte
	nodesAnywhere[byte](t, 'x')
	nodesAnywhere(t, small{1, 2, 3})
	nodesAnywhere(t, int32(-7))
	nodesAnywhere(t, odd{11: 9})
	nodesAnywhere(t, "text")
	nodesAnywhere(t, struct{}{})
	nodesAnywhere(t, [5]uint64{4: 1 << 63})
}

func nodesAnywhere[T comparable](t *testing.T, value T) {
	type first struct {
		node  taskwork.Node[T]
		after byte
	}
	type middle struct {
		before byte
		node   taskwork.Node[T]
		after  byte
	}
	type last struct {
		before [3]byte
		node   taskwork.Node[T]
	}
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[T]) {
			q := newQueue()
			f := &first{after: 1}
			// In an array, a neighbour begins right where the node ends.
			m := &[2]middle{{before: 2, after: 3}, {before: 4, after: 5}}
			l := &[2]last{{before: [3]byte{6, 7, 8}}, {before: [3]byte{9, 10, 11}}}
			nodes := []*taskwork.Node[T]{&f.node, &m[0].node, &m[1].node, &l[0].node, &l[1].node}
			for round := range 10 {
				var c taskwork.Chain[T]
				done := make(chan bool, 1)
				for i, n := range nodes {
					n.Value = value
					if (i+round)%2 == 0 {
						c.Append(n)
					} else {
						q.PushNode(n)
					}
				}
				go func() { done <- q.PushChain(&c) }()
				<-done
				count := 0
				taskwork.Run(taskwork.Queue[T](q), 0, func(v T) {
					require.Equal(t, value, v)
					count++
				})
				require.Equal(t, len(nodes), count)
				var zero T
				for _, n := range nodes {
					require.Equal(t, zero, n.Value)
				}
			}
			require.Equal(t, &first{after: 1}, f)
			require.Equal(t, &[2]middle{{before: 2, after: 3}, {before: 4, after: 5}}, m)
			require.Equal(t, &[2]last{{before: [3]byte{6, 7, 8}}, {before: [3]byte{9, 10, 11}}}, l)
		})
	})
}
