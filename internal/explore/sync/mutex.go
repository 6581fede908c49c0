// Package sync is the explorer's twin of sync: Mutex, Once, WaitGroup, Cond and Pool are announced to the explorer, Map is the
// real one (its operations never wait, and are no place where threads change over), and RWMutex is left out on purpose: code
// under exploration that used it would block for real.
//
//	Lock     enabled while nobody holds the mutex; then a write
//	TryLock  a write if it succeeds, a read if not
//	Unlock   a write
//
// Outside of an exploration everything is the real thing.
package sync

import (
	"sync"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// Locker is the real one.
type Locker = sync.Locker

// Map is the real one.
type Map = sync.Map

// Mutex is the twin of sync.Mutex, of the same size.
type Mutex struct{ mu sync.Mutex }

// Lock waits until nobody holds the mutex and takes it.
func (m *Mutex) Lock() {
	if !sched.Exploring() {
		m.mu.Lock()
		return
	}
	t := sched.EnterGate(m, sched.Lock, m.free())
	if t == nil {
		if !m.mu.TryLock() {
			sched.Stuck("Lock")
		}
		return
	}
	m.mu.Lock()
	t.LeaveGate(sched.Write, true, false)
	t.Values("free", "held")
}

// TryLock takes the mutex if nobody holds it.
func (m *Mutex) TryLock() bool {
	if !sched.Exploring() {
		return m.mu.TryLock()
	}
	t := sched.EnterGate(m, sched.TryLock, m.free())
	ok := m.mu.TryLock()
	switch {
	case t == nil:
	case ok:
		t.LeaveGate(sched.Write, true, false)
		t.Values("free", "held")
	default:
		t.LeaveGate(sched.Read, false, false)
		t.Values("held", "held")
	}
	return ok
}

// Unlock gives the mutex back.
func (m *Mutex) Unlock() {
	if !sched.Exploring() {
		m.mu.Unlock()
		return
	}
	t := sched.EnterGate(m, sched.Unlock, m.free())
	if m.free() {
		if sched.Passive() {
			return // deferred code of an execution that is being unwound, in which locks did not lock
		}
		sched.FailHere("misuse", "unlock of an unlocked mutex")
	}
	m.mu.Unlock()
	if t != nil {
		t.LeaveGate(sched.Write, true, true)
		t.Values("held", "free")
	}
}

// free looks at the mutex without teaching the race detector anything.
func (m *Mutex) free() bool {
	return sched.Quietly(func() bool {
		if !m.mu.TryLock() {
			return false
		}
		m.mu.Unlock()
		return true
	})
}
