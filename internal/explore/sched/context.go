package sched

import (
	"context"
	"time"
)

// Context is a context whose operations are instrumented.
type Context struct {
	x    *Exec
	done chan struct{}
	recv <-chan struct{} // the same channel, as waiters know it
}

// Context makes a context and the function that cancels it.
//
//go:norace
func (x *Exec) Context() (ctx context.Context, cancel func()) {
	if x.ndones == len(x.dones) {
		panic("taskwork: explore: too many contexts")
	}
	c := &Context{x: x, done: make(chan struct{})}
	c.recv = c.done
	x.dones[x.ndones] = c.recv
	x.ndones++
	return c, c.cancel
}

func (c *Context) cancel() {
	closed := Closed(c.recv)
	t := EnterGate(c.recv, Cancel, closed)
	closed = Closed(c.recv)
	if !closed {
		close(c.done)
	}
	if t != nil {
		t.LeaveGate(Set, !closed, true)
	}
}

// Deadline is never known.
func (c *Context) Deadline() (at time.Time, ok bool) { return time.Time{}, false }

// Value is never set.
func (c *Context) Value(any) any { return nil }

// Done counts as a look at the channel: a select without a default would block for real, one with a default comes right after.
func (c *Context) Done() <-chan struct{} {
	c.look(Done)
	return c.recv
}

// Err tells whether the context has been canceled.
func (c *Context) Err() error {
	c.look(Err)
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

func (c *Context) look(op Op) {
	if t := EnterGate(c.recv, op, Closed(c.recv)); t != nil {
		t.LeaveGate(Read, false, Closed(c.recv))
	}
}

// Closed tells whether a channel on which nothing is ever sent is closed, without learning what happened before the close.
//
//go:norace
func Closed(done <-chan struct{}) bool {
	raceDisable()
	defer raceEnable()
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// KnownDone tells whether the explorer sees the channel being closed.
//
//go:norace
func KnownDone(done <-chan struct{}) bool {
	t := current
	if t == nil {
		return false
	}
	for _, d := range t.x.dones[:t.x.ndones] {
		if d == done {
			return true
		}
	}
	return false
}

// FailHere ends the execution of the running thread as failed.
//
//go:norace
func FailHere(kind, message string) {
	if t := current; t != nil {
		t.x.Fail(kind, message)
	}
}

// Quietly calls f so that the race detector learns nothing about order from it.
func Quietly[T any](f func() T) T {
	raceDisable()
	defer raceEnable()
	return f()
}
