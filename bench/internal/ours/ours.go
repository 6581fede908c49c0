// Package ours lists the queues of the library for every command of bench. A new queue is one entry here.
package ours

import (
	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// Queue is one algorithm of the library.
type Queue[T any] struct {
	Name string
	New  func() taskwork.Queue[T]
}

// All returns every queue of the library, oldest generation first.
func All[T any]() []Queue[T] {
	return []Queue[T]{
		{"spinlist", func() taskwork.Queue[T] { return new(spinlist.Queue[T]) }},
		{"fakenode", func() taskwork.Queue[T] { return new(fakenode.Queue[T]) }},
		{"mpscq", func() taskwork.Queue[T] { return new(mpscq.Queue[T]) }},
	}
}

// Sender returns the fastest way for one goroutine to push values into q.
func Sender[T any](q taskwork.Queue[T]) (push func(T) (wake bool)) {
	return q.Push
}
