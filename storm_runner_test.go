package taskwork_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
)

// TestStressRunner is the storm around Runners.
func TestStressRunner(t *testing.T) {
	storm(t, func(t *testing.T, row queueOf[packet], rng *rand.Rand) {
		newRunnerStorm(t, row.new(), rng).run()
	})
}

type runnerStorm struct {
	t   *testing.T
	rng *rand.Rand
	b   *books
	q   taskwork.Queue[packet]
	r   *taskwork.Runner[packet]

	// What the handler keeps is handed on with the consumer side.
	busy    bool
	handled int
	closeAt int // it calls Close then
	faults  int64
	fail    *rand.Rand // nil: it never fails
	exits   bool       // it may end its goroutine

	finished atomic.Bool // a Shutdown has returned nil
}

func newRunnerStorm(t *testing.T, q taskwork.Queue[packet], rng *rand.Rand) *runnerStorm {
	s := &runnerStorm{t: t, rng: rng, b: newBooks(t, rng), q: q, closeAt: rng.IntN(2000), exits: true}
	if rng.IntN(2) == 0 {
		s.fail = rand.New(rand.NewPCG(rng.Uint64(), 3))
	}
	cfg := taskwork.RunnerConfig[packet]{
		Handle: s.handle,
		Cancel: s.b.dispose,
		Budget: []int{1, 2, 3, 7, 0}[rng.IntN(5)],
	}
	cfg.OnPanic = func(any) {} // where a panic would end the program
	switch rng.IntN(6) {
	case 0: // nil
	case 1:
		cfg.Spawn = func(func()) error { return errSpawn }
	case 2:
		cfg.Spawn = func(func()) error { panic(errSpawn) }
	case 3: // It fails at times, and at times the run comes all the same.
		var n atomic.Int64
		cfg.Spawn = func(run func()) error {
			i := n.Add(1)
			if i%3 != 0 {
				go run()
			}
			if i%3 != 1 {
				return errSpawn
			}
			return nil
		}
	case 4:
		cfg.OnPanic = nil
		cfg.Spawn = func(run func()) error {
			go func() {
				defer func() { _ = recover() }()
				run()
			}()
			return nil
		}
	case 5:
		cfg.OnPanic = nil
		cfg.Spawn = func(run func()) error { run(); return nil }
		s.exits = false // it would be a producer that ends
	}
	s.r = taskwork.NewRunner(q, cfg)
	return s
}

func (s *runnerStorm) handle(p packet) {
	if s.finished.Load() {
		s.t.Error("the handler was called after Shutdown had returned nil")
	}
	if s.busy {
		s.t.Error("handlers overlap")
	}
	s.busy = true
	defer func() { s.busy = false }()
	s.b.dispose(p)
	if s.handled++; s.handled == s.closeAt {
		_ = s.r.Close()
	}
	if s.fail != nil && s.fail.IntN(30) == 0 {
		s.faults++
		if s.exits && s.fail.IntN(2) == 0 {
			runtime.Goexit()
		}
		panic("handler")
	}
}

// shutdown waits until ctx ends.
func (s *runnerStorm) shutdown(ctx context.Context) {
	err := s.r.Shutdown(ctx)
	switch {
	case err == nil:
		s.finished.Store(true)
	case !errors.Is(err, ctx.Err()):
		s.t.Errorf("Shutdown: %v", err)
	}
}

func (s *runnerStorm) run() {
	var wg sync.WaitGroup
	sink{
		q: s.q, push: s.r.Push, pushAll: s.r.PushAll,
		pushed: func(wake bool, _ int) { s.r.Pushed(wake) },
	}.start(s.b, &wg, s.rng)
	// Up to three Shutdowns at random times, patient or not.
	for range s.rng.IntN(4) {
		pause := time.Duration(s.rng.IntN(200)) * time.Microsecond
		patience := time.Duration(s.rng.IntN(200)) * time.Microsecond
		patient := s.rng.IntN(2) == 0
		wg.Go(func() {
			time.Sleep(pause)
			ctx, cancel := context.Background(), func() {}
			if !patient {
				ctx, cancel = context.WithTimeout(ctx, patience)
			}
			defer cancel()
			s.shutdown(ctx)
		})
	}
	wg.Wait()
	if s.rng.IntN(4) == 0 {
		s.shutdown(ended())
	}
	s.shutdown(context.Background())
	if !s.q.Resting() {
		s.t.Error("the queue does not rest after Shutdown")
	}
	totals := s.r.Totals()
	s.b.balance(totals)
	if totals.Panics != s.faults || totals.Handled != int64(s.handled) || totals.Runs < totals.Wakes {
		s.t.Errorf("handled %d, with %d panics; Totals: %+v", s.handled, s.faults, totals)
	}
}
