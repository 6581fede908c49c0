// Package spin is a lock for a handful of instructions.
//
//	         lock: compare-and-swap 0 → 1
//	┌──────┐ ────────────────────────────▶ ┌──────┐   a waiter: look a few times, then yield, and again
//	│ free │                               │ held │
//	└──────┘ ◀──────────────────────────── └──────┘
//	              unlock: store 0
//
// It tests before it sets, so that waiters share the cache line instead of taking it from each other. It spins for less time than
// a yield costs ([park.Spins]) and then yields: a holder that was preempted needs a processor to go on, which spinning would keep
// from it if there is but one. Waiters are not queued, and none is favoured.
//
// The explorer (internal/explore) explores this lock by itself, and takes it for granted in the explorations of what uses it:
// there its twin is a lock without attempts that fail, which would multiply the schedules and show nothing.
package spin

import (
	"runtime"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/park"
)

// Lock is a mutual exclusion lock. The zero Lock is free. It must not be copied after first use.
type Lock struct {
	// held is 1 from Lock to Unlock. Whoever finds 0 sets it by compare-and-swap; the holder stores 0.
	held atomic.Uint32
}

// Lock acquires l. The Unlock that it waited for synchronizes before its return.
func (l *Lock) Lock() {
	if !l.held.CompareAndSwap(0, 1) {
		l.lockSlow()
	}
}

func (l *Lock) lockSlow() {
	for {
		for range park.Spins {
			if l.held.Load() == 0 && l.held.CompareAndSwap(0, 1) {
				return
			}
		}
		runtime.Gosched()
		if l.held.CompareAndSwap(0, 1) {
			return
		}
	}
}

// Unlock releases l, which the caller holds.
func (l *Lock) Unlock() {
	l.held.Store(0)
}
