package atomic

import "sync/atomic"

// The integer types. Each wraps the real one, so that size, alignment and the copy check of vet stay the same.

// Int32 is the twin of atomic.Int32.
type Int32 struct{ v atomic.Int32 }

// Load returns the value.
func (x *Int32) Load() int32 { return load[int32](x, &x.v) }

// Store sets the value.
func (x *Int32) Store(v int32) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Int32) Swap(v int32) int32 { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Int32) CompareAndSwap(before, after int32) bool {
	return compareAndSwap(x, &x.v, before, after)
}

// Add adds delta and returns the sum.
func (x *Int32) Add(delta int32) int32 { return add(x, &x.v, delta) }

// And clears the bits that are not in mask and returns the old value.
func (x *Int32) And(mask int32) int32 { return and(x, &x.v, mask) }

// Or sets the bits of mask and returns the old value.
func (x *Int32) Or(mask int32) int32 { return or(x, &x.v, mask) }

// Int64 is the twin of atomic.Int64.
type Int64 struct{ v atomic.Int64 }

// Load returns the value.
func (x *Int64) Load() int64 { return load[int64](x, &x.v) }

// Store sets the value.
func (x *Int64) Store(v int64) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Int64) Swap(v int64) int64 { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Int64) CompareAndSwap(before, after int64) bool {
	return compareAndSwap(x, &x.v, before, after)
}

// Add adds delta and returns the sum.
func (x *Int64) Add(delta int64) int64 { return add(x, &x.v, delta) }

// And clears the bits that are not in mask and returns the old value.
func (x *Int64) And(mask int64) int64 { return and(x, &x.v, mask) }

// Or sets the bits of mask and returns the old value.
func (x *Int64) Or(mask int64) int64 { return or(x, &x.v, mask) }

// Uint32 is the twin of atomic.Uint32.
type Uint32 struct{ v atomic.Uint32 }

// Load returns the value.
func (x *Uint32) Load() uint32 { return load[uint32](x, &x.v) }

// Store sets the value.
func (x *Uint32) Store(v uint32) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Uint32) Swap(v uint32) uint32 { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Uint32) CompareAndSwap(before, after uint32) bool {
	return compareAndSwap(x, &x.v, before, after)
}

// Add adds delta and returns the sum.
func (x *Uint32) Add(delta uint32) uint32 { return add(x, &x.v, delta) }

// And clears the bits that are not in mask and returns the old value.
func (x *Uint32) And(mask uint32) uint32 { return and(x, &x.v, mask) }

// Or sets the bits of mask and returns the old value.
func (x *Uint32) Or(mask uint32) uint32 { return or(x, &x.v, mask) }

// Uint64 is the twin of atomic.Uint64.
type Uint64 struct{ v atomic.Uint64 }

// Load returns the value.
func (x *Uint64) Load() uint64 { return load[uint64](x, &x.v) }

// Store sets the value.
func (x *Uint64) Store(v uint64) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Uint64) Swap(v uint64) uint64 { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Uint64) CompareAndSwap(before, after uint64) bool {
	return compareAndSwap(x, &x.v, before, after)
}

// Add adds delta and returns the sum.
func (x *Uint64) Add(delta uint64) uint64 { return add(x, &x.v, delta) }

// And clears the bits that are not in mask and returns the old value.
func (x *Uint64) And(mask uint64) uint64 { return and(x, &x.v, mask) }

// Or sets the bits of mask and returns the old value.
func (x *Uint64) Or(mask uint64) uint64 { return or(x, &x.v, mask) }

// Uintptr is the twin of atomic.Uintptr.
type Uintptr struct{ v atomic.Uintptr }

// Load returns the value.
func (x *Uintptr) Load() uintptr { return load[uintptr](x, &x.v) }

// Store sets the value.
func (x *Uintptr) Store(v uintptr) { store(x, &x.v, v) }

// Swap sets the value and returns the old one.
func (x *Uintptr) Swap(v uintptr) uintptr { return swap(x, &x.v, v) }

// CompareAndSwap sets the value if it is before.
func (x *Uintptr) CompareAndSwap(before, after uintptr) bool {
	return compareAndSwap(x, &x.v, before, after)
}

// Add adds delta and returns the sum.
func (x *Uintptr) Add(delta uintptr) uintptr { return add(x, &x.v, delta) }

// And clears the bits that are not in mask and returns the old value.
func (x *Uintptr) And(mask uintptr) uintptr { return and(x, &x.v, mask) }

// Or sets the bits of mask and returns the old value.
func (x *Uintptr) Or(mask uintptr) uintptr { return or(x, &x.v, mask) }
