//go:build explore

package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/explore"
)

// runnerScene is a small program around a Runner.
type runnerScene struct {
	pushers, each int
	budget        int
	spawn         string // "": nil; pool: a goroutine of the test's; sync: within the push; error, panic: it fails; never: no run
	shutdown      bool   // Shutdown at any moment
	cancel        bool   // … with a ctx that may end at any moment
	panics        bool   // the handler panics on every first entry of a producer, and OnPanic takes it
	raw           bool   // pushes that do not look at closed: q.Push and Pushed
}

func (s runnerScene) String() string {
	name := fmt.Sprintf("%dx%d", s.pushers, s.each)
	if s.budget > 0 {
		name += fmt.Sprintf("/budget=%d", s.budget)
	}
	if s.spawn != "" {
		name += "/spawn=" + s.spawn
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"/shutdown", s.shutdown}, {"/cancel", s.cancel}, {"/panics", s.panics}, {"/raw", s.raw}} {
		if f.on {
			name += f.name
		}
	}
	return name
}

func (s runnerScene) run(t *testing.T, cfg explore.Config, newQueue func() taskwork.NodeQueue[int]) explore.Result {
	t.Helper()
	return explore.Run(t, cfg, s.body(newQueue))
}

func (s runnerScene) body(newQueue func() taskwork.NodeQueue[int]) func(m *explore.M) {
	return func(m *explore.M) {
		const never = -1
		n := s.pushers * s.each
		var (
			handled, cancelled []int
			pushed             = make([]int, n) // when the push of an entry returned nil; each is one pusher's own
			began, ended       = never, never   // when Shutdown began, and returned nil
			panicked           int
			busy               bool
		)
		for i := range pushed {
			pushed[i] = never
		}
		q := newQueue()
		runs := 0
		spawn := func(run func()) error {
			runs++
			switch s.spawn {
			case "sync":
				run()
			case "error":
				return errors.New("no goroutines left")
			case "panic":
				panic("no goroutines left")
			case "never":
			case "pool":
				m.Go(fmt.Sprint("run", runs), run)
			}
			return nil
		}
		if s.spawn == "" {
			spawn = nil
		}
		r := taskwork.NewRunner[int](q, taskwork.RunnerConfig[int]{
			Budget:  s.budget,
			Spawn:   spawn,
			OnPanic: func(any) { panicked++ },
			Cancel:  func(v int) { cancelled = append(cancelled, v) },
			Handle: func(v int) {
				m.Assert(!busy, "handlers overlap")
				m.Assert(ended == never, "entry %d handled after Shutdown had returned nil", v)
				busy = true
				defer func() { busy = false }()
				handled = append(handled, v)
				if s.panics && v%s.each == 0 {
					panic("handler")
				}
			},
		})
		m.Blocked(func() string {
			return fmt.Sprintf("handled %v, cancelled %v of %d entries, resting %v", handled, cancelled, n, q.Resting())
		})
		for p := range s.pushers {
			m.Go(fmt.Sprint("p", p), func() {
				for i := range s.each {
					v := p*s.each + i
					if s.raw {
						r.Pushed(q.Push(v))
					} else if err := r.Push(v); err != nil {
						m.Assert(errors.Is(err, taskwork.ErrClosed) && s.shutdown, "push: %v", err)
						return
					}
					if s.shutdown {
						pushed[v] = m.Tick()
					} else {
						pushed[v] = 0
					}
				}
			})
		}
		if s.shutdown {
			m.Go("shutdown", func() {
				ctx := context.Background()
				if s.cancel {
					c, cancel := m.Context()
					ctx = c
					if s.spawn == "never" {
						m.Go("ctx", cancel) // nothing else ends the wait
					} else {
						m.Event("ctx", cancel)
					}
				}
				began = m.Tick()
				if err := r.Shutdown(ctx); err == nil {
					ended = m.Step()
					totals := r.Totals()
					m.Assert(totals.Handled == int64(len(handled)), "not exact after Shutdown: %+v, handled %v", totals, handled)
				} else {
					m.Assert(errors.Is(err, context.Canceled) && s.cancel, "shutdown: %v", err)
				}
			})
		}
		m.Final(func() {
			m.Assert(q.Resting(), "the queue does not rest: handled %v, cancelled %v", handled, cancelled)
			times := make([]int, n)
			for _, v := range handled {
				times[v]++
			}
			for _, v := range cancelled {
				m.Assert(s.shutdown, "entry %d cancelled without a Shutdown", v)
				m.Assert(ended == never || pushed[v] == never || pushed[v] > began,
					"entry %d was accepted before Shutdown began, and cancelled", v)
				times[v]++
			}
			for v, k := range times {
				want := 1
				if pushed[v] == never {
					want = 0
				}
				m.Assert(k == want, "entry %d: %d times handled or cancelled, want %d (handled %v, cancelled %v)", v, k, want, handled, cancelled)
			}
			last := map[int]int{}
			for _, v := range handled {
				m.Assert(v >= last[v/s.each], "order: %v", handled)
				last[v/s.each] = v
			}
			totals := r.Totals()
			m.Assert(totals.Handled == int64(len(handled)) && totals.Cancelled == int64(len(cancelled)) && totals.Panics == int64(panicked),
				"totals %+v, handled %v, cancelled %v, panics %d", totals, handled, cancelled, panicked)
		})
	}
}

