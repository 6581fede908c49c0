// Package stress drives the library at random for as long as one likes, and proves after each episode that nothing was lost.
//
// An episode makes new queues and consumers, lets random producers loose on them, and checks the conservation laws when they are
// done: what was accepted was handed out exactly once (or cancelled exactly once), in order, never by two consumers at a time, and
// there were as many wakes as rests. Several episodes run at a time, so that they disturb each other's schedules. Every choice
// comes from a seed, which a failure names; the schedule, alas, does not.
package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork/bench/internal/memory"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// Totals is what has been done so far. Each number only grows.
type Totals struct {
	Episodes, Entries, Wakes, Cancelled, Panics, Closes atomic.Int64
}

// Config says what to run.
type Config struct {
	Duration time.Duration
	Workers  int
	Seed     uint64
	Queues   []string
	// Everything mixes in Runners, Inboxes, panics, ends of contexts, Closes, and pressure on the collector. Without it there
	// are only queues, each of whose wakes starts a consumer: the stress for missed wakeups.
	Everything bool
	// Tick is called several times a second.
	Tick func(*Totals)
}

// episode is one scenario; its error says what broke.
type episode func(e *env) error

// env is what an episode has at hand.
type env struct {
	*rand.Rand
	queue string
	t     *Totals
}

// Run runs episodes until the time is over, ctx ends, or one fails. At the end memory and goroutines have to be where they were.
func Run(ctx context.Context, cfg Config) (*Totals, error) {
	t := new(Totals)
	episodes := []episode{kick}
	if cfg.Everything {
		episodes = []episode{kick, runner, inbox}
	}
	// Run-time structures that are never given back (goroutines, caches of processors) are as many as they will be after a
	// while, so the first part tells what memory is to be at the end.
	first := cfg
	first.Duration = min(cfg.Duration/4, 30*time.Second)
	if err := stage(ctx, first, 0, t, episodes); err != nil {
		return t, err
	}
	goroutines, heap := settled(1), memory.Live()
	cfg.Duration -= first.Duration
	err := stage(ctx, cfg, 1<<32, t, episodes)
	return t, errors.Join(err, flat(goroutines, heap))
}

// stage runs episodes with all workers until the time is over. stream tells its random choices from another stage's.
func stage(ctx context.Context, cfg Config, stream uint64, t *Totals, episodes []episode) error {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Duration, errOver)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var workers sync.WaitGroup
	for w := range cfg.Workers {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(cfg.Seed, stream+uint64(w)))
			// Each worker starts with another episode, so that even the shortest run has some of each.
			for n := w; ctx.Err() == nil || n < w+len(episodes)*len(cfg.Queues); n++ {
				seed := rng.Uint64()
				e := &env{rand.New(rand.NewPCG(seed, 0)), cfg.Queues[n/len(episodes)%len(cfg.Queues)], t}
				if err := episodes[n%len(episodes)](e); err != nil {
					fail(fmt.Errorf("%s, seed %d: %w", e.queue, seed, err))
					return
				}
				t.Episodes.Add(1)
			}
		})
	}
	var others sync.WaitGroup
	if cfg.Everything {
		others.Go(func() { pressure(ctx, cfg.Seed) })
	}
	watch(cfg, t, &workers)
	cancel()
	others.Wait()
	for _, end := range []error{errOver, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(context.Cause(ctx), end) {
			return nil
		}
	}
	return context.Cause(ctx)
}

// errOver is how a run ends that has had its time.
var errOver = errors.New("the time is over")

// stuck is how long no episode may end before that counts as a lost wakeup.
const stuck = time.Minute

// watch waits for the workers and calls Tick meanwhile. If nothing ends any more, it prints every goroutine and exits: there is no
// way to end those that hang, and their stacks are what one wants to see.
func watch(cfg Config, t *Totals, workers *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		workers.Wait()
		close(done)
	}()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	last, since := int64(-1), time.Now()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			cfg.Tick(t)
		}
		if now := t.Episodes.Load(); now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > stuck {
			fmt.Fprintf(os.Stderr, "bench: no episode has ended for %v: a wakeup is lost. All goroutines:\n", stuck)
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			os.Exit(1)
		}
	}
}

// pressure collects garbage all the time, makes some, and changes GOMAXPROCS now and then.
func pressure(ctx context.Context, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1<<40))
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	var keep [64][]byte
	for ctx.Err() == nil {
		for range 100 {
			keep[rng.IntN(len(keep))] = make([]byte, 1<<rng.IntN(16))
		}
		runtime.GC()
		if rng.IntN(10) == 0 {
			runtime.GOMAXPROCS(1 + rng.IntN(2*procs))
		}
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
	}
}

// settled waits a moment for goroutines that are about to end, and returns how many are left.
func settled(want int) int {
	for range 500 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// flat checks that memory and goroutines are where they were before.
func flat(goroutines int, heap int64) error {
	var errs []error
	if now := settled(goroutines); now > goroutines {
		errs = append(errs, fmt.Errorf("%d goroutines are left over", now-goroutines))
	}
	const slack = 2 << 20
	if now := memory.Live(); now > heap+slack {
		errs = append(errs, fmt.Errorf("the live heap has grown by %d KB", (now-heap)>>10))
	}
	return errors.Join(errs...)
}

// Queues returns the names of all queues.
func Queues() []string { return ours.Names() }
