package peers

import (
	"sync"

	"github.com/gammazero/deque"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

// slices2 is the queue that one writes by hand: producers append to a slice under a mutex, the consumer swaps it for the empty
// one that it has just worked off.
type slices2 struct {
	mu      sync.Mutex
	filled  sync.Cond
	waiting bool
	in      []entry
	out     []entry // the consumer's, but for the swap
}

func (q *slices2) push(es ...entry) {
	q.mu.Lock()
	q.in = append(q.in, es...)
	wake := q.waiting
	q.mu.Unlock()
	if wake {
		q.filled.Signal()
	}
}

// take returns all that there is; if wait is set it sleeps while that is nothing. The result is good until the next take.
func (q *slices2) take(s *sink, wait bool) []entry {
	q.mu.Lock()
	for wait && len(q.in) == 0 {
		s.Pause()
		q.waiting = true
		q.filled.Wait()
		q.waiting = false
	}
	q.in, q.out = q.out[:0], q.in
	q.mu.Unlock()
	return q.out
}

func mutexSlices() subject {
	return subject{
		Name:      "mutex+slices",
		Blocks:    "producers wait for the mutex; the consumer sleeps on a sync.Cond",
		Allocates: "nothing, once the two slices have grown",
		File:      "bench/internal/peers/mutex.go",
		New: func(set setup) *instance {
			if set.Policy == measure.Run {
				return nil
			}
			q := new(slices2)
			q.filled.L = &q.mu
			wait := set.Policy == measure.Block
			return &instance{
				Push: func(_ int, first entry, n int) {
					if set.Chunk == 1 {
						for e := first; e < first+entry(n); e++ {
							q.push(e)
						}
						return
					}
					pushChunks(q.push, set.Chunk, first, n)
				},
				Consume: func(s *sink) {
					for !s.Done() {
						es := q.take(s, wait)
						s.TakeAll(es)
						if len(es) == 0 && s.Dry() {
							return
						}
					}
				},
				Pair: func(s *sink, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						q.push(e)
						s.TakeAll(q.take(s, wait))
					}
				},
			}
		},
	}
}

// pushChunks pushes n entries, chunk by chunk.
func pushChunks(push func(...entry), chunk int, first entry, n int) {
	es := make([]entry, 0, measure.AckEvery)
	for e := first; e < first+entry(n); e++ {
		if es = append(es, e); len(es) == chunk {
			push(es...)
			es = es[:0]
		}
	}
}

// mutexDeque is a growing ring under a mutex.
func mutexDeque() subject {
	return subject{
		Name:      "mutex+deque (gammazero)",
		Blocks:    "producers wait for the mutex; the consumer sleeps on a sync.Cond",
		Allocates: "nothing, once the ring has grown",
		File:      "bench/internal/peers/mutex.go",
		New: func(set setup) *instance {
			if set.Policy == measure.Run || set.Chunk > 1 {
				return nil
			}
			var (
				mu      sync.Mutex
				filled  = sync.NewCond(&mu)
				waiting bool
				q       deque.Deque[entry]
			)
			push := func(e entry) {
				mu.Lock()
				q.PushBack(e)
				wake := waiting
				mu.Unlock()
				if wake {
					filled.Signal()
				}
			}
			pop := func() (e entry, ok bool) {
				mu.Lock()
				if q.Len() > 0 {
					e, ok = q.PopFront(), true
				}
				mu.Unlock()
				return e, ok
			}
			inst := &instance{
				Push: func(_ int, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						push(e)
					}
				},
				Consume: poll(pop),
				Pair:    pair(push, pop),
			}
			if set.Policy == measure.Block {
				inst.Consume = func(s *sink) {
					for !s.Done() {
						mu.Lock()
						for q.Len() == 0 {
							s.Pause()
							waiting = true
							filled.Wait()
							waiting = false
						}
						e := q.PopFront()
						mu.Unlock()
						s.Take(e)
					}
				}
			}
			return inst
		},
	}
}
