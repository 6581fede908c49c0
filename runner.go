package taskwork

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/park"
)

// RunnerConfig tells a Runner what to do with entries and where. Only Handle is required.
type RunnerConfig[T any] struct {
	// Handle is called for each entry, one at a time and in the order of the queue.
	Handle func(T)
	// Cancel is called for what is left when Shutdown's ctx ends, and for what came too late. It may run on a producer's
	// goroutine, after Shutdown has returned. Nil: such entries are dropped (and counted).
	Cancel func(T)
	// Budget is how many entries a run may handle before it yields its goroutine back to Spawn; < 1: 256.
	Budget int
	// Spawn calls run, or has it called, on whatever goroutine it likes. Each run func is good for one run; further calls do
	// nothing. Nil: go run(). If it returns an error or panics, the Runner starts that very run with go.
	Spawn func(run func()) error
	// OnPanic is called with what Handle or Cancel panicked with, and the run goes on. Nil: the panic goes on, after the Runner
	// has made itself runnable again.
	OnPanic func(v any)
	Trace   *Trace
}

const defaultBudget = 256

// Runner is a consumer that schedules itself: a goroutine exists only while there is work, and at most one.
//
//	           a push reports wake: start            claim (the run's goroutine has begun)
//	┌──────┐ ─────────────────────────▶ ┌─────────┐ ────────────────────────────▶ ┌─────────┐
//	│ rest │                            │ pending │                               │ running │
//	└──────┘                            └─────────┘ ◀──────────────────────────── └─────────┘
//	    ▲                                             budget used up, or the run        │
//	    └────────────────── Idle() == true ───────────was ended by a panic or Goexit────┘
//
// The state is the queue's own; the Runner adds only whether a run that was started has been claimed. A push on an active Runner
// costs the queue's push and one load.
//
// # Closing without losing the wait-free push
//
// A push cannot be refused once it is published, and no push counts itself in and out. Instead Close sets a flag that pushes look
// at first, and the wake does the rest. Shutdown waits until the queue rests, makes that rest final, and looks again; a push that
// slipped past the flag and finds the queue at its final rest gets the wake, and cancels what it finds there.
type Runner[T any] struct {
	// Set by NewRunner, then read only.
	q   Queue[T]
	cfg RunnerConfig[T]

	// flags gains the bits below, and loses none. Every push reads it, so nothing that a run writes may be a part of it.
	flags atomic.Uint32

	// turn numbers the runs. It belongs to the active consumer side, like everything about the next run.
	turn uint64
	// pending is the turn that has been started but not claimed, or zero. Whoever owns the consumer side stores it, and thereby
	// lets go of that; who swaps it for zero owns the consumer side then.
	pending atomic.Uint64

	// mu guards the fields below. No function of the user is called under it.
	mu      sync.Mutex
	totals  Totals
	waiters []*park.Parker // one for each Shutdown that sleeps
}

const (
	flagClosed = 1 << iota // pushes are refused
	flagFinal              // the queue has come to rest for good: a push that wakes came too late
	flagCancel             // Shutdown has given up: entries go to Cancel
)

// NewRunner returns a Runner that owns q, which must be new. It panics without a queue or Handle.
func NewRunner[T any](q Queue[T], cfg RunnerConfig[T]) *Runner[T] {
	if q == nil || cfg.Handle == nil {
		panic("taskwork: NewRunner without a queue or without Handle")
	}
	if !q.Resting() {
		panic("taskwork: NewRunner with a queue that is in use")
	}
	if cfg.Budget < 1 {
		cfg.Budget = defaultBudget
	}
	return &Runner[T]{q: q, cfg: cfg}
}

// Push hands v to the Runner, or returns ErrClosed. Any goroutine may call it, the handler included.
func (r *Runner[T]) Push(v T) error {
	if r.flags.Load()&flagClosed != 0 {
		return ErrClosed
	}
	r.Pushed(r.q.Push(v))
	return nil
}

// PushAll hands all values to the Runner in order, or returns ErrClosed and has taken none.
func (r *Runner[T]) PushAll(vs []T) error {
	if r.flags.Load()&flagClosed != 0 {
		return ErrClosed
	}
	r.Pushed(r.q.PushAll(vs))
	return nil
}

