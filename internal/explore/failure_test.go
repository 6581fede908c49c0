package explore_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/park"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

// seeded are bodies with one fault each, by the kind of failure that it must be found as.
var seeded = map[string]func(m *explore.M){
	"assertion": func(m *explore.M) {
		var x atomic.Int32
		m.Name(&x, "counter")
		for i := range 2 {
			m.Go(fmt.Sprint("inc", i), func() { x.Store(x.Load() + 1) })
		}
		m.Final(func() { m.Assert(x.Load() == 2, "an update was lost") })
	},
	"panic": func(m *explore.M) {
		var x atomic.Pointer[int]
		m.Go("set", func() { x.Store(new(int)) })
		m.Go("use", func() { *x.Load() = 1 })
	},
	"deadlock": func(m *explore.M) {
		var forks [2]sync.Mutex
		for i := range forks {
			m.Go(fmt.Sprint("diner", i), func() {
				forks[i].Lock()
				defer forks[i].Unlock()
				forks[1-i].Lock()
				defer forks[1-i].Unlock()
			})
		}
	},
	"livelock": func(m *explore.M) {
		var ready atomic.Bool
		var skip atomic.Bool
		m.Go("spin", func() {
			for !ready.Load() {
				runtime.Gosched()
			}
		})
		m.Go("skip", func() { skip.Store(true) })
		m.Go("set", func() {
			if !skip.Load() {
				ready.Store(true)
			}
		})
	},
	"steps": func(m *explore.M) {
		var x atomic.Int32
		m.Go("spin", func() {
			for x.Load() == 1 { // without a yield
			}
		})
		m.Go("set", func() { x.Store(1) })
	},
}

// missedWakeup is the classic: look, then sleep, with nothing that tells the waker in between.
func missedWakeup(m *explore.M) {
	var queued, waiting atomic.Int32
	p := park.NewParker()
	m.Go("consumer", func() {
		if queued.Load() == 0 {
			waiting.Store(1)
			p.Park()
		}
	})
	m.Go("producer", func() {
		queued.Add(1)
		if waiting.Swap(0) == 1 {
			p.Unpark()
		}
	})
	m.Blocked(func() string { return fmt.Sprintf("%d queued", queued.Load()) })
}

func TestSeededFaultsInEveryMode(t *testing.T) {
	modes := []explore.Config{
		{},
		{Mode: explore.DFS, Preemptions: 2},
		{Mode: explore.Random, Seed: 1, Executions: 2000},
		{Mode: explore.PCT, Seed: 1, Executions: 2000},
	}
	for kind, body := range seeded {
		for _, cfg := range modes {
			cfg.Steps = 200
			t.Run(kind+"/"+cfg.Mode.String(), func(t *testing.T) {
				res := explore.Check(cfg, body)
				require.NotNil(t, res.Failure)
				require.Equal(t, kind, res.Failure.Kind)
				require.NotEmpty(t, res.Failure.Schedule)
				require.Contains(t, res.Failure.Trace, "internal/explore/failure_test.go:")
				require.LessOrEqual(t, res.Failure.Preemptions, 1, "the shortest schedule of each needs no more")
				require.False(t, res.Exhausted)
			})
		}
	}
}

func TestMissedWakeup(t *testing.T) {
	res := explore.Check(explore.Config{}, missedWakeup)
	f := res.Failure
	require.NotNil(t, f)
	require.Equal(t, "deadlock", f.Kind)
	require.Contains(t, f.Message, "consumer waits in park")
	require.Contains(t, f.Message, "1 queued")
	require.Equal(t, 1, f.Preemptions)
}

