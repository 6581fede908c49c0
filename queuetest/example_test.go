package queuetest_test

import (
	"sync"
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/queuetest"
)

// bounded is a queue with the contract of taskwork.Queue whose producers wait while it is full.
type bounded[T any] struct {
	mu     sync.Mutex
	room   sync.Cond // signalled when an entry has left
	ring   []T
	head   int // where the oldest entry is
	n      int // entries queued
	active bool
}

func newBounded[T any](capacity int) *bounded[T] {
	q := &bounded[T]{ring: make([]T, capacity)}
	q.room.L = &q.mu
	return q
}

// put waits for room and adds v. The caller holds the lock.
func (q *bounded[T]) put(v T) (wake bool) {
	for q.n == len(q.ring) {
		q.room.Wait()
	}
	q.ring[(q.head+q.n)%len(q.ring)] = v
	q.n++
	wake = !q.active
	q.active = true
	return wake
}

func (q *bounded[T]) Push(v T) (wake bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.put(v)
}

// PushAll may wait half way. It has woken nobody by then if it was the one to find the queue at rest, so a slice must fit.
func (q *bounded[T]) PushAll(vs []T) (wake bool) {
	if len(vs) > len(q.ring) {
		panic("bounded: more entries than there can be room for")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, v := range vs {
		wake = q.put(v) || wake
	}
	return wake
}

func (q *bounded[T]) Pop() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		return v, false
	}
	var zero T
	v, q.ring[q.head] = q.ring[q.head], zero // keeps nothing that was handed out
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	q.room.Signal()
	return v, true
}

func (q *bounded[T]) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active {
		panic("bounded: queue is at rest")
	}
	q.active = q.n > 0
	return !q.active
}

func (q *bounded[T]) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n == 0
}

func (q *bounded[T]) Resting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.active
}

// A queue of your own with a bound. The suite has up to 8,192 entries queued, so this one is made large enough not to block.
func Example() {
	// In a test file of its own, this is func TestBounded.
	testBounded := func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return newBounded[int](8192) }, queuetest.TotalOrder())
	}
	_ = testBounded
}
