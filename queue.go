package taskwork

import (
	"errors"

	"github.com/taskwork/taskwork/internal/node"
)

// ErrClosed is what a push returns after Close: the entry was not taken. A receiver gets it when nothing will come any more.
var ErrClosed = errors.New("taskwork: closed")

// Queue is a multi-producer, single-consumer queue whose consumer is either at rest or active. The package comment states the
// contract; package queuetest checks it for any implementation.
type Queue[T any] interface {
	// Push queues v. It reports wake == true exactly when it found the queue at rest: the caller then owns the consumer side
	// and must run the consumer, or hand that duty to exactly one other goroutine. Any goroutine may call it.
	Push(v T) (wake bool)

	// PushAll queues all values in order, with one publication where the algorithm can. It reports wake as Push does. An empty
	// slice is no push: it has no effect and reports false. The slice is not kept. Any goroutine may call it.
	PushAll(vs []T) (wake bool)

	// Pop hands out the next entry. ok == false means that nothing can be handed out now: the queue is empty, or a producer is
	// half way through a push. That does not end the consumer's duty, only Idle does. The active consumer only; at rest Pop
	// returns false and changes nothing.
	Pop() (v T, ok bool)

	// Idle puts the queue to rest and returns true, or returns false because something is queued or half pushed. After true
	// the caller must not touch the consumer side: the next push may have started another consumer already. The active
	// consumer only; at rest Idle panics.
	Idle() bool

	// Empty is false while anything is queued, half pushed, or held back on the consumer's own side. The active consumer only;
	// at rest Empty is true.
	Empty() bool

	// Resting is true while the queue is at rest: whatever was pushed before the call has been handed out, and the consumer
	// that took it has finished. It is a snapshot; any goroutine may call it.
	Resting() bool
}

// NodeQueue is a Queue that also takes the caller's own nodes, without allocating.
type NodeQueue[T any] interface {
	Queue[T]

	// PushNode is Push for a node, which must be free: in no queue and no chain. It panics if it sees otherwise, which is
	// certain where one goroutine makes the mistake.
	PushNode(n *Node[T]) (wake bool)

	// PushChain is PushAll for a chain of nodes, which it leaves empty. An empty chain is no push: it reports false.
	PushChain(c *Chain[T]) (wake bool)
}

// Node carries one value through a NodeQueue; its one exported field is Value. The zero Node is ready to be pushed. It may be a
// field of a larger struct. While it is queued, neither the node nor its Value may be touched. Once its value has been handed
// out, Value is the zero value and the node may be pushed again at once.
type Node[T any] = node.Node[T]

// Chain is a sequence of nodes that is published with one operation. The zero Chain is empty; Append adds a free node at its end
// and Len counts them. One goroutine at a time; it must not be copied once it holds a node.
type Chain[T any] = node.Chain[T]
