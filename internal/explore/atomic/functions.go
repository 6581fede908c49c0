package atomic

import "sync/atomic"

// The functions on plain integers. A cell here is a pointer with the methods of the atomic type.

type int32Cell struct{ p *int32 }

func (c int32Cell) Load() int32                    { return atomic.LoadInt32(c.p) }
func (c int32Cell) Store(v int32)                  { atomic.StoreInt32(c.p, v) }
func (c int32Cell) Swap(v int32) int32             { return atomic.SwapInt32(c.p, v) }
func (c int32Cell) CompareAndSwap(v, w int32) bool { return atomic.CompareAndSwapInt32(c.p, v, w) }
func (c int32Cell) Add(v int32) int32              { return atomic.AddInt32(c.p, v) }
func (c int32Cell) And(v int32) int32              { return atomic.AndInt32(c.p, v) }
func (c int32Cell) Or(v int32) int32               { return atomic.OrInt32(c.p, v) }

// LoadInt32 returns *addr.
func LoadInt32(addr *int32) int32 { return load[int32](addr, int32Cell{addr}) }

// StoreInt32 sets *addr.
func StoreInt32(addr *int32, v int32) { store(addr, int32Cell{addr}, v) }

// SwapInt32 sets *addr and returns the old value.
func SwapInt32(addr *int32, v int32) int32 { return swap(addr, int32Cell{addr}, v) }

// CompareAndSwapInt32 sets *addr if it is before.
func CompareAndSwapInt32(addr *int32, before, after int32) bool {
	return compareAndSwap(addr, int32Cell{addr}, before, after)
}

// AddInt32 adds delta to *addr and returns the sum.
func AddInt32(addr *int32, delta int32) int32 { return add(addr, int32Cell{addr}, delta) }

// AndInt32 clears the bits of *addr that are not in mask and returns the old value.
func AndInt32(addr *int32, mask int32) int32 { return and(addr, int32Cell{addr}, mask) }

// OrInt32 sets the bits of mask in *addr and returns the old value.
func OrInt32(addr *int32, mask int32) int32 { return or(addr, int32Cell{addr}, mask) }

type int64Cell struct{ p *int64 }

func (c int64Cell) Load() int64                    { return atomic.LoadInt64(c.p) }
func (c int64Cell) Store(v int64)                  { atomic.StoreInt64(c.p, v) }
func (c int64Cell) Swap(v int64) int64             { return atomic.SwapInt64(c.p, v) }
func (c int64Cell) CompareAndSwap(v, w int64) bool { return atomic.CompareAndSwapInt64(c.p, v, w) }
func (c int64Cell) Add(v int64) int64              { return atomic.AddInt64(c.p, v) }
func (c int64Cell) And(v int64) int64              { return atomic.AndInt64(c.p, v) }
func (c int64Cell) Or(v int64) int64               { return atomic.OrInt64(c.p, v) }

// LoadInt64 returns *addr.
func LoadInt64(addr *int64) int64 { return load[int64](addr, int64Cell{addr}) }

// StoreInt64 sets *addr.
func StoreInt64(addr *int64, v int64) { store(addr, int64Cell{addr}, v) }

// SwapInt64 sets *addr and returns the old value.
func SwapInt64(addr *int64, v int64) int64 { return swap(addr, int64Cell{addr}, v) }

// CompareAndSwapInt64 sets *addr if it is before.
func CompareAndSwapInt64(addr *int64, before, after int64) bool {
	return compareAndSwap(addr, int64Cell{addr}, before, after)
}

// AddInt64 adds delta to *addr and returns the sum.
func AddInt64(addr *int64, delta int64) int64 { return add(addr, int64Cell{addr}, delta) }

// AndInt64 clears the bits of *addr that are not in mask and returns the old value.
func AndInt64(addr *int64, mask int64) int64 { return and(addr, int64Cell{addr}, mask) }

// OrInt64 sets the bits of mask in *addr and returns the old value.
func OrInt64(addr *int64, mask int64) int64 { return or(addr, int64Cell{addr}, mask) }

type uint32Cell struct{ p *uint32 }

func (c uint32Cell) Load() uint32                    { return atomic.LoadUint32(c.p) }
func (c uint32Cell) Store(v uint32)                  { atomic.StoreUint32(c.p, v) }
func (c uint32Cell) Swap(v uint32) uint32            { return atomic.SwapUint32(c.p, v) }
func (c uint32Cell) CompareAndSwap(v, w uint32) bool { return atomic.CompareAndSwapUint32(c.p, v, w) }
func (c uint32Cell) Add(v uint32) uint32             { return atomic.AddUint32(c.p, v) }
func (c uint32Cell) And(v uint32) uint32             { return atomic.AndUint32(c.p, v) }
func (c uint32Cell) Or(v uint32) uint32              { return atomic.OrUint32(c.p, v) }

// LoadUint32 returns *addr.
func LoadUint32(addr *uint32) uint32 { return load[uint32](addr, uint32Cell{addr}) }

// StoreUint32 sets *addr.
func StoreUint32(addr *uint32, v uint32) { store(addr, uint32Cell{addr}, v) }

