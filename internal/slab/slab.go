// Package slab hands out nodes for values that are pushed without one.
//
// An allocation for each push costs more than the push. So nodes are allocated many at a time, as a slab, and handed out one
// after the other, each once:
//
//	            used: 5
//	              ▼
//	┌─┬─┬─┬─┬─┬─┬─┬─┬─┬─┬ … ┐
//	│●│●│●│●│●│ │ │ │ │ │   │    a producer takes the next one by an atomic increment
//	└─┴─┴─┴─┴─┴─┴─┴─┴─┴─┴ … ┘
//
// If all producers took from one slab, they would fight over its counter, and over the cache lines that hold nodes of two of
// them. So there are many slabs in use, and a goroutine picks one by the address of its stack, which it shares with nobody.
// Two may pick the same, or one another one than before: that costs time and nothing else.
//
// # Why not recycle
//
// A node becomes free on the consumer's processor and is wanted on a producer's. To bring it back costs more than to allocate
// it as one of a hundred: sync.Pool was slower than the allocator when it pooled nodes, and no faster when it pooled slabs.
//
// # What stays in memory
//
// A slab stays until nothing refers to any of its nodes. Values that were handed out are not in it any more. Slabs are shared
// by all queues of a type, so that a queue without work costs nothing; so an entry that waits in a queue may keep a slab of
// two kilobytes alive, and if a queue was dropped with entries in it, these may live as long as a neighbour. What is handed
// out from is let go with every garbage collection, so nothing is kept when all is quiet.
package slab

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/node"
)

const (
	// shards is how many slabs are in use at a time, at most, for one type of value.
	shards = 1 << shardBits

	shardBits = 6
	// slabBytes is the size of a slab: that of an allocation, less the word that the runtime puts in front of one this large.
	slabBytes = 2048 - 8
	// minNodes is how many nodes a slab must hold to be worth it. Larger nodes are allocated singly.
	minNodes = 16
	// stackShift takes away those bits of an address in which the frames of one goroutine differ: stacks have at least 2 KB.
	stackShift = 11
)

// Source is where a queue gets nodes from. The zero Source is ready. It is a pointer to what all queues of the type share,
// which it finds at the first Get; any goroutine may store it.
type Source[T any] struct {
	shared atomic.Pointer[shared[T]]
}

// shared are the slabs in use for one type of value.
type shared[T any] [shards]shard[T]

// shard is one place for a slab in use.
type shard[T any] struct {
	// slab is what is handed out from, or nil. A producer that finds it used up stores a new one, and sweep stores nil. If two
	// do so at a time, a slab is lost with what was left of it.
	slab atomic.Pointer[slab[T]]
	_    [56]byte // each on a line of its own
}

// slab is a number of nodes. The first was taken by the producer that has allocated it.
type slab[T any] struct {
	nodes []node.Node[T]
	// used counts how often a node was asked for after the first; from len(nodes)-1 on in vain.
	used atomic.Uint32
	_    [64 - 28]byte
}

// Get returns a free node that nobody else has. Any goroutine may call it.
func (s *Source[T]) Get() *node.Node[T] {
	all := s.shared.Load()
	if all == nil {
		if all = find[T](); all == nil {
			return new(node.Node[T])
		}
		s.shared.Store(all)
	}
	return all[uint32(node.Here()>>stackShift)*2654435769>>(32-shardBits)].get()
}

// get is Get from the slab at this place.
func (p *shard[T]) get() *node.Node[T] {
	if b := p.slab.Load(); b != nil {
		// It cannot wrap round: everybody who comes too late comes once, and replaces the slab.
		if i := b.used.Add(1); i < uint32(len(b.nodes)) {
			return &b.nodes[i]
		}
	}
	return p.renew()
}

// renew puts a new slab in place and returns its first node.
func (p *shard[T]) renew() *node.Node[T] {
	b := &slab[T]{nodes: make([]node.Node[T], perSlab[T]())}
	p.slab.Store(b)
	sweepLater()
	return &b.nodes[0]
}

// perSlab returns how many nodes a slab holds.
func perSlab[T any]() int { return slabBytes / int(node.Size[node.Node[T]]()) }

// sweep lets go of all slabs.
func (all *shared[T]) sweep() {
	for i := range all {
		if all[i].slab.Load() != nil {
			all[i].slab.Store(nil)
		}
	}
}

var (
	// types holds the *shared[T] of each T, by its type. mu guards it.
	types = map[reflect.Type]interface{ sweep() }{}
	mu    sync.Mutex

	// armed says that the next garbage collection will call sweepAll.
	armed atomic.Bool
)

// find returns what the queues of the type share, or nil if its nodes are too large for slabs.
func find[T any]() *shared[T] {
	if perSlab[T]() < minNodes {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	t := reflect.TypeFor[T]()
	if all, ok := types[t]; ok {
		return all.(*shared[T])
	}
	all := new(shared[T])
	types[t] = all
	return all
}

// sweepLater sees to it that the next garbage collection calls sweepAll.
func sweepLater() {
	if !armed.Load() && armed.CompareAndSwap(false, true) {
		// The pointer keeps it out of the blocks in which the runtime puts tiny objects together.
		type canary struct{ _ *byte }
		runtime.AddCleanup(new(canary), func(struct{}) { sweepAll() }, struct{}{})
	}
}

func sweepAll() {
	armed.Store(false)
	mu.Lock()
	defer mu.Unlock()
	for _, all := range types {
		all.sweep()
	}
}
