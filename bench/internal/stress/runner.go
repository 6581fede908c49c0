package stress

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
)

// runner lets producers push into a Runner whose handler panics now and then and whose Spawn fails, and closes it at some time:
// before they are done, or after, waiting or not.
func runner(e *env) error {
	q := newQueue[item](e)
	book := newLedger()
	var inside atomic.Int32
	var overlap atomic.Bool
	var cancelled, panics atomic.Int64
	panicEvery, exitEvery := e.IntN(2)*1000, e.IntN(2)*1500
	cfg := taskwork.RunnerConfig[item]{
		Budget: e.IntN(300),
		Cancel: func(item) { cancelled.Add(1) },
		OnPanic: func(any) {
			panics.Add(1)
		},
		Handle: func(it item) {
			if inside.Add(1) != 1 {
				overlap.Store(true)
			}
			defer inside.Add(-1)
			book.enter(it)
			switch {
			case panicEvery > 0 && book.n%int64(panicEvery) == 0:
				panic("on purpose")
			case exitEvery > 0 && book.n%int64(exitEvery) == 0:
				runtime.Goexit()
			}
		},
	}
	switch e.IntN(3) {
	case 0:
		var n atomic.Int64
		cfg.Spawn = func(run func()) error {
			if n.Add(1)%3 == 0 {
				return errors.New("no goroutine to be had")
			}
			go run()
			return nil
		}
	case 1:
		cfg.Spawn = func(run func()) error {
			go run()
			go run() // further calls do nothing
			return nil
		}
	}
	r := taskwork.NewRunner(q, cfg)

	// Pushes through the Runner may be refused; producers of [produce] push to the queue itself, which is never refused.
	var accepted atomic.Int64
	var all sync.WaitGroup
	stream := streams()
	for range 1 + e.IntN(8) {
		rng, s := fork(e), stream()
		all.Go(func() {
			for seq := uint32(0); seq < 3000; seq++ {
				if r.Push(item{s, seq}) != nil {
					break
				}
				accepted.Add(1)
				if rng.IntN(200) == 0 {
					time.Sleep(time.Duration(rng.IntN(30)) * time.Microsecond)
				}
			}
		})
	}
	if e.IntN(2) == 0 {
		accepted.Add(produce(e, q, stream, func(wake bool, _ int) { r.Pushed(wake) }, 1+e.IntN(4), 1000))
	}
	time.Sleep(time.Duration(e.IntN(3000)) * time.Microsecond)
	e.t.Closes.Add(1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(e.IntN(2000))*time.Microsecond)
	defer cancel()
	if e.IntN(2) == 0 {
		all.Go(func() { _ = r.Close() })
	}
	quiet := r.Shutdown(ctx) == nil
	all.Wait()
	// A Shutdown that gave up leaves the rest to whoever holds the consumer side; a second one waits for that.
	if err := r.Shutdown(context.Background()); err != nil {
		return err
	}
	t := r.Totals()
	e.t.Entries.Add(accepted.Load())
	e.t.Wakes.Add(t.Wakes)
	e.t.Cancelled.Add(t.Cancelled)
	e.t.Panics.Add(t.Panics)
	switch {
	case overlap.Load():
		return errors.New("two handlers at a time")
	case quiet && book.err != nil, !quiet && cancelled.Load() == 0 && book.err != nil:
		return book.err
	case t.Handled != book.n, t.Cancelled != cancelled.Load(), t.Panics < panics.Load():
		return fmt.Errorf("totals %+v, but %d handled, %d cancelled, %d panics", t, book.n, cancelled.Load(), panics.Load())
	case t.Handled+t.Cancelled != accepted.Load():
		return fmt.Errorf("%d accepted, but %d handled and %d cancelled", accepted.Load(), t.Handled, t.Cancelled)
	case !q.Resting():
		return errors.New("the queue is not at rest in the end")
	}
	return nil
}