// SwapUint32 sets *addr and returns the old value.
func SwapUint32(addr *uint32, v uint32) uint32 { return swap(addr, uint32Cell{addr}, v) }

// CompareAndSwapUint32 sets *addr if it is before.
func CompareAndSwapUint32(addr *uint32, before, after uint32) bool {
	return compareAndSwap(addr, uint32Cell{addr}, before, after)
}

// AddUint32 adds delta to *addr and returns the sum.
func AddUint32(addr *uint32, delta uint32) uint32 { return add(addr, uint32Cell{addr}, delta) }

// AndUint32 clears the bits of *addr that are not in mask and returns the old value.
func AndUint32(addr *uint32, mask uint32) uint32 { return and(addr, uint32Cell{addr}, mask) }

// OrUint32 sets the bits of mask in *addr and returns the old value.
func OrUint32(addr *uint32, mask uint32) uint32 { return or(addr, uint32Cell{addr}, mask) }

type uint64Cell struct{ p *uint64 }

func (c uint64Cell) Load() uint64                    { return atomic.LoadUint64(c.p) }
func (c uint64Cell) Store(v uint64)                  { atomic.StoreUint64(c.p, v) }
func (c uint64Cell) Swap(v uint64) uint64            { return atomic.SwapUint64(c.p, v) }
func (c uint64Cell) CompareAndSwap(v, w uint64) bool { return atomic.CompareAndSwapUint64(c.p, v, w) }
func (c uint64Cell) Add(v uint64) uint64             { return atomic.AddUint64(c.p, v) }
func (c uint64Cell) And(v uint64) uint64             { return atomic.AndUint64(c.p, v) }
func (c uint64Cell) Or(v uint64) uint64              { return atomic.OrUint64(c.p, v) }

// LoadUint64 returns *addr.
func LoadUint64(addr *uint64) uint64 { return load[uint64](addr, uint64Cell{addr}) }

// StoreUint64 sets *addr.
func StoreUint64(addr *uint64, v uint64) { store(addr, uint64Cell{addr}, v) }

// SwapUint64 sets *addr and returns the old value.
func SwapUint64(addr *uint64, v uint64) uint64 { return swap(addr, uint64Cell{addr}, v) }

// CompareAndSwapUint64 sets *addr if it is before.
func CompareAndSwapUint64(addr *uint64, before, after uint64) bool {
	return compareAndSwap(addr, uint64Cell{addr}, before, after)
}

// AddUint64 adds delta to *addr and returns the sum.
func AddUint64(addr *uint64, delta uint64) uint64 { return add(addr, uint64Cell{addr}, delta) }

// AndUint64 clears the bits of *addr that are not in mask and returns the old value.
func AndUint64(addr *uint64, mask uint64) uint64 { return and(addr, uint64Cell{addr}, mask) }

// OrUint64 sets the bits of mask in *addr and returns the old value.
func OrUint64(addr *uint64, mask uint64) uint64 { return or(addr, uint64Cell{addr}, mask) }

type uintptrCell struct{ p *uintptr }

func (c uintptrCell) Load() uintptr          { return atomic.LoadUintptr(c.p) }
func (c uintptrCell) Store(v uintptr)        { atomic.StoreUintptr(c.p, v) }
func (c uintptrCell) Swap(v uintptr) uintptr { return atomic.SwapUintptr(c.p, v) }
func (c uintptrCell) CompareAndSwap(v, w uintptr) bool {
	return atomic.CompareAndSwapUintptr(c.p, v, w)
}
func (c uintptrCell) Add(v uintptr) uintptr { return atomic.AddUintptr(c.p, v) }
func (c uintptrCell) And(v uintptr) uintptr { return atomic.AndUintptr(c.p, v) }
func (c uintptrCell) Or(v uintptr) uintptr  { return atomic.OrUintptr(c.p, v) }

// LoadUintptr returns *addr.
func LoadUintptr(addr *uintptr) uintptr { return load[uintptr](addr, uintptrCell{addr}) }

// StoreUintptr sets *addr.
func StoreUintptr(addr *uintptr, v uintptr) { store(addr, uintptrCell{addr}, v) }

// SwapUintptr sets *addr and returns the old value.
func SwapUintptr(addr *uintptr, v uintptr) uintptr { return swap(addr, uintptrCell{addr}, v) }

// CompareAndSwapUintptr sets *addr if it is before.
func CompareAndSwapUintptr(addr *uintptr, before, after uintptr) bool {
	return compareAndSwap(addr, uintptrCell{addr}, before, after)
}

// AddUintptr adds delta to *addr and returns the sum.
func AddUintptr(addr *uintptr, delta uintptr) uintptr { return add(addr, uintptrCell{addr}, delta) }

// AndUintptr clears the bits of *addr that are not in mask and returns the old value.
func AndUintptr(addr *uintptr, mask uintptr) uintptr { return and(addr, uintptrCell{addr}, mask) }

// OrUintptr sets the bits of mask in *addr and returns the old value.
func OrUintptr(addr *uintptr, mask uintptr) uintptr { return or(addr, uintptrCell{addr}, mask) }
