//go:build amd64 || arm64

package peers

import (
	"github.com/bytedance/gopkg/collection/lscq"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

// lscqQueue is written in assembly, for two kinds of processor.
func lscqQueue() []subject {
	return []subject{{
		Name:      "bytedance lscq",
		Blocks:    "not at all: unbounded, multi-consumer; here the consumer yields and tries again",
		Allocates: "a ring of 65536 slots (1 MB) when one is full or has been closed; recycled through a sync.Pool",
		File:      "bench/internal/peers/lscq.go",
		New: func(set setup) *instance {
			if set.Policy != measure.Poll || set.Chunk > 1 {
				return nil
			}
			q := lscq.NewUint64()
			return &instance{
				Push:    each(q.Enqueue),
				Consume: poll(q.Dequeue),
				Pair:    pair(func(e entry) { q.Enqueue(e) }, q.Dequeue),
			}
		},
	}}
}
