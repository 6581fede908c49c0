package peers

import (
	"github.com/puzpuzpuz/xsync/v4"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

func umpsc() subject {
	return subject{
		Name:      "xsync.UMPSCQueue",
		Blocks:    "producers do not wait; the consumer sleeps on a sync.WaitGroup in each slot",
		Allocates: "a segment of 4096 slots (98 KB) every 4096 entries, recycled through a sync.Pool",
		File:      "bench/internal/peers/xsync.go",
		New: func(set setup) *instance {
			// It has no way to ask whether anything is there, so it cannot be polled. Where nobody waits, it does not matter.
			if set.Policy == measure.Run || set.Chunk > 1 || set.Policy == measure.Poll && set.Kind == measure.Flow {
				return nil
			}
			q := xsync.NewUMPSCQueue[entry]()
			inst := &instance{
				Push: func(_ int, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						q.Enqueue(e)
					}
				},
				Consume: func(s *sink) {
					for !s.Done() {
						s.Take(q.Dequeue())
					}
				},
				Pair: func(s *sink, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						q.Enqueue(e)
						s.Take(q.Dequeue())
					}
				},
			}
			return inst
		},
	}
}

func mpmc() subject {
	return subject{
		Name:      "xsync.MPMCQueue",
		Blocks:    "not at all: bounded, and calls fail; here both sides yield and try again",
		Allocates: "nothing",
		File:      "bench/internal/peers/xsync.go",
		New: func(set setup) *instance {
			if set.Policy != measure.Poll || set.Kind == measure.Fill || set.Chunk > 1 {
				return nil
			}
			q := xsync.NewMPMCQueue[entry](Capacity)
			return &instance{
				Push:    each(q.TryEnqueue),
				Consume: poll(q.TryDequeue),
				Pair:    pair(func(e entry) { q.TryEnqueue(e) }, q.TryDequeue),
			}
		},
	}
}
