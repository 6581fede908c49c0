// Package spinlist is a queue under a spinlock, with a flag that says whether a consumer is on it.
//
// It is the first form of io_uring's task work, from before 2022: the yardstick for the lock-free ones, and the easiest to
// convince oneself of. Lists and flag are only touched under the lock, so a push sees the state as it appends:
//
//	push    lock; append; wake = !running; running = true; unlock
//	refill  lock; take the whole list; unlock
//	Idle    lock; if the list is empty: running = false; unlock
//
// The consumer holds the lock only to take the whole list, and hands it out without: a burst costs it one lock, not one an
// entry, and a handler never runs under the lock.
//
// There is a second list, for urgent entries. A refill takes both and puts the urgent one in front. What the consumer has
// taken already is not overtaken. The kernel had such a priority list too and dropped it: it was easy to get wrong and gained
// little. It is kept here for programs that know that they need it.
//
// # What it costs
//
// A producer waits for whoever holds the lock, and for a holder that lost its processor, at worst a scheduler's slice; packages
// fakenode and mpscq were made to get rid of that. With one producer, or few pushes, there is little between the three.
package spinlist

import (
	"github.com/taskwork/taskwork/internal/backoff"
	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/internal/pad"
	"github.com/taskwork/taskwork/internal/slab"
	"github.com/taskwork/taskwork/internal/spin"
)

// Queue is a multi-producer, single-consumer queue with the contract of taskwork.NodeQueue, first in, first out but for urgent
// entries. The zero Queue is at rest and ready. It must not be copied after first use. It takes 320 bytes.
type Queue[T any] struct {
	// mu guards the fields down to the padding.
	mu spin.Lock
	// running is true while the queue is active: set by the push that wakes, cleared by Idle.
	running bool
	// normal and urgent are what has been pushed since the last refill.
	normal, urgent list[T]
	_              [pad.Line - 40]byte

	// batch is the oldest entry not yet handed out of what the last refill took, or nil. It belongs to the active consumer,
	// which is handed over by Idle and wake.
	batch *node.Node[T]
	// looks is what the consumer remembers of its looks at the lists. It belongs to the active consumer, too.
	looks backoff.Looker
	_     [pad.Line - 32]byte

	// slabs is where Push gets nodes from. It is written once and then read by all producers, so it has a line of its own.
	slabs slab.Source[T]
	_     [56]byte
}

// list is a chain of nodes, oldest first, or two nils. last carries the end mark.
type list[T any] struct {
	first, last *node.Node[T]
}

// append puts the chain from first to last, which carries the end mark, behind l.
func (l *list[T]) append(first, last *node.Node[T]) {
	if l.first == nil {
		l.first = first
	} else {
		node.Set(l.last, first)
	}
	l.last = last
}

// Push queues v and tells whether its caller must run the consumer. Any goroutine may call it. It blocks while another goroutine
// holds the lock.
func (q *Queue[T]) Push(v T) (wake bool) {
	n := q.slabs.Get()
	n.Value = v
	node.Set(n, n)
	return q.publish(&q.normal, n, n)
}

// PushUrgent is [Queue.Push] for an entry that goes before all that the consumer has not taken yet, behind earlier urgent ones.
func (q *Queue[T]) PushUrgent(v T) (wake bool) {
	n := q.slabs.Get()
	n.Value = v
	node.Set(n, n)
	return q.publish(&q.urgent, n, n)
}

// PushAll queues all values in order with one lock and one allocation. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushAll(vs []T) (wake bool) {
	if len(vs) == 0 {
		return false
	}
	first, last := node.Of(vs)
	return q.publish(&q.normal, first, last)
}

// PushNode queues n, which must be free, without allocating. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushNode(n *node.Node[T]) (wake bool) {
	node.CheckFree(n)
	node.Set(n, n)
	return q.publish(&q.normal, n, n)
}

// PushUrgentNode is [Queue.PushUrgent] for a node, which must be free, without allocating.
func (q *Queue[T]) PushUrgentNode(n *node.Node[T]) (wake bool) {
	node.CheckFree(n)
	node.Set(n, n)
	return q.publish(&q.urgent, n, n)
}

// PushChain empties c into the queue in order, with one lock. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushChain(c *node.Chain[T]) (wake bool) {
	first, last := node.Cut(c)
	if first == nil {
		return false
	}
	return q.publish(&q.normal, first, last)
}

// publish appends the chain from first to last to l, one of q's lists.
func (q *Queue[T]) publish(l *list[T], first, last *node.Node[T]) (wake bool) {
	q.mu.Lock()
	l.append(first, last)
	wake = !q.running
	q.running = true
	q.mu.Unlock()
	return wake
}

// Pop hands out the next entry. Only the active consumer may call it; false means that the queue is empty.
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

// refill takes both lists, the urgent one in front, and returns the first entry, or nil.
func (q *Queue[T]) refill() *node.Node[T] {
	q.looks.Look()
	q.mu.Lock()
	taken, normal := q.urgent, q.normal
	q.urgent, q.normal = list[T]{}, list[T]{}
	q.mu.Unlock()
	if normal.first != nil {
		taken.append(normal.first, normal.last)
	}
	return taken.first
}

// Idle puts the queue to rest, which ends the duty of the active consumer, unless something is queued. Only the active consumer
// may call it. It panics if the queue is at rest.
func (q *Queue[T]) Idle() bool {
	if q.batch != nil {
		return false
	}
	q.looks.Rest()
	q.mu.Lock()
	active := q.running
	idle := q.urgent.first == nil && q.normal.first == nil
	q.running = active && !idle
	q.mu.Unlock()
	if !active {
		panic("taskwork: queue is at rest")
	}
	return idle
}

// Empty tells whether nothing is queued. Only the active consumer may call it.
func (q *Queue[T]) Empty() bool {
	if q.batch != nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.urgent.first == nil && q.normal.first == nil
}

// Resting tells whether the queue is at rest: a snapshot that any goroutine may take.
func (q *Queue[T]) Resting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.running
}