func exploreRunner(t *testing.T, cfg explore.Config, scenes []runnerScene) {
	for _, q := range explored {
		for _, s := range scenes {
			t.Run(fmt.Sprintf("%s/%s", q.name, s), func(t *testing.T) { s.run(t, cfg, q.new) })
		}
	}
}

// TestExploreRunner: runs, budgets, Spawn and handlers that fail. The larger scenes take a minute over fakenode; -scale 100
// exhausts them.
func TestExploreRunner(t *testing.T) {
	var small, large []runnerScene
	for _, spawn := range []string{"", "pool", "sync", "error", "panic"} {
		small = append(small,
			runnerScene{pushers: 2, each: 1, spawn: spawn},
			runnerScene{pushers: 1, each: 2, budget: 1, spawn: spawn},
			runnerScene{pushers: 2, each: 1, panics: true, spawn: spawn})
		large = append(large,
			runnerScene{pushers: 2, each: 2, budget: 1, spawn: spawn},
			runnerScene{pushers: 2, each: 2, panics: true, spawn: spawn})
	}
	exploreRunner(t, explore.Config{}, small)
	exploreRunner(t, explore.Config{Budget: true, Time: 300 * time.Millisecond}, large)
}

// TestExploreRunnerShutdown: Shutdown beside pushes, with and without an end of its ctx.
func TestExploreRunnerShutdown(t *testing.T) {
	exploreRunner(t, explore.Config{}, []runnerScene{
		{pushers: 1, each: 1, shutdown: true},
		{pushers: 1, each: 2, shutdown: true},
		{pushers: 2, each: 1, shutdown: true},
		{pushers: 1, each: 2, budget: 1, shutdown: true},
		{pushers: 1, each: 1, shutdown: true, spawn: "sync"},
		{pushers: 1, each: 1, shutdown: true, spawn: "error"},
		{pushers: 1, each: 1, shutdown: true, raw: true},
		{pushers: 2, each: 1, shutdown: true, raw: true},
		{pushers: 1, each: 1, shutdown: true, cancel: true},
		{pushers: 1, each: 1, shutdown: true, cancel: true, spawn: "never"},
		{pushers: 1, each: 1, shutdown: true, cancel: true, spawn: "pool"},
	})
	exploreRunner(t, explore.Config{Budget: true, Time: 300 * time.Millisecond}, []runnerScene{
		{pushers: 1, each: 2, shutdown: true, cancel: true},
		{pushers: 2, each: 1, shutdown: true, cancel: true},
		{pushers: 3, each: 1, shutdown: true},
	})
}
