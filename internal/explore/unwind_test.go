package explore_test

import (
	stdruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/park"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

func TestGoexit(t *testing.T) {
	ends := 0
	res := explore.Check(explore.Config{}, func(m *explore.M) {
		var mu sync.Mutex
		var x atomic.Int32
		for range 2 {
			m.Go("quits", func() {
				mu.Lock()
				defer mu.Unlock()
				defer x.Add(1)
				stdruntime.Goexit()
			})
		}
		m.Final(func() {
			m.Assert(x.Load() == 2, "deferred functions did not run")
			ends++
		})
	})
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
	require.Equal(t, 2, res.Executions)
	require.GreaterOrEqual(t, ends, 2)
}

// TestAbortUnwinds: a failure ends all threads, whatever their deferred functions do, and leaves no goroutine behind.
func TestAbortUnwinds(t *testing.T) {
	deferred := 0
	res := explore.Check(explore.Config{ShrinkTime: -1}, func(m *explore.M) {
		var mu sync.Mutex
		var x atomic.Int32
		p := park.NewParker()
		for range 3 {
			m.Go("waits", func() {
				defer func() {
					deferred++
					_ = recover()
					mu.Lock()
					mu.Lock()
					p.Park()
					m.Go("more", func() {})
					m.Assert(false, "too late to matter")
					mu.Unlock()
					mu.Unlock()
					mu.Unlock()
					for x.Load() == 1 {
						runtime.Gosched()
					}
				}()
				p.Park()
			})
		}
		m.Go("fails", func() {
			x.Store(1)
			m.Fatalf("enough")
		})
	})
	require.NotNil(t, res.Failure)
	require.Equal(t, "assertion", res.Failure.Kind)
	require.Positive(t, deferred)
}

func TestMisuse(t *testing.T) {
	for want, body := range map[string]func(m *explore.M){
		"Park would wait for ever": func(*explore.M) {
			p := park.NewParker()
			p.Park()
		},
		"more than 32 threads": func(m *explore.M) {
			for range 40 {
				m.Go("t", func() {})
			}
		},
		"does not know": func(m *explore.M) {
			p := park.NewParker()
			done := make(chan struct{})
			m.Go("t", func() { p.ParkUntil(done, nil) })
		},
		"unlocked mutex": func(m *explore.M) {
			var mu sync.Mutex
			m.Go("t", func() { mu.Unlock() })
		},
		"outside of the body": func(m *explore.M) {
			var x atomic.Int32
			m.Go("t", func() { x.Load() })
			m.Final(func() { m.Go("late", func() {}) })
		},
	} {
		t.Run(want, func(t *testing.T) {
			res := explore.Check(explore.Config{}, body)
			require.NotNil(t, res.Failure)
			require.Contains(t, res.Failure.Message, want)
		})
	}
}
