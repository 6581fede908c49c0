// Package atomic is the explorer's twin of sync/atomic: the same names, types, sizes and functions, and each operation is
// announced to the explorer before the real one is performed.
//
//	x.CompareAndSwap(old, new)
//	    │ sched.Enter(x, CAS)     the scheduler may run other threads here, and only here
//	    │ real.CompareAndSwap     so the race detector sees the edge that production code would make
//	    ▼ Leave(Read or Write)    a failed swap was a read
//
// Outside of an exploration, Enter returns nil and the real operation is all that happens. The overlay build of
// internal/explore/cmd/explore puts this package in the place of sync/atomic; nothing else should import it but tests of the
// explorer itself.
package atomic

import "github.com/taskwork/taskwork/internal/explore/sched"

// cell is a variable with the operations that every atomic type has.
type cell[T comparable] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(before, after T) bool
}

// number is a cell with arithmetic.
type number[T comparable] interface {
	cell[T]
	Add(T) T
	And(T) T
	Or(T) T
}

func load[T comparable, C cell[T]](addr any, c C) T {
	t := sched.Enter(addr, sched.Load)
	v := c.Load()
	if t != nil {
		t.Leave(sched.Read, false)
		if t.Tracing() {
			t.Values(v, v)
		}
	}
	return v
}

func store[T comparable, C cell[T]](addr any, c C, v T) {
	t := sched.Enter(addr, sched.Store)
	if t == nil {
		c.Store(v)
		return
	}
	before := sched.Quietly(c.Load)
	c.Store(v)
	wrote(t, before, v)
}

func swap[T comparable, C cell[T]](addr any, c C, v T) T {
	t := sched.Enter(addr, sched.Swap)
	before := c.Swap(v)
	if t != nil {
		wrote(t, before, v)
	}
	return before
}

func compareAndSwap[T comparable, C cell[T]](addr any, c C, before, after T) bool {
	t := sched.Enter(addr, sched.CAS)
	ok := c.CompareAndSwap(before, after)
	switch {
	case t == nil:
	case ok:
		wrote(t, before, after)
	default:
		t.Leave(sched.Read, false)
		if t.Tracing() {
			v := sched.Quietly(c.Load)
			t.Values(v, v)
		}
	}
	return ok
}

func add[T comparable, C number[T]](addr any, c C, delta T) T {
	t := sched.Enter(addr, sched.Add)
	if t == nil {
		return c.Add(delta)
	}
	before := sched.Quietly(c.Load)
	after := c.Add(delta)
	wrote(t, before, after)
	return after
}

func and[T comparable, C number[T]](addr any, c C, mask T) T {
	t := sched.Enter(addr, sched.And)
	before := c.And(mask)
	if t != nil {
		wrote(t, before, sched.Quietly(c.Load))
	}
	return before
}

func or[T comparable, C number[T]](addr any, c C, mask T) T {
	t := sched.Enter(addr, sched.Or)
	before := c.Or(mask)
	if t != nil {
		wrote(t, before, sched.Quietly(c.Load))
	}
	return before
}

func wrote[T comparable](t *sched.Thread, before, after T) {
	t.Leave(sched.Write, before != after)
	if t.Tracing() {
		t.Values(before, after)
	}
}
