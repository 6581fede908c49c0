package taskwork_test

import (
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/queuetest"
	"github.com/taskwork/taskwork/spinlist"
)

// The algorithm packages do not import this one; these lines hold them to its interfaces.
var (
	_ taskwork.NodeQueue[int] = (*spinlist.Queue[int])(nil)
	_ taskwork.NodeQueue[int] = (*fakenode.Queue[int])(nil)
	_ taskwork.NodeQueue[int] = (*mpscq.Queue[int])(nil)
	_ taskwork.Queue[int]     = (*lanes.Queue[int])(nil)
)

// queueOf is a row of the table of all queues.
type queueOf[T any] struct {
	name string
	new  func() taskwork.Queue[T]
	// total: one total order that agrees with real time. Otherwise order is each producer's, or handle's.
	total bool
	// halfPush: a push has two steps, and Pop may find nothing while one is between them, whatever is queued behind it.
	halfPush bool
}

// queues is the table of all queues, for values of any type. The tests of this package go through it.
func queues[T any]() []queueOf[T] {
	return []queueOf[T]{
		{name: "spinlist", total: true, new: func() taskwork.Queue[T] { return new(spinlist.Queue[T]) }},
		{name: "fakenode", total: true, new: func() taskwork.Queue[T] { return new(fakenode.Queue[T]) }},
		{name: "mpscq", total: true, halfPush: true, new: func() taskwork.Queue[T] { return new(mpscq.Queue[T]) }},
		{name: "lanes", new: func() taskwork.Queue[T] { return new(lanes.Queue[T]) }},
	}
}

// each runs a test for every queue.
func each[T any](t *testing.T, test func(t *testing.T, q queueOf[T])) {
	for _, q := range queues[T]() {
		t.Run(q.name, func(t *testing.T) { test(t, q) })
	}
}

// eachNode runs a test for every queue that takes nodes.
func eachNode[T any](t *testing.T, test func(t *testing.T, newQueue func() taskwork.NodeQueue[T])) {
	for _, q := range queues[T]() {
		if _, ok := q.new().(taskwork.NodeQueue[T]); ok {
			t.Run(q.name, func(t *testing.T) {
				test(t, func() taskwork.NodeQueue[T] { return q.new().(taskwork.NodeQueue[T]) })
			})
		}
	}
}

// TestContract is the suite that package queuetest offers to everybody.
func TestContract(t *testing.T) {
	each(t, func(t *testing.T, q queueOf[int]) {
		var opts []queuetest.Option
		if q.total {
			opts = append(opts, queuetest.TotalOrder())
		}
		queuetest.Run(t, q.new, opts...)
	})
}
