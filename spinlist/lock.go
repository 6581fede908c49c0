package spinlist

import (
	"runtime"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/park"
)

// spinlock guards a handful of instructions. It tests before it sets, so that waiters share the line instead of taking it from
// each other; it spins for less time than a yield costs, then yields. A holder that was preempted needs a processor to go on,
// which spinning would keep from it if there is but one. The zero spinlock is unlocked.
type spinlock struct {
	// held is 1 from lock to unlock. Whoever finds 0 sets it by compare-and-swap; the holder stores 0.
	held atomic.Uint32
}

// lock acquires the lock. The unlock that it waited for synchronizes before its return.
func (l *spinlock) lock() {
	if !l.held.CompareAndSwap(0, 1) {
		l.lockSlow()
	}
}

func (l *spinlock) lockSlow() {
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

// unlock releases the lock, which the caller holds.
func (l *spinlock) unlock() {
	l.held.Store(0)
}
