// Package ours lists the queues of the library for every command of bench. A new queue is one entry here.
package ours

import (
	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// Queue is one algorithm of the library.
type Queue[T any] struct {
	Name string
	New  func() taskwork.Queue[T]
	// Allocates says what the push of a plain value allocates.
	Allocates string
}

// All returns every queue of the library, oldest generation first.
func All[T any]() []Queue[T] {
	const node = "a node"
	return []Queue[T]{
		{"spinlist", func() taskwork.Queue[T] { return new(spinlist.Queue[T]) }, node},
		{"fakenode", func() taskwork.Queue[T] { return new(fakenode.Queue[T]) }, node},
		{"mpscq", func() taskwork.Queue[T] { return new(mpscq.Queue[T]) }, node},
		{"lanes", func() taskwork.Queue[T] { return new(lanes.Queue[T]) }, "nothing in steady state: chunks go round"},
	}
}

// Names returns the names of all queues.
func Names() []string {
	var names []string
	for _, q := range All[int]() {
		names = append(names, q.Name)
	}
	return names
}

// Sender returns the fastest way for one goroutine to push values into q: a handle, where q has such.
func Sender[T any](q taskwork.Queue[T]) (push func(T) (wake bool)) {
	if q, ok := q.(*lanes.Queue[T]); ok {
		return q.Producer().Push
	}
	return q.Push
}
