package sync

import (
	"sync"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// WaitGroup is the twin of sync.WaitGroup. Under exploration n counts, and orders what the real one orders.
type WaitGroup struct {
	wg sync.WaitGroup
	n  atomic.Int64
}

// Add adds delta to the counter.
func (g *WaitGroup) Add(delta int) {
	if !sched.Exploring() {
		g.wg.Add(delta)
		return
	}
	t := sched.EnterGate(g, sched.Add, sched.Quietly(g.n.Load) == 0)
	n := g.n.Add(int64(delta))
	if n < 0 {
		panic("sync: negative WaitGroup counter")
	}
	if t != nil {
		t.LeaveGate(sched.Write, delta != 0, n == 0)
		t.Values(n-int64(delta), n)
	}
}

// Done takes one off the counter.
func (g *WaitGroup) Done() { g.Add(-1) }

// Wait waits until the counter is zero.
func (g *WaitGroup) Wait() {
	if !sched.Exploring() {
		g.wg.Wait()
		return
	}
	t := sched.EnterGate(g, sched.Wait, sched.Quietly(g.n.Load) == 0)
	n := g.n.Load()
	if t != nil {
		t.LeaveGate(sched.Read, false, true)
	} else if n > 0 {
		sched.Stuck("Wait")
	}
}

// Go calls f in a new thread that the group waits for.
func (g *WaitGroup) Go(f func()) {
	if !sched.Exploring() {
		g.wg.Go(f)
		return
	}
	g.Add(1)
	sched.GoHere("go", func() {
		defer g.Done()
		f()
	})
}
