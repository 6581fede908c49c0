package taskwork_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// nodeQueues are the queues that a Batch can publish to.
func nodeQueues[T any]() map[string]func() taskwork.NodeQueue[T] {
	return map[string]func() taskwork.NodeQueue[T]{
		"spinlist": func() taskwork.NodeQueue[T] { return new(spinlist.Queue[T]) },
		"fakenode": func() taskwork.NodeQueue[T] { return new(fakenode.Queue[T]) },
		"mpscq":    func() taskwork.NodeQueue[T] { return new(mpscq.Queue[T]) },
	}
}

func TestBatchPublishesEverySizeEntries(t *testing.T) {
	for name, newQueue := range nodeQueues[int]() {
		for _, size := range []int{1, 2, 3, 64, 200} {
			q := newQueue()
			b := taskwork.NewBatch(q, size)
			active, popped := false, 0
			for i := range 3*size + size/2 {
				full := i%size == size-1
				require.Equal(t, full && !active, b.Push(i), "%s, size %d, entry %d", name, size, i)
				require.Equal(t, (i+1)%size, b.Len())
				if full {
					active = true
					for range size {
						v, ok := q.Pop()
						require.True(t, ok)
						require.Equal(t, popped, v)
						popped++
					}
				}
				_, ok := q.Pop()
				require.False(t, ok, "nothing comes before the Batch is full")
			}
			require.True(t, q.Idle())
			require.Equal(t, size/2 > 0, b.Flush(), "what is left wakes, if there is any")
			require.Zero(t, b.Len())
			if size/2 > 0 {
				taskwork.Run(taskwork.Queue[int](q), 0, func(v int) {
					require.Equal(t, popped, v)
					popped++
				})
			}
			require.Equal(t, 3*size+size/2, popped)
		}
	}
}

func TestBatchFlush(t *testing.T) {
	for _, newQueue := range nodeQueues[string]() {
		q := newQueue()
		b := taskwork.NewBatch(q, 0)
		require.False(t, b.Flush(), "nothing held: no push")
		require.True(t, q.Resting())
		for range 2 { // a Batch is good for more than one flush
			require.False(t, b.Push("a"))
			require.False(t, b.Push("b"))
			require.Equal(t, 2, b.Len())
			require.True(t, q.Resting())
			require.True(t, b.Flush())
			require.False(t, b.Flush())
			require.False(t, b.Push("c"))
			require.False(t, b.Flush(), "the queue is active")
			var got []string
			for v := range taskwork.Drain[string](q) {
				got = append(got, v)
			}
			require.Equal(t, []string{"a", "b", "c"}, got)
		}
	}
}

func TestBatchSizes(t *testing.T) {
	for size, want := range map[int]int{-5: 64, 0: 64, 1: 1, 7: 7, 64: 64} {
		var q mpscq.Queue[int]
		b := taskwork.NewBatch[int](&q, size)
		for range want - 1 {
			require.False(t, b.Push(1))
		}
		require.True(t, b.Push(1), "size %d", size)
	}
	require.PanicsWithValue(t, "taskwork: NewBatch with a nil queue", func() { taskwork.NewBatch[int](nil, 1) })
}

// TestBatchBesideOthers: several Batches and single pushes go into one queue; each producer's order is kept and nothing is lost.
func TestBatchBesideOthers(t *testing.T) {
	const producers, each = 4, 5000
	type entry struct{ producer, seq int }
	for name, newQueue := range nodeQueues[entry]() {
		q := newQueue()
		var wg sync.WaitGroup
		var next [producers]int
		wake := func(wake bool) {
			if wake {
				wg.Go(func() {
					taskwork.Run(taskwork.Queue[entry](q), 0, func(e entry) {
						if next[e.producer] != e.seq {
							t.Errorf("%s: producer %d: entry %d, want %d", name, e.producer, e.seq, next[e.producer])
						}
						next[e.producer] = e.seq + 1
					})
				})
			}
		}
		for no := range producers {
			wg.Go(func() {
				b := taskwork.NewBatch(q, 3+10*no)
				for i := range each {
					if no > 0 {
						wake(b.Push(entry{no, i}))
					} else {
						wake(q.Push(entry{no, i}))
					}
				}
				wake(b.Flush())
			})
		}
		wg.Wait()
		require.True(t, q.Resting(), name)
		for _, n := range next {
			require.Equal(t, each, n, name)
		}
	}
}

// TestBatchAllocations: at most one allocation for 64 entries, whatever the size of the Batch.
func TestBatchAllocations(t *testing.T) {
	for name, newQueue := range nodeQueues[int]() {
		for _, size := range []int{1, 64, 1000} {
			q := newQueue()
			b := taskwork.NewBatch(q, size)
			const entries = 6400
			allocs := testing.AllocsPerRun(20, func() {
				for i := range entries {
					b.Push(i)
				}
				b.Flush()
				for {
					if _, ok := q.Pop(); !ok {
						break
					}
				}
				q.Idle()
			})
			require.LessOrEqual(t, allocs, float64(entries)/64, "%s, size %d", name, size)
		}
	}
}

// TestChainIntoDifferentQueues: a chain keeps its order whatever queue it goes into, and went into before.
func TestChainIntoDifferentQueues(t *testing.T) {
	queues := nodeQueues[int]()
	var c taskwork.Chain[int]
	for _, before := range queues {
		for name, newQueue := range queues {
			for length := range 5 {
				for _, q := range []taskwork.NodeQueue[int]{before(), newQueue()} {
					nodes := make([]taskwork.Node[int], length)
					for i := range nodes {
						nodes[i].Value = i
						c.Append(&nodes[i])
					}
					require.Equal(t, length, c.Len())
					require.Equal(t, length > 0, q.PushChain(&c))
					require.Zero(t, c.Len())
					for i := range length {
						v, ok := q.Pop()
						require.True(t, ok)
						require.Equal(t, i, v, "%s, %d nodes", name, length)
					}
					require.Equal(t, length > 0, !q.Resting() && q.Idle())
				}
			}
		}
	}
}
