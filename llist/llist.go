// Package llist is a lock-free last-in first-out list: one word, any number of producers, and everything taken at once.
//
//	 head                     Add(D)                          DelAll
//	  │                         │
//	  ▼                         ▼  compare-and-swap            exchange with nil: the caller owns C → B → A
//	┌───┐   ┌───┐   ┌───┐     ┌───┐   ┌───┐   ┌───┐   ┌───┐
//	│ C │──▶│ B │──▶│ A │     │ D │──▶│ C │──▶│ B │──▶│ A │   head: nil
//	└───┘   └───┘   └───┘     └───┘   └───┘   └───┘   └───┘
//
// It is the list on which io_uring's task work lived from 2022 on, and these are its primitives; package fakenode makes a queue
// of them. An Add touches one remote cache line, the head. It tells its caller whether the list was empty, which is all that a
// producer needs in order to know whether somebody has to be told.
//
// # Who may run beside whom
//
// "yes" needs no lock; "lock" means that the two callers must exclude each other, by one lock around both.
//
//	              Add*    DelAll, Swap   DelFirst*   Empty
//	Add*          yes     yes            yes         yes
//	DelAll, Swap  yes     yes            lock        yes
//	DelFirst*     yes     lock           lock        yes
//	Empty         yes     yes            yes         yes
//
// Add* stands for Add, AddBatch and AddChain; DelFirst* for DelFirst and DelFirstThis. CompareAndSwap stands with DelFirst* if
// its old node may have been removed and added again meanwhile, and with DelAll if it cannot have been.
//
// DelFirst is the delicate one: it reads the first node's link and then swaps the head from the node to what the link said. If
// that node is removed and added back in between, the head holds the same pointer again over a different list (the ABA
// problem), and the swap puts nodes back that have gone. A single consumer cannot do that to itself; a second one can, whether
// it calls DelFirst or DelAll. So "lock" holds in both directions: it is not enough that one of the two takes it.
//
// # Memory order
//
// An Add synchronizes before the DelAll, Swap or DelFirst that takes its node. Links are plain memory: until its Add a node
// belongs to the producer, and after its removal to whoever removed it. Adds are lock-free: a failed compare-and-swap means
// that another one succeeded. DelAll is wait-free where the CPU has an atomic exchange.
package llist

import (
	"iter"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/backoff"
	"github.com/taskwork/taskwork/internal/node"
)

// List is a last-in first-out list of nodes. The zero List is empty and ready. It must not be copied after first use.
//
// Unlike the queues, a List does not notice a node that is added while it is in a list.
type List[T any] struct {
	// head is the newest node, or nil. Everybody changes it, by compare-and-swap or exchange only.
	head atomic.Pointer[node.Node[T]]
}

// Add puts n first and tells whether the list was empty.
func (l *List[T]) Add(n *node.Node[T]) (wasEmpty bool) {
	return l.AddBatch(n, n)
}

// AddBatch puts a chain first, with one publication, and tells whether the list was empty. The chain leads from first, its
// newest node, to last by the links that DelAll returned them with. The link of last may be anything.
func (l *List[T]) AddBatch(first, last *node.Node[T]) (wasEmpty bool) {
	for {
		head := l.head.Load()
		if head == nil {
			node.Set(last, last)
		} else {
			node.Set(last, head)
		}
		if l.head.CompareAndSwap(head, first) {
			return head == nil
		}
		backoff.Lost()
	}
}

// AddChain empties c into the list with one publication, the node appended last coming first, and tells whether the list was
// empty. An empty chain changes nothing and reports false.
func (l *List[T]) AddChain(c *node.Chain[T]) (wasEmpty bool) {
	newest, oldest := node.CutNewest(c)
	return newest != nil && l.AddBatch(newest, oldest)
}

// DelAll takes the whole list and returns its newest node, or nil. Walk it with [Next] or [All].
func (l *List[T]) DelAll() *node.Node[T] {
	// An exchange owns the cache line even where it changes nothing; a load shares it with the producers.
	if l.head.Load() == nil {
		return nil
	}
	return l.head.Swap(nil)
}

// DelFirst removes the newest node and returns it, free to be added again, or nil. One consumer at a time.
func (l *List[T]) DelFirst() *node.Node[T] {
	for {
		n := l.head.Load()
		if n == nil {
			return nil
		}
		if l.head.CompareAndSwap(n, node.Next(n)) {
			node.Set(n, nil)
			return n
		}
	}
}

// DelFirstThis removes n if it is the newest node, leaves it free to be added again, and tells whether it was. One consumer at
// a time.
func (l *List[T]) DelFirstThis(n *node.Node[T]) bool {
	// Only a node that is in the list has a link that may be read.
	if l.head.Load() != n || !l.head.CompareAndSwap(n, node.Next(n)) {
		return false
	}
	node.Set(n, nil)
	return true
}

// Swap exchanges the head, links untouched: the caller owns what it returns, and n is the list now. If n is not nil, its link
// has to lead where the list is meant to go on.
func (l *List[T]) Swap(n *node.Node[T]) *node.Node[T] {
	return l.head.Swap(n)
}

// CompareAndSwap sets the head to new if it is old, links untouched.
func (l *List[T]) CompareAndSwap(old, new *node.Node[T]) bool {
	return l.head.CompareAndSwap(old, new)
}

// First returns the newest node, or nil, without taking it: its link and Value are not the caller's to read.
func (l *List[T]) First() *node.Node[T] {
	return l.head.Load()
}

// Empty tells whether the list is empty: a snapshot.
func (l *List[T]) Empty() bool {
	return l.head.Load() == nil
}

// Next returns the node after n in a chain that the caller owns, or nil at its end.
func Next[T any](n *node.Node[T]) *node.Node[T] {
	return node.Next(n)
}

// Reverse turns a chain that the caller owns around and returns its new first node. A nil n is an empty chain.
func Reverse[T any](n *node.Node[T]) *node.Node[T] {
	return node.Reverse(n, nil)
}

// All walks a chain that the caller owns. Each node's link is read and cleared before the node is yielded, so that the loop may
// add it again at once. After a break the nodes that were not yielded are lost to the caller, unless it kept them.
func All[T any](n *node.Node[T]) iter.Seq[*node.Node[T]] {
	return func(yield func(*node.Node[T]) bool) {
		for n != nil {
			next := node.Next(n)
			node.Set(n, nil)
			if !yield(n) {
				return
			}
			n = next
		}
	}
}
