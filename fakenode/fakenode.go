// Package fakenode is a queue over one compare-and-swapped word, with a fake node in it that says "somebody is on it".
//
// It is the batching loop that io_uring's task work gained in 2022, on the list of package llist. Producers put entries onto a
// last-in first-out list. The consumer takes the whole list by exchanging its head with the fake, turns it around, hands it out,
// and looks again; only when it finds nothing but the fake does it take the fake off. So the one word tells everything:
//
//	head
//	 nil                         at rest
//	 &fake                       active, nothing new
//	 C → B → A                   active: woken by A, not looked yet
//	 C → B → A → &fake           active: A, B, C came after the last look
//
//	             push: wake                      refill (exchange with &fake)
//	┌─────────┐ ────────────▶ ┌────────────────┐ ───────────▶ ┌───────────────┐
//	│ at rest │               │ active, queued │              │ active, empty │
//	│  (nil)  │               │     (node)     │ ◀─────────── │    (&fake)    │
//	└─────────┘               └────────────────┘     push     └───────────────┘
//	     ▲                                                            │
//	     └────────────────────────────────────────────────────────────┘
//	                 Idle (compare-and-swap &fake → nil)
//
// A push is a load and a compare-and-swap, and the latter's old value is the answer: wake exactly if it was nil. There is no
// window between publishing an entry and learning the state, because they are the same atomic operation. Pushes that come
// while a run is on find the fake or a node, and wake nobody: one wake serves a burst.
//
// # The batch
//
// What one exchange took belongs to the consumer alone: [Queue.Pop] walks it without an atomic operation, and a capped run
// leaves the rest of it there. Emptiness therefore has two sides, the batch and the head, and [Queue.Idle] and [Queue.Empty]
// look at both. The list comes newest first; turning it around costs a pass over nodes that the consumer is about to touch
// anyway. A refill is as long as the list that it finds, so a producer that outruns the consumer makes the pass long, too.
//
// # What it costs
//
// A push touches one remote cache line, the head, and is lock-free: a compare-and-swap that fails means that another push came
// first. It is the fastest of the linked queues under contention, since the consumer comes to the head once a batch. Under many
// producers a single push has no upper bound; package mpscq has one.
package fakenode

import (
	"github.com/taskwork/taskwork/internal/backoff"
	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/internal/pad"
	"github.com/taskwork/taskwork/internal/slab"
	"github.com/taskwork/taskwork/llist"
)

// Queue is a multi-producer, single-consumer queue with the contract of taskwork.NodeQueue, first in, first out. The zero Queue
// is at rest and ready. It must not be copied after first use. It takes 320 bytes while a value takes no more than a word.
type Queue[T any] struct {
	// list's head holds the state as in the package comment. Producers add; the consumer swaps.
	list llist.List[T]
	// fake is never written: it lends its address. It must have one of its own, so it lies inside the struct.
	fake node.Node[T]
	_    [pad.Line - 16]byte

	// batch is the oldest entry not yet handed out of what the last exchange took, or nil. It belongs to the active consumer,
	// which is handed over by Idle and wake.
	batch *node.Node[T]
	// looks is what the consumer remembers of its looks at the head. It belongs to the active consumer, too.
	looks backoff.Looker
	_     [pad.Line - 40]byte

	// slabs is where Push gets nodes from. It is written once and then read by all producers, so it has a line of its own.
	slabs slab.Source[T]
	_     [56]byte
}

// Push queues v and tells whether its caller must run the consumer. Any goroutine may call it. It is lock-free, apart from an
// allocation for every hundred or so nodes (for each node if values are larger than a hundred bytes).
func (q *Queue[T]) Push(v T) (wake bool) {
	n := q.slabs.Get()
	n.Value = v
	return q.list.Add(n)
}

// PushAll queues all values in order with one publication and one allocation. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushAll(vs []T) (wake bool) {
	if len(vs) == 0 {
		return false
	}
	return q.list.AddBatch(node.OfNewest(vs))
}

// PushNode queues n, which must be free, without allocating. Any goroutine may call it. It is lock-free.
func (q *Queue[T]) PushNode(n *node.Node[T]) (wake bool) {
	node.CheckFree(n)
	return q.list.Add(n)
}

// PushChain empties c into the queue in order, with one publication. Any goroutine may call it. It is lock-free.
func (q *Queue[T]) PushChain(c *node.Chain[T]) (wake bool) {
	return q.list.AddChain(c)
}

// Pop hands out the oldest entry. Only the active consumer may call it; false means that nothing can be handed out now. It is
// wait-free where the CPU has an atomic exchange, but for the pass that turns a new batch around.
func (q *Queue[T]) Pop() (v T, ok bool) {
	n := q.batch
	if n == nil {
		if n = q.refill(); n == nil {
			return v, false
		}
	}
	if node.Get(n) == nil {
		// A queued node's link is never nil: somebody else has handed it out.
		panic("taskwork: concurrent consumer")
	}
	q.batch = node.Next(n)
	q.looks.Brought++
	return node.Take(n), true
}

// refill takes what has come since the last look, oldest first, or returns nil.
func (q *Queue[T]) refill() *node.Node[T] {
	q.looks.Look()
	// The look before the exchange leaves the word to the producers if there is nothing to take, and the queue alone if it is
	// at rest.
	if head := q.list.First(); head == nil || head == &q.fake {
		return nil
	}
	return node.Reverse(q.list.Swap(&q.fake), &q.fake)
}

// Idle puts the queue to rest, which ends the duty of the active consumer, unless there is something left to do. Only the
// active consumer may call it. It panics if the queue is at rest.
func (q *Queue[T]) Idle() bool {
	if q.batch != nil {
		return false
	}
	q.looks.Rest()
	if q.list.CompareAndSwap(&q.fake, nil) {
		return true
	}
	if q.list.Empty() {
		panic("taskwork: queue is at rest")
	}
	return false
}

// Empty tells whether nothing is queued. Only the active consumer may call it.
func (q *Queue[T]) Empty() bool {
	if q.batch != nil {
		return false
	}
	head := q.list.First()
	return head == nil || head == &q.fake
}

// Resting tells whether the queue is at rest: a snapshot that any goroutine may take.
func (q *Queue[T]) Resting() bool {
	return q.list.Empty()
}
