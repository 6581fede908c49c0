// Package mpscq is a first-in first-out queue in which a push is one atomic exchange and one store: no loop, no lock.
//
// It is the queue that io_uring's task work moved to in 2026, a descendant of Dmitry Vyukov's intrusive queue. Entries hang on
// a list by their links, oldest first. Producers meet at the tail, which always names the newest entry; what comes next is
// written into that entry's node by the producer that replaced it:
//
//  1. exchange the tail: P → C         2. store the link: B.next = C
//     tail                           tail                          tail
//     │                              │                             │
//     ▼                              ▼                             ▼
//     ┌───┐   ┌───┐         ┌───┐   ┌───┐     ┌───┐         ┌───┐   ┌───┐   ┌───┐
//     │ A │──▶│ B │         │ A │──▶│ B │  ?  │ C │         │ A │──▶│ B │──▶│ C │
//     └───┘   └───┘         └───┘   └───┘     └───┘         └───┘   └───┘   └───┘
//
// Between the two steps the entry is in the queue and cannot be reached. A consumer that comes to this gap finds nothing
// although the queue is not empty; it must come back, neither sleep for good nor spin: Pop says false and Idle says false.
//
// # Two ways to be empty
//
// The tail also holds the state of the queue:
//
//	tail
//	 nil         at rest
//	 &stub       active, and nothing pushed since the consumer last took what was there
//	 a node      active
//
// In the first two there is no predecessor, so the producer stores its link into the stub, a cell that belongs to the queue
// and carries no value. The exchange returned the state along with the predecessor: wake exactly if it was nil.
//
// # The splice
//
// The consumer takes everything at once, with one exchange for a whole burst. It reads the first entry from stub.next, clears
// that, and exchanges the tail with &stub: from here on producers build the next chain on the stub, and the consumer owns the
// nodes from the first to the one that it got from the tail:
//
//	stub.next ──▶ A ──▶ B ──▶ C ◀── tail            cursor ──▶ A ──▶ B ──▶ C ◀── last      tail ──▶ stub
//
// Only a link in the middle can still be missing, never the last entry's: nobody can find that one any more to link behind it.
// So a node is free as soon as its value is out. The cursor moves on plain memory, on a cache line of its own.
//
// Going to rest is one compare-and-swap, &stub → nil, which fails if anything was pushed: half a push is enough.
//
// # What it costs
//
// A push is wait-free where the CPU has an atomic exchange, apart from the allocation of a node. It touches two remote lines,
// the tail and the predecessor's node; package fakenode touches one and is faster in most programs. This one has no loop on the
// producer's side at all, no pass that turns a batch around, and a first entry that is available as soon as it is linked.
package mpscq

import (
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/backoff"
	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/internal/pad"
	"github.com/taskwork/taskwork/internal/slab"
)

// Queue is a multi-producer, single-consumer queue with the contract of taskwork.NodeQueue, first in, first out. The zero Queue
// is at rest and ready. It must not be copied after first use. It takes 320 bytes while a value takes no more than a word.
type Queue[T any] struct {
	// tail is the newest entry, &stub, or nil: see the package comment. Producers exchange it for their node, the consumer for
	// &stub or, when it goes to rest, nil.
	tail atomic.Pointer[node.Node[T]]
	// stub's link is the oldest entry of the chain that producers are building, or nil. The producer that exchanged nil or
	// &stub out of the tail stores it; the consumer clears it before it exchanges the tail. It shares the tail's line: who
	// gets to write it has just taken that line. The stub carries no value, and its address is the mark.
	stub node.Node[T]
	_    [pad.Line - 16]byte

	// cursor is the oldest entry of the spliced chain that is not handed out yet, or nil; last is where that chain ends, and
	// says nothing while cursor is nil. Both belong to the active consumer, which is handed over by Idle and wake.
	cursor, last *node.Node[T]
	// looks is what the consumer remembers of its looks at the chain. It belongs to the active consumer, too.
	looks backoff.Looker
	_     [pad.Line - 40]byte

	// slabs is where Push gets nodes from. It is written once and then read by all producers, so it has a line of its own.
	slabs slab.Source[T]
	_     [56]byte
}