func TestReplay(t *testing.T) {
	f := explore.Check(explore.Config{}, missedWakeup).Failure
	t.Setenv("EXPLORE_REPLAY", f.Schedule)
	again := explore.Check(explore.Config{}, missedWakeup)
	require.Equal(t, "replay", again.Mode)
	require.Equal(t, 1, again.Executions)
	require.Equal(t, f.Kind, again.Failure.Kind)
	require.Equal(t, f.Trace, again.Failure.Trace)

	for schedule, want := range map[string]string{
		"p7":     "not possible",
		"c0":     "not possible",
		"p0.q":   "not a step",
		"p0*x":   "not a step",
		"p0*4":   "nothing went wrong",
		"p1.p1*": "not a step",
	} {
		require.NoError(t, os.Setenv("EXPLORE_REPLAY", schedule))
		if schedule == "p0*4" {
			schedule = "p1*2.p0"
			require.NoError(t, os.Setenv("EXPLORE_REPLAY", schedule))
		}
		got := explore.Check(explore.Config{}, missedWakeup).Failure
		require.Equal(t, "replay", got.Kind, schedule)
		require.Contains(t, got.Message, want, schedule)
	}
}

func TestNondeterminism(t *testing.T) {
	for name, body := range map[string]func(m *explore.M, run int){
		"other operations": func(m *explore.M, run int) {
			var x, y atomic.Int32
			m.Go("a", func() {
				if run%2 == 0 {
					x.Load()
				} else {
					x.Store(1)
				}
				y.Load()
			})
			m.Go("b", func() { y.Store(1); x.Store(1) })
		},
		"later": func(m *explore.M, run int) {
			var x, y atomic.Int32
			m.Go("a", func() {
				if run == 5 {
					y.Load()
				}
				x.Load()
				y.Store(1)
			})
			m.Go("b", func() { y.Load(); x.Store(1); y.Load(); x.Store(2) })
		},
		"failure that does not come back": func(m *explore.M, run int) {
			var x atomic.Int32
			m.Go("a", func() { x.Load(); m.Assert(run != 3, "once") })
			m.Go("b", func() { x.Store(1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := 0
			res := explore.Check(explore.Config{}, func(m *explore.M) {
				run++
				body(m, run)
			})
			require.NotNil(t, res.Failure)
			require.Equal(t, "nondeterminism", res.Failure.Kind)
		})
	}
}

func TestNothingInstrumented(t *testing.T) {
	for _, body := range []func(m *explore.M){
		func(*explore.M) {},
		func(m *explore.M) { m.Go("idle", func() {}) },
		func(*explore.M) { new(atomic.Int32).Store(1) },
	} {
		res := explore.Check(explore.Config{}, body)
		require.NotNil(t, res.Failure)
		require.Equal(t, "uninstrumented", res.Failure.Kind)
	}
}

// fake is a test that notes whether it was failed.
type fake struct{ log, fatal strings.Builder }

func (*fake) Helper()                      {}
func (*fake) Name() string                 { return "fake" }
func (f *fake) Logf(s string, args ...any) { fmt.Fprintf(&f.log, s, args...) }

func (f *fake) Fatalf(s string, args ...any) { fmt.Fprintf(&f.fatal, s, args...) }

func TestLimitsAreNotExhausted(t *testing.T) {
	body := func(m *explore.M) {
		var x atomic.Int32
		for range 4 {
			m.Go("w", func() { x.Add(1); x.Add(1) })
		}
	}
	for _, budget := range []bool{false, true} {
		f := &fake{}
		res := explore.Run(f, explore.Config{Executions: 10, Budget: budget}, body)
		require.Equal(t, 10, res.Executions)
		require.False(t, res.Exhausted)
		require.Equal(t, "10 executions", res.Limit)
		require.Contains(t, f.log.String(), "explore: name=fake mode=\"dpor\" executions=10 ")
		require.Contains(t, f.log.String(), "exhausted=false limit=\"10 executions\"")
		require.Equal(t, !budget, strings.Contains(f.fatal.String(), "not exhausted"))
	}
	f := &fake{}
	res := explore.Run(f, explore.Config{Time: 1}, body)
	require.Contains(t, res.Limit, "time")
	require.NotEmpty(t, f.fatal.String())

	f = &fake{}
	res = explore.Run(f, explore.Config{}, body)
	require.True(t, res.Exhausted)
	require.Empty(t, f.fatal.String())

	f = &fake{}
	explore.Run(f, explore.Config{}, seeded["deadlock"])
	require.Contains(t, f.fatal.String(), "EXPLORE_REPLAY=")
}
