package sync

import (
	"sync"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// Pool is the twin of sync.Pool. Under exploration it is a stack that all threads share, the most hostile pool that the
// contract of the real one allows: what one thread puts back, the next one gets. It starts empty in every execution.
type Pool struct {
	New func() any

	real       sync.Pool
	mu         sync.Mutex
	generation uint64
	items      []any
}

// Get takes an item, or makes one.
func (p *Pool) Get() any {
	t := sched.Enter(p, sched.Get)
	var v any
	if sched.Exploring() {
		v = p.pop()
	} else {
		v = p.real.Get()
	}
	if t != nil {
		t.Leave(sched.Write, true)
	}
	if v == nil && p.New != nil {
		v = p.New()
	}
	return v
}

// Put gives an item back.
func (p *Pool) Put(v any) {
	if v == nil {
		return
	}
	t := sched.Enter(p, sched.Put)
	if !sched.Exploring() {
		p.real.Put(v)
		return
	}
	p.mu.Lock()
	p.renew()
	p.items = append(p.items, v)
	p.mu.Unlock()
	if t != nil {
		t.Leave(sched.Write, true)
	}
}

func (p *Pool) pop() (v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.renew()
	if n := len(p.items); n > 0 {
		v = p.items[n-1]
		p.items[n-1] = nil
		p.items = p.items[:n-1]
	}
	return v
}

func (p *Pool) renew() {
	if g := sched.Generation(); p.generation != g {
		p.generation = g
		p.items = nil
	}
}