// Push queues v and tells whether its caller must run the consumer. Any goroutine may call it. It is wait-free where the CPU
// has an atomic exchange, apart from an allocation for every hundred or so nodes (for each node if values are larger than a
// hundred bytes).
func (q *Queue[T]) Push(v T) (wake bool) {
	n := q.slabs.Get()
	n.Value = v
	node.Set(n, n)
	return q.publish(n, n)
}

// PushAll queues all values in order with one publication and one allocation. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushAll(vs []T) (wake bool) {
	if len(vs) == 0 {
		return false
	}
	return q.publish(node.Of(vs))
}

// PushNode queues n, which must be free, without allocating. Any goroutine may call it. It is wait-free where the CPU has an
// atomic exchange.
func (q *Queue[T]) PushNode(n *node.Node[T]) (wake bool) {
	node.CheckFree(n)
	node.Set(n, n)
	return q.publish(n, n)
}

// PushChain empties c into the queue in order, with one publication. Any goroutine may call it; see [Queue.PushNode].
func (q *Queue[T]) PushChain(c *node.Chain[T]) (wake bool) {
	first, last := node.Cut(c)
	if first == nil {
		return false
	}
	return q.publish(first, last)
}

// publish queues the chain from first to last, which the caller owns; last carries the end mark.
func (q *Queue[T]) publish(first, last *node.Node[T]) (wake bool) {
	prev := q.tail.Swap(last)
	q.link(prev, first)
	return prev == nil
}

// link is the second half of a push: it makes first reachable behind prev, which the exchange of the tail has returned.
func (q *Queue[T]) link(prev, first *node.Node[T]) {
	if prev == nil {
		prev = &q.stub
	}
	node.StoreNext(prev, first)
}

// Pop hands out the oldest entry. Only the active consumer may call it; false means that nothing can be handed out now: the
// queue is empty, or a producer is half way through its push. It is wait-free where the CPU has an atomic exchange.
func (q *Queue[T]) Pop() (v T, ok bool) {
	n := q.cursor
	if n == nil {
		if n = q.splice(); n == nil {
			return v, false
		}
	}
	if n == q.last {
		q.cursor, q.last = nil, nil
		q.looks.Brought++
		return node.Take(n), true
	}
	switch next := node.LoadNext(n); next {
	case n: // whoever exchanged n out of the tail has yet to store its link
		return v, false
	case nil: // a queued node's link is never nil: somebody else has handed it out
		panic("taskwork: concurrent consumer")
	default:
		q.cursor = next
		q.looks.Brought++
		return node.Take(n), true
	}
}

// splice takes what has been pushed since the last splice and makes its oldest entry the cursor, or returns nil.
func (q *Queue[T]) splice() *node.Node[T] {
	q.looks.Look()
	first := node.LoadNext(&q.stub)
	if first == nil {
		return nil
	}
	// Plainly: the producer that stored it is done with it, and the next one comes only after the exchange below.
	node.Set(&q.stub, nil)
	q.last = q.tail.Swap(&q.stub)
	q.cursor = first
	return first
}

// Idle puts the queue to rest, which ends the duty of the active consumer, unless something is queued or half pushed. Only the
// active consumer may call it. It panics if the queue is at rest.
func (q *Queue[T]) Idle() bool {
	if q.cursor != nil {
		return false
	}
	// The look before the compare-and-swap leaves the line to the producers where that would fail.
	switch q.tail.Load() {
	case nil:
		panic("taskwork: queue is at rest")
	case &q.stub:
		q.looks.Rest()
		return q.tail.CompareAndSwap(&q.stub, nil)
	default:
		return false
	}
}

// Empty tells whether nothing is queued or half pushed. Only the active consumer may call it.
func (q *Queue[T]) Empty() bool {
	if q.cursor != nil {
		return false
	}
	tail := q.tail.Load()
	return tail == nil || tail == &q.stub
}

// Resting tells whether the queue is at rest: a snapshot that any goroutine may take.
func (q *Queue[T]) Resting() bool {
	return q.tail.Load() == nil
}
