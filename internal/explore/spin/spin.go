// Package spin is the explorer's twin of internal/spin: a lock that is waited for in one step, whatever the waiter does meanwhile
// in reality. The original is explored by itself.
package spin

import "github.com/taskwork/taskwork/internal/explore/sync"

// Lock is the twin of spin.Lock.
type Lock struct{ mu sync.Mutex }

// Lock waits until nobody holds l and takes it.
func (l *Lock) Lock() { l.mu.Lock() }

// Unlock gives l back.
func (l *Lock) Unlock() { l.mu.Unlock() }