// Pushed must be called with what a push of the caller's own to the queue (of nodes, by a Batch or through a lanes handle) has
// reported. Such a push is not refused after Close: what comes too late goes to Cancel.
func (r *Runner[T]) Pushed(wake bool) {
	if !wake {
		return
	}
	// Deferred, because a hook that panics must not take the consumer side with it.
	defer r.woken()
	r.cfg.Trace.wake()
}

// woken takes over the consumer side from the push that got it.
func (r *Runner[T]) woken() {
	// Final, not closed, decides: another push may have been accepted before Close, while this one was on its way here.
	if r.flags.Load()&(flagFinal|flagCancel) != 0 {
		r.consume(&episode{drain: true})
		return
	}
	r.start(true)
}

// Close makes the Runner refuse new work; what is queued is handled. It does not wait, and always returns nil. Any goroutine may
// call it, the handler included, any number of times.
func (r *Runner[T]) Close() error {
	r.flags.Or(flagClosed)
	return nil
}

// Shutdown closes the Runner and waits until its queue rests. When it returns nil, every push that returned nil before Shutdown
// began has been handled, and Handle is not called again. When ctx ends first, it returns ctx.Err() at once; what is not handled
// yet goes to Cancel, by the run in progress or, if none has started, here. Called from Handle it waits for itself until ctx ends.
func (r *Runner[T]) Shutdown(ctx context.Context) error {
	r.flags.Or(flagClosed)
	p := park.NewParker()
	r.mu.Lock()
	r.waiters = append(r.waiters, &p)
	r.mu.Unlock()
	defer r.removeWaiter(&p)
	for {
		if r.q.Resting() {
			r.flags.Or(flagFinal)
			// Without this second look, a push that came to its decision just before would run the handler after we return.
			if r.q.Resting() {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			r.flags.Or(flagCancel)
			// start looks at the flag after it has stored pending: one of the two sees the other.
			if turn := r.pending.Load(); turn != 0 && r.pending.CompareAndSwap(turn, 0) {
				r.consume(&episode{drain: true})
			}
			return err
		}
		p.ParkUntil(ctx.Done(), nil)
	}
}

func (r *Runner[T]) removeWaiter(p *park.Parker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.waiters {
		if w == p {
			last := len(r.waiters) - 1
			r.waiters[i], r.waiters[last] = r.waiters[last], nil
			r.waiters = r.waiters[:last]
			return
		}
	}
}

// Totals returns the counts so far. Any goroutine may call it. They are exact after Shutdown.
func (r *Runner[T]) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.totals
}

// start hands the consumer side to a new run. woken says that a push asked for it.
func (r *Runner[T]) start(woken bool) {
	r.turn++
	turn := r.turn
	r.pending.Store(turn)
	if r.flags.Load()&flagCancel != 0 {
		// Shutdown may have looked for a pending run before there was one, and Spawn's goroutines may be gone.
		r.run(turn, woken)
		return
	}
	if r.cfg.Spawn == nil {
		r.startGo(turn, woken)
		return
	}
	r.spawn(turn, woken)
}

// startGo starts a run with go.
func (r *Runner[T]) startGo(turn uint64, woken bool) {
	park.Go(func() {
		if !woken {
			// The goroutine that has used up its budget started this one and ended, which hands on its processor, ahead of all
			// who wait for it, and the rest of its slice. Without a yield the budget would be of no use to them.
			runtime.Gosched()
		}
		r.run(turn, woken)
	})
}

// spawn calls Spawn, and sees to it that the run is started whatever Spawn does.
func (r *Runner[T]) spawn(turn uint64, woken bool) {
	err, returned := error(nil), false
	defer func() {
		if returned && err == nil {
			return
		}
		v := recover() // nil if Spawn returned an error, or if it was left by a Goexit, which goes on
		unclaimed := r.pending.Load() == turn
		if err != nil || v != nil || unclaimed {
			r.mu.Lock()
			r.totals.SpawnErrors++
			r.mu.Unlock()
		}
		if unclaimed {
			r.startGo(turn, woken)
		}
	}()
	err = r.cfg.Spawn(func() { r.run(turn, woken) })
	returned = true
}

