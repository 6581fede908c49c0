package slab

import (
	"sync"
	"testing"

	"github.com/taskwork/taskwork/internal/node"
)

// BenchmarkNode compares ways to get a node that is used once, in one goroutine and in as many as there are processors.
func BenchmarkNode(b *testing.B) {
	type bump struct{ left []node.Node[int] }
	var (
		source Source[int]
		slabs  = sync.Pool{New: func() any { return new(bump) }}
	)
	ways := []struct {
		name string
		get  func() *node.Node[int]
	}{
		{"new", func() *node.Node[int] { return new(node.Node[int]) }},
		{"slab", source.Get},
		{"pool of slabs", func() *node.Node[int] {
			s := slabs.Get().(*bump)
			if len(s.left) == 0 {
				s.left = make([]node.Node[int], perSlab[int]())
			}
			n := &s.left[0]
			s.left = s.left[1:]
			slabs.Put(s)
			return n
		}},
	}
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			var list node.Node[int] // keeps the last node, so that no way is optimized away
			for b.Loop() {
				node.Set(&list, way.get())
			}
		})
		b.Run(way.name+"/parallel", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				var list node.Node[int]
				for pb.Next() {
					node.Set(&list, way.get())
				}
			})
		})
	}
}
