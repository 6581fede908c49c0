package peers

import "github.com/taskwork/taskwork/bench/internal/measure"

// channel is the yardstick.
func channel() subject {
	return subject{
		Name:      "channel",
		Blocks:    "producers sleep while it is full, the consumer sleeps while it is empty",
		Allocates: "nothing",
		File:      "bench/internal/peers/channel.go",
		New: func(set setup) *instance {
			if set.Chunk > 1 || set.Policy == measure.Run {
				return nil
			}
			capacity := Capacity
			if set.Kind == measure.Fill {
				// The one exception to that capacity: a channel that nobody receives from has to have room for everything.
				capacity = max(capacity, set.Producers*set.Room)
			}
			ch := make(chan entry, capacity)
			inst := &instance{
				Push: func(_ int, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						ch <- e
					}
				},
				Consume: func(s *sink) {
					for !s.Done() {
						s.Take(<-ch)
					}
				},
				Pair: func(s *sink, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						ch <- e
						s.Take(<-ch)
					}
				},
			}
			if set.Policy == measure.Poll {
				inst.Consume = func(s *sink) {
					for !s.Done() {
						select {
						case e := <-ch:
							s.Take(e)
						default:
							if s.Dry() {
								return
							}
						}
					}
				}
			}
			return inst
		},
	}
}