// run is one turn on the consumer side, unless that turn has been claimed already.
func (r *Runner[T]) run(turn uint64, woken bool) {
	if r.pending.CompareAndSwap(turn, 0) {
		r.consume(&episode{woken: woken})
	}
}

// episode is what one owner does with the consumer side, from its claim until it lets go. It belongs to that goroutine.
type episode struct {
	woken bool // a push asked for it
	drain bool // no run: what is there goes to Cancel, on the goroutine of a late push or of Shutdown

	stats     Stats // Count is what was handled
	cancelled int   // entries given to Cancel
	panics    int
	booked    Totals // what of this is in the Runner's totals already

	over bool // the consumer side has been handed on, or the queue is at rest
}

// consume runs e to its end. However that comes, the queue is at rest then or the next run has been started.
func (r *Runner[T]) consume(e *episode) {
	defer func() {
		if !e.over {
			// A panic or Goexit is ending this goroutine, and the consumer side is still ours.
			r.book(e)
			r.handOn(e, r.q.Idle())
		}
	}()
	e.stats.Loops = 1
	for !e.over {
		r.work(e)
	}
}

// work pops and handles until e is over, or a panic that OnPanic takes has interrupted it.
func (r *Runner[T]) work(e *episode) {
	calling := false // a function of the user's; a panic of the queue (misuse) is not for OnPanic, and would come again and again
	defer func() {
		if !calling {
			return
		}
		e.panics++
		if r.cfg.OnPanic != nil {
			if v := recover(); v != nil { // not for Goexit
				r.cfg.OnPanic(v)
			}
		}
	}()
	// After a panic nobody has said yet that there is more, as a claim or a failed Idle does.
	for dry := e.panics == 0; ; dry = true {
		for e.drain || e.stats.Count < r.cfg.Budget {
			v, ok := r.q.Pop()
			if !ok {
				break
			}
			dry = false
			calling = true
			if e.drain || r.flags.Load()&flagCancel != 0 {
				e.cancelled++
				if r.cfg.Cancel != nil { // a function that does nothing would cost each Runner an allocation
					r.cfg.Cancel(v)
				}
			} else {
				e.stats.Count++
				r.cfg.Handle(v)
			}
			calling = false
		}
		r.book(e)
		rest := r.q.Idle()
		if rest || !e.drain && e.stats.Count >= r.cfg.Budget {
			r.handOn(e, rest)
			return
		}
		if dry {
			// Nothing came out, and still it is not empty: a push is half done. Its producer needs a processor, maybe this one.
			runtime.Gosched()
		}
		e.stats.Loops++
	}
}

// book brings the totals up to date with e. It comes before Idle, so that they are exact for whoever sees the queue at rest.
func (r *Runner[T]) book(e *episode) {
	now := Totals{Handled: int64(e.stats.Count), Cancelled: int64(e.cancelled), Panics: int64(e.panics)}
	if !e.drain {
		now.Runs = 1
		if e.woken {
			now.Wakes = 1
		}
	}
	if now == e.booked {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.totals
	t.Wakes += now.Wakes - e.booked.Wakes
	t.Runs += now.Runs - e.booked.Runs
	t.Handled += now.Handled - e.booked.Handled
	t.Cancelled += now.Cancelled - e.booked.Cancelled
	t.Panics += now.Panics - e.booked.Panics
	t.LongestRun = max(t.LongestRun, now.Handled)
	e.booked = now
}

// handOn ends e: the queue is at rest, or the next run is started here. Nothing of the consumer side may be touched after it.
func (r *Runner[T]) handOn(e *episode, rest bool) {
	e.over = true
	e.stats.More = !rest
	switch {
	case !rest && e.drain:
		r.consume(&episode{drain: true})
	case !rest:
		r.start(false)
	case r.flags.Load()&flagClosed != 0:
		r.mu.Lock()
		for _, p := range r.waiters {
			p.Unpark()
		}
		r.mu.Unlock()
	}
	if !e.drain {
		r.cfg.Trace.run(e.stats)
	}
}
