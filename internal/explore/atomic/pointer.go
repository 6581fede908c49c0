package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// Bool is the twin of atomic.Bool.
type Bool struct{ v atomic.Bool }

// Load returns the value.
func (x *Bool) Load() bool { return load[bool](x, &x.v) }

// Store sets the value.
func (x *Bool) Store(v bool) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Bool) Swap(v bool) bool { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Bool) CompareAndSwap(before, after bool) bool { return compareAndSwap(x, &x.v, before, after) }

// Pointer is the twin of atomic.Pointer.
type Pointer[T any] struct{ v atomic.Pointer[T] }

// Load returns the pointer.
func (x *Pointer[T]) Load() *T { return load[*T](x, &x.v) }

// Store sets the pointer.
func (x *Pointer[T]) Store(v *T) { store(x, &x.v, v) }

// Swap sets the pointer and returns the old one.
func (x *Pointer[T]) Swap(v *T) *T { return swap(x, &x.v, v) }

// CompareAndSwap sets the pointer if it is before.
func (x *Pointer[T]) CompareAndSwap(before, after *T) bool {
	return compareAndSwap(x, &x.v, before, after)
}

type pointerCell struct{ p *unsafe.Pointer }

func (c pointerCell) Load() unsafe.Pointer                 { return atomic.LoadPointer(c.p) }
func (c pointerCell) Store(v unsafe.Pointer)               { atomic.StorePointer(c.p, v) }
func (c pointerCell) Swap(v unsafe.Pointer) unsafe.Pointer { return atomic.SwapPointer(c.p, v) }
func (c pointerCell) CompareAndSwap(v, w unsafe.Pointer) bool {
	return atomic.CompareAndSwapPointer(c.p, v, w)
}

// LoadPointer returns *addr.
func LoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	return load[unsafe.Pointer](addr, pointerCell{addr})
}

// StorePointer sets *addr.
func StorePointer(addr *unsafe.Pointer, v unsafe.Pointer) { store(addr, pointerCell{addr}, v) }

// SwapPointer sets *addr and returns the old pointer.
func SwapPointer(addr *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	return swap(addr, pointerCell{addr}, v)
}

// CompareAndSwapPointer sets *addr if it is before.
func CompareAndSwapPointer(addr *unsafe.Pointer, before, after unsafe.Pointer) bool {
	return compareAndSwap(addr, pointerCell{addr}, before, after)
}

// Value is the twin of atomic.Value. Its values may be of types that do not compare, so every store counts as a change.
type Value struct{ v atomic.Value }

// Load returns the value, or nil.
func (x *Value) Load() any {
	t := sched.Enter(x, sched.Load)
	v := x.v.Load()
	if t != nil {
		t.Leave(sched.Read, false)
		t.Values(v, v)
	}
	return v
}

// Store sets the value.
func (x *Value) Store(v any) {
	t := sched.Enter(x, sched.Store)
	x.v.Store(v)
	if t != nil {
		t.Leave(sched.Write, true)
		t.Values("?", v)
	}
}

// Swap sets the value and returns the old one.
func (x *Value) Swap(v any) any {
	t := sched.Enter(x, sched.Swap)
	before := x.v.Swap(v)
	if t != nil {
		t.Leave(sched.Write, true)
		t.Values(before, v)
	}
	return before
}

// CompareAndSwap sets the value if it is before.
func (x *Value) CompareAndSwap(before, after any) bool {
	t := sched.Enter(x, sched.CAS)
	ok := x.v.CompareAndSwap(before, after)
	switch {
	case t == nil:
	case ok:
		t.Leave(sched.Write, true)
		t.Values(before, after)
	default:
		t.Leave(sched.Read, false)
	}
	return ok
}
