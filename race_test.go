package taskwork_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/contract"
)

// TestStress is the suite's stress for longer, and with one, two and four processors. It takes three seconds, or half as
// long as the flag says; a long one starts from a random seed.
func TestStress(t *testing.T) {
	total, seed := 3*time.Second, uint64(1000)
	if testing.Short() {
		total /= 3
	}
	if *stressFor > 0 {
		total, seed = *stressFor/2, rand.Uint64()
	}
	procs := []int{1, 2, 4}
	table := queues[int]()
	share := total / time.Duration(len(procs)*len(table))
	for _, n := range procs {
		for _, q := range table {
			t.Run(fmt.Sprintf("procs=%d/%s", n, q.name), func(t *testing.T) {
				setProcs(t, n)
				cfg := contract.Config{New: q.new, TotalOrder: q.total, Rounds: 1, For: share, Seed: seed}
				if err := contract.Stress.Run(cfg); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// setProcs sets GOMAXPROCS for one test.
func setProcs(t *testing.T, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestCase_C3_HoveringAroundEmpty: up to eight producers, while no more than two entries are in the queue at a time, so that it
// empties all the time: each entry is handed out once, and nothing else is.
func TestCase_C3_HoveringAroundEmpty(t *testing.T) {
	guard(t)
	type item struct {
		node  taskwork.Node[*item]
		times int // it was handed out
	}
	each(t, func(t *testing.T, row queueOf[*item]) {
		for _, producers := range []int{1, 2, 4, 8} {
			const entries = 4000
			var (
				q      = row.new()
				nq, _  = q.(taskwork.NodeQueue[*item])
				tokens = make(chan struct{}, 2)
				items  = make([]item, entries)
				wg     sync.WaitGroup
			)
			run := func() {
				taskwork.Run(q, 0, func(it *item) {
					it.times++ // of a nil pointer, if the queue hands out a cell of its own
					<-tokens
				})
			}
			for p := range producers {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(1, uint64(p)))
					for i := p; i < entries; i += producers {
						tokens <- struct{}{}
						it := &items[i]
						if rng.IntN(4) == 0 {
							runtime.Gosched()
						}
						wake := false
						if nq != nil && rng.IntN(2) == 0 {
							it.node.Value = it
							wake = nq.PushNode(&it.node)
						} else {
							wake = q.Push(it)
						}
						if wake {
							wg.Go(run)
						}
					}
				})
			}
			wg.Wait()
			for i := range items {
				require.Equal(t, 1, items[i].times, "%d producers: times that entry %d was handed out", producers, i)
			}
			require.True(t, q.Resting())
		}
	})
}

// stuck is a queue in which a push stays half done until it is released: Pop finds nothing, and Idle sees that there is
// something.
type stuck struct {
	taskwork.Queue[int]
	looks    int // of the consumer
	released atomic.Bool
}

func (q *stuck) Pop() (int, bool) { q.looks++; return 0, false }
func (q *stuck) Idle() bool       { return q.released.Load() }

// TestCase_C5_ConsumerGivesWay: on one processor, a consumer that waits for the second half of a push gives way to whoever can
// run, at every look.
func TestCase_C5_ConsumerGivesWay(t *testing.T) {
	guard(t)
	setProcs(t, 1)
	for name, consume := range map[string]func(q taskwork.Queue[int]){
		"Run": func(q taskwork.Queue[int]) { taskwork.Run(q, 0, func(int) {}) },
		"Drain": func(q taskwork.Queue[int]) {
			for range taskwork.Drain(q) {
				panic("nothing to hand out")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := &stuck{}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				consume(q)
			}()
			const turns = 200
			for range turns {
				runtime.Gosched() // the unrelated goroutine that makes progress
			}
			q.released.Store(true)
			<-ended
			// Both take turns. A consumer that kept its processor would look a million times in each of its slices.
			require.Less(t, q.looks, 20*turns)
			require.Greater(t, q.looks, turns/20, "the test must have watched it wait")
		})
	}
}

// TestCase_E1_BudgetOfRun: however fast entries come, a run ends with its budget, says More, and the rest is run later.
func TestCase_E1_BudgetOfRun(t *testing.T) {
	guard(t)
	each(t, func(t *testing.T, row queueOf[int]) {
		const budget = 10
		var (
			q       = row.new()
			stop    atomic.Bool
			pushed  atomic.Uint32
			wg      sync.WaitGroup
			handled uint32
			runs    int
		)
		require.True(t, q.Push(0))
		pushed.Add(1)
		for range 2 {
			wg.Go(func() {
				for !stop.Load() && pushed.Load() < 1_000_000 {
					if q.PushAll([]int{1, 2, 3, 4}) {
						t.Error("a push reported wake while the queue was active")
					}
					pushed.Add(4)
				}
			})
		}
		// Each handler makes two more, so that the queue is never empty, whatever the producers do.
		again := func(int) {
			handled++
			if !stop.Load() {
				q.Push(0)
				q.Push(0)
				pushed.Add(2)
			}
		}
		for ; runs < 500; runs++ {
			s := taskwork.Run(q, budget, again)
			require.True(t, s.Count == budget && s.More, "%+v", s)
		}
		stop.Store(true)
		wg.Wait()
		for taskwork.Run(q, budget, again).More {
			runs++
		}
		require.Equal(t, pushed.Load(), handled)
		require.True(t, q.Resting())
	})
}

// TestCase_E2_TaskPushesItself: a task that pushes itself again and again does not keep others from getting their turns, on one
// processor either.
func TestCase_E2_TaskPushesItself(t *testing.T) {
	guard(t)
	setProcs(t, 1)
	each(t, func(t *testing.T, row queueOf[int]) {
		for _, budget := range []int{0, 1, 100} {
			var (
				q     = row.new()
				stop  atomic.Bool
				ended = make(chan struct{})
			)
			require.True(t, q.Push(1))
			go func() {
				defer close(ended)
				for taskwork.Run(q, budget, func(int) {
					if !stop.Load() {
						q.Push(1)
					}
				}).More {
					runtime.Gosched() // as a Runner does when its budget is used up
				}
			}()
			for range 5 {
				runtime.Gosched()
			}
			stop.Store(true)
			<-ended
			require.True(t, q.Resting())
		}
	})
}

// TestCase_K1_TightPolling: one producer without a pause, one consumer that polls without a pause: no entry is lost.
func TestCase_K1_TightPolling(t *testing.T) {
	guard(t)
	entries := 1_000_000
	if raceEnabled || testing.Short() {
		entries = 100_000
	}
	each(t, func(t *testing.T, row queueOf[int]) {
		q := row.new()
		require.True(t, q.Push(0))
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 1; i < entries; i++ {
				if q.Push(i) {
					t.Error("a push reported wake while the queue was active")
					return
				}
			}
		})
		for next, dry := 0, 0; next < entries; {
			v, ok := q.Pop()
			if !ok {
				if dry++; dry%1000 == 0 {
					runtime.Gosched()
				}
				continue
			}
			if v != next {
				t.Fatalf("got %d, want %d", v, next)
			}
			next++
		}
		wg.Wait()
		require.True(t, q.Idle())
	})
}

