// Package race holds explorations for the race detector. TestRaceDetector of internal/explore runs each in a process of its own.
package race

import (
	"testing"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/park"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

// TestCleanMessage: the reader looks at the data only if it has seen the flag.
func TestCleanMessage(t *testing.T) {
	explore.Run(t, explore.Config{}, func(m *explore.M) {
		var ready atomic.Bool
		data := 0
		data++ // the body comes before the threads
		m.Go("writer", func() {
			data++
			ready.Store(true)
		})
		m.Go("reader", func() {
			if ready.Load() {
				data++
			}
		})
		m.Final(func() { m.Assert(data >= 2, "%d", data) })
	})
}

// TestRacyMessage: the reader looks without having seen the flag.
func TestRacyMessage(t *testing.T) {
	explore.Run(t, explore.Config{}, func(m *explore.M) {
		var ready atomic.Bool
		data := 0
		m.Go("writer", func() {
			data++
			ready.Store(true)
		})
		m.Go("reader", func() {
			ready.Load()
			_ = data
			data++
		})
	})
}

// TestRacyInOneSchedule: only if the second swap comes first does the plain access happen unordered.
func TestRacyInOneSchedule(t *testing.T) {
	explore.Run(t, explore.Config{}, func(m *explore.M) {
		var turn atomic.Int32
		data := 0
		m.Go("a", func() {
			turn.Add(1)
			turn.Add(1)
			data++
		})
		m.Go("b", func() {
			if turn.Load() == 1 {
				data++
			}
		})
	})
}

// TestRacyStore: a store learns nothing about what came before it, although the twin looks at the old value.
func TestRacyStore(t *testing.T) {
	explore.Run(t, explore.Config{}, func(m *explore.M) {
		var x atomic.Int32
		data := 0
		m.Go("a", func() { data++; x.Store(1) })
		m.Go("b", func() { x.Store(2); data++ })
	})
}

// TestCleanLocks: mutexes, parking, yields, spawned threads and clocks order what they order in reality.
func TestCleanLocks(t *testing.T) {
	explore.Run(t, explore.Config{}, func(m *explore.M) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		var ready atomic.Bool
		p := park.NewParker()
		locked, parked, spun, spawned := 0, 0, 0, 0
		wg.Add(1)
		m.Go("a", func() {
			mu.Lock()
			locked++
			mu.Unlock()
			parked++
			p.Unpark()
			spun++
			ready.Store(true)
			spawned++
			m.Go("child", func() { spawned++; mu.Lock(); locked++; mu.Unlock(); wg.Done() })
		})
		m.Go("b", func() {
			mu.Lock()
			locked++
			mu.Unlock()
			p.ParkUntil(nil, nil)
			parked++
			for !ready.Load() {
				runtime.Gosched()
			}
			spun++
			wg.Wait()
			spawned++
		})
		m.Final(func() { m.Assert(locked == 3 && parked == 2 && spun == 2 && spawned == 3, "lost") })
	})
}

// TestCleanAbort: deferred functions of an execution that is unwound run one after the other.
func TestCleanAbort(t *testing.T) {
	explore.Check(explore.Config{}, func(m *explore.M) {
		var x atomic.Int32
		p := park.NewParker()
		for range 2 {
			m.Go("waits", func() {
				defer func() { x.Add(1); p.Unpark() }()
				p.Park()
			})
		}
		m.Go("fails", func() { m.Assert(x.Load() != 0, "always") })
	})
}
