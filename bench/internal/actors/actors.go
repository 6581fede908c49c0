// Package actors runs a great many Runners at once: each is an actor in a ring, and tokens go round the rings.
package actors

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/memory"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// Config says what to run. Actors beyond a whole number of rings are left out.
type Config struct {
	Queue  string
	Actors int
	Ring   int           // actors in a ring; each ring has one token
	Time   time.Duration // for which tokens go round
	// Progress is told of each step, about ten times a second.
	Progress func(passed time.Duration, what string)
}

// Result is what came out.
type Result struct {
	Queue          string
	Actors, Rings  int
	Messages       int64
	Elapsed        time.Duration
	BytesIdle      float64 // of one Runner with its queue, before it has ever run
	BytesUsed      float64 // and after it has
	GoroutinesIdle int     // that exist because of the Runners while nothing is to be done, before and
	GoroutinesRest int     // after
}

// actor passes the token that it gets to the next one. The token is the actor that gets it, so all Runners share one handler.
type actor struct {
	r    *taskwork.Runner[*actor]
	next *actor
}

// Run runs the rings for cfg.Time, or until ctx ends, and checks that no token was lost.
func Run(ctx context.Context, cfg Config) (Result, error) {
	res := Result{Queue: cfg.Queue, Rings: cfg.Actors / cfg.Ring}
	res.Actors = res.Rings * cfg.Ring
	var newQueue func() taskwork.Queue[*actor]
	for _, q := range ours.All[*actor]() {
		if q.Name == cfg.Queue {
			newQueue = q.New
		}
	}
	if newQueue == nil || res.Rings == 0 {
		return res, fmt.Errorf("no queue %q, or fewer actors than make a ring", cfg.Queue)
	}

	cfg.Progress(0, fmt.Sprintf("making %d actors", res.Actors))
	goroutines := runtime.NumGoroutine()
	actors := make([]actor, res.Actors)
	before := memory.Live()
	var over atomic.Bool
	var stopped atomic.Int64 // tokens that have been taken out
	handle := func(a *actor) {
		if over.Load() {
			stopped.Add(1)
			return
		}
		_ = a.next.r.Push(a.next) // nobody closes while tokens are about
	}
	for i := range actors {
		ring := i / cfg.Ring * cfg.Ring
		actors[i].next = &actors[ring+(i-ring+1)%cfg.Ring]
		actors[i].r = taskwork.NewRunner(newQueue(), taskwork.RunnerConfig[*actor]{Handle: handle})
	}
	res.BytesIdle = float64(memory.Live()-before) / float64(res.Actors)
	res.GoroutinesIdle = runtime.NumGoroutine() - goroutines

	start := time.Now()
	for i := 0; i < res.Actors; i += cfg.Ring {
		if err := actors[i].r.Push(&actors[i]); err != nil {
			return res, err
		}
	}
	wait(ctx, cfg)
	over.Store(true)
	for deadline := time.Now().Add(30 * time.Second); stopped.Load() < int64(res.Rings); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return res, fmt.Errorf("%d of %d tokens are lost", int64(res.Rings)-stopped.Load(), res.Rings)
		}
	}
	res.Elapsed = time.Since(start)

	cfg.Progress(0, "looking at what is left")
	res.BytesUsed = float64(memory.Live()-before) / float64(res.Actors)
	res.GoroutinesRest = settle(goroutines) - goroutines
	for i := range actors {
		r := actors[i].r
		if err := r.Shutdown(context.Background()); err != nil {
			return res, err
		}
		t := r.Totals()
		res.Messages += t.Handled
		if t.Cancelled+t.Panics+t.SpawnErrors != 0 {
			return res, fmt.Errorf("actor %d: %+v", i, t)
		}
	}
	return res, nil
}

// wait lets the tokens go round.
func wait(ctx context.Context, cfg Config) {
	const step = 100 * time.Millisecond
	end := time.After(cfg.Time)
	tick := time.NewTicker(step)
	defer tick.Stop()
	for shown := time.Duration(0); ; {
		select {
		case <-tick.C:
			passed := min(step, cfg.Time-shown)
			shown += passed
			cfg.Progress(passed, "passing tokens")
		case <-end:
			cfg.Progress(cfg.Time-shown, "")
			return
		case <-ctx.Done():
			return
		}
	}
}

// settle waits until there are no more goroutines than that, or for a moment: a run that has handled its last entry may still be
// about to return.
func settle(goroutines int) int {
	for range 1000 {
		if n := runtime.NumGoroutine(); n <= goroutines {
			return n
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}