// TestCase_H4_PooledNodes: nodes that go round through a pool carry a stamp of who has them: no node has two owners at a time.
func TestCase_H4_PooledNodes(t *testing.T) {
	guard(t)
	const producers = 16
	operations := 200_000
	if raceEnabled || testing.Short() {
		operations = 40_000
	}
	if *stressFor > 0 {
		operations = 10_000_000
	}
	const inPool, inQueue = 0, 1
	type request struct {
		_     int32 // a node may stand anywhere
		node  taskwork.Node[*request]
		owner atomic.Uint32 // inPool, inQueue, or 2 and up: a producer
	}
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[*request]) {
		var (
			q    = newQueue()
			pool = sync.Pool{New: func() any { return new(request) }}
			wg   sync.WaitGroup
			two  atomic.Uint32 // times that a node had another owner than it should have
			got  int
		)
		pass := func(r *request, from, to uint32) {
			if !r.owner.CompareAndSwap(from, to) {
				two.Add(1)
			}
		}
		run := func() {
			taskwork.Run(q, 0, func(r *request) {
				got++
				pass(r, inQueue, inPool)
				pool.Put(r)
			})
		}
		for p := range uint32(producers) {
			wg.Go(func() {
				var c taskwork.Chain[*request]
				publish := func(wake bool) {
					if wake {
						wg.Go(run)
					}
				}
				for i := range operations / producers {
					r := pool.Get().(*request)
					pass(r, inPool, 2+p)
					r.node.Value = r
					pass(r, 2+p, inQueue)
					if i%8 < 4 {
						publish(q.PushNode(&r.node))
					} else if c.Append(&r.node); i%8 == 7 {
						publish(q.PushChain(&c))
					}
				}
				publish(q.PushChain(&c))
			})
		}
		wg.Wait()
		require.Zero(t, two.Load(), "nodes with two owners")
		require.Equal(t, operations/producers*producers, got)
	})
}
