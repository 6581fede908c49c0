package peers

import (
	"github.com/Workiva/go-datastructures/queue"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

func workivaRing() subject {
	return subject{
		Name:      "Workiva RingBuffer",
		Blocks:    "both sides yield in a loop until there is room, or something to take",
		Allocates: "the entry, which has to become an interface",
		File:      "bench/internal/peers/workiva.go",
		New: func(set setup) *instance {
			if set.Policy != measure.Poll || set.Kind == measure.Fill || set.Chunk > 1 {
				return nil
			}
			q := queue.NewRingBuffer(Capacity)
			pop := func() (entry, bool) {
				// Get does not return without an entry, so a consumer that has to be able to give up looks first.
				if q.Len() == 0 {
					return 0, false
				}
				e, err := q.Get()
				return e.(entry), err == nil
			}
			push := func(e entry) {
				must(q.Put(e))
			}
			return &instance{
				Push: func(_ int, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						push(e)
					}
				},
				Consume: poll(pop),
				Pair:    pair(push, pop),
			}
		},
	}
}

func workivaQueue() subject {
	return subject{
		Name:      "Workiva Queue",
		Blocks:    "producers wait for a mutex; the consumer sleeps on a sync.WaitGroup",
		Allocates: "the entry, which has to become an interface, a slice for the call, and one for what is taken",
		File:      "bench/internal/peers/workiva.go",
		New: func(set setup) *instance {
			if set.Policy == measure.Run {
				return nil
			}
			q := queue.New(0)
			take := func(s *sink, upTo int64) {
				es, err := q.Get(upTo)
				must(err)
				for _, e := range es {
					s.Take(e.(entry))
				}
			}
			return &instance{
				Push: func(_ int, first entry, n int) {
					if set.Chunk == 1 {
						for e := first; e < first+entry(n); e++ {
							must(q.Put(e))
						}
						return
					}
					chunk := make([]any, 0, set.Chunk)
					for e := first; e < first+entry(n); e++ {
						if chunk = append(chunk, e); len(chunk) == set.Chunk {
							must(q.Put(chunk...))
							chunk = chunk[:0]
						}
					}
				},
				Consume: func(s *sink) {
					for !s.Done() {
						if set.Policy == measure.Poll && q.Empty() {
							if s.Dry() {
								return
							}
							continue
						}
						take(s, takeUpTo)
					}
				},
				Pair: func(s *sink, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						must(q.Put(e))
						take(s, takeUpTo)
					}
				},
			}
		},
	}
}

// takeUpTo is how many entries one Get may return; it allocates room for as many.
const takeUpTo = 64

// must is for errors that only a queue which was disposed of returns.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
