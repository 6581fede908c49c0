package sync

import (
	"sync"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// Cond is the twin of sync.Cond. Under exploration waiters queue in order, as in the real one; each waits at a gate of its own.
type Cond struct {
	L Locker

	once    sync.Once
	real    *sync.Cond
	mu      sync.Mutex
	waiters []*ticket
}

// ticket is what one waiter waits for: it is closed by the Signal or Broadcast that wakes the waiter.
type ticket struct{ woken chan struct{} }

// NewCond returns a Cond with the lock l.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

func (c *Cond) plain() *sync.Cond {
	c.once.Do(func() { c.real = sync.NewCond(c.L) })
	return c.real
}

// Wait gives the lock back, waits to be woken and takes the lock again.
func (c *Cond) Wait() {
	if !sched.Exploring() {
		c.plain().Wait()
		return
	}
	t := sched.Enter(c, sched.Put)
	if t == nil {
		sched.Stuck("Wait")
		return
	}
	k := &ticket{make(chan struct{})}
	c.queue(func() { c.waiters = append(c.waiters, k) })
	t.Leave(sched.Write, true)
	c.L.Unlock()
	if t := sched.EnterGate(k, sched.Wait, sched.Closed(k.woken)); t != nil {
		<-k.woken
		t.LeaveGate(sched.Read, false, true)
	}
	c.L.Lock()
}

// Signal wakes the waiter that has waited longest.
func (c *Cond) Signal() { c.wake(1) }

// Broadcast wakes all waiters.
func (c *Cond) Broadcast() { c.wake(-1) }

// wake opens gates one by one: the explorer has one object to an operation. That a waiter may run between two of them is what a
// real Broadcast permits too.
func (c *Cond) wake(n int) {
	if !sched.Exploring() {
		if n == 1 {
			c.plain().Signal()
		} else {
			c.plain().Broadcast()
		}
		return
	}
	t := sched.Enter(c, sched.Get)
	var woken []*ticket
	c.queue(func() {
		if n < 0 || n > len(c.waiters) {
			n = len(c.waiters)
		}
		woken = c.waiters[:n:n]
		c.waiters = c.waiters[n:]
	})
	if t != nil {
		t.Leave(sched.Write, true)
	}
	for _, k := range woken {
		t := sched.EnterGate(k, sched.Unpark, false)
		close(k.woken)
		if t != nil {
			t.LeaveGate(sched.Set, true, true)
		}
	}
}

// queue touches the list of waiters. Its lock makes a little more order than a real Cond promises.
func (c *Cond) queue(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}
