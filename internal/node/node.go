// Package node holds the intrusive list cell that every linked queue of this module shares, and the chain of such cells.
//
// # The link
//
// One field, Node.next, is all that the algorithms fight over. Its states:
//
//	nil          free: in no queue and no chain; may be pushed
//	the node     queued, nothing after it (yet)
//	another      queued, that node comes next in the order of the list that owns it
//
// The self-link is the end mark. It makes the link of a queued node non-nil in every position, so that pushing a queued node
// a second time is found with one plain load ([CheckFree]), without a flag that would have to be kept. It also means that
// walking a list takes care to stop at it: see [Next].
//
// # Plain and atomic access
//
// A node that one goroutine owns (before it is published, or after the consumer took it) is read and written plainly: on amd64
// an atomic store costs as much as a read-modify-write, and plain access lets the race detector police the ownership. Only the
// exchange queue writes a link that another goroutine may be waiting to see; it uses [LoadNext] and [StoreNext]. Go has no
// typed field that can be accessed both ways, so these two use package unsafe. Nothing outside of this package does.
package node

import (
	"sync/atomic"
	"unsafe"
)

// Node carries one value through a queue without an allocation by the queue. The zero Node is ready to be pushed; it may be a
// field of a larger struct, at any offset. While it is queued, neither it nor its Value may be touched or copied. It is free
// again as soon as its value has been handed out, and may then be pushed again at once, into any queue.
type Node[T any] struct {
	// next belongs to whoever owns the node: its producer before the push, the queue while it is queued, nobody when free.
	// See the package comment for its states.
	next *Node[T]

	// Value is what the node carries. Popping moves it out and leaves the zero value.
	Value T
}

// Get returns n's link by a plain load. The caller owns n.
func Get[T any](n *Node[T]) *Node[T] { return n.next }

// Set sets n's link by a plain store. The caller owns n.
func Set[T any](n, next *Node[T]) { n.next = next }

// Next returns the node after n, or nil where n ends its list. The caller owns n.
func Next[T any](n *Node[T]) *Node[T] {
	if n.next == n {
		return nil
	}
	return n.next
}

// CheckFree panics if n is in a queue or chain. That is certain only where one goroutine does both pushes; otherwise the load
// races with the owner, which the race detector reports.
func CheckFree[T any](n *Node[T]) {
	if n.next != nil {
		panic("taskwork: node is already queued")
	}
}

// Take moves the value out of n, which the caller owns, and leaves it free. The caller has read the link before.
func Take[T any](n *Node[T]) T {
	v := n.Value
	var zero T
	n.Value = zero
	n.next = nil
	return v
}

// LoadNext returns n's link by an atomic load.
func LoadNext[T any](n *Node[T]) *Node[T] {
	return (*Node[T])(atomic.LoadPointer(link(n)))
}

// StoreNext sets n's link by an atomic store.
func StoreNext[T any](n, next *Node[T]) {
	atomic.StorePointer(link(n), unsafe.Pointer(next))
}

// link gives the pointer functions of sync/atomic their view of n.next. It is sound: the field is a pointer, so the garbage
// collector sees and keeps what it points to, and unsafe.Pointer has the size and alignment of every other pointer.
func link[T any](n *Node[T]) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Pointer(&n.next))
}

// Reverse turns the list that starts at n around, in place, and returns its new start. The list ends at its end mark, or
// before stop if a link leads there; the reversed list ends with the end mark. A nil n is an empty list. The caller owns it.
func Reverse[T any](n, stop *Node[T]) *Node[T] {
	if n == nil {
		return nil
	}
	reversed := n // its link, to itself, is what makes the first node the last
	for {
		next := n.next
		n.next = reversed
		reversed = n
		if next == n || next == stop {
			return reversed
		}
		n = next
	}
}
