//go:build !race

package sched

import "iter"

const raceEnabled = false

func raceAcquire(*byte) {}
func raceRelease(*byte) {}

func raceDisable() {}
func raceEnable()  {}

// worker is the goroutine of a thread. It is a coroutine of the goroutine that runs the machine: a switch costs a tenth of a
// channel's, and wakes no other processor.
type worker struct {
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	started bool
}

// died is what next panics with when the thread has ended by Goexit. iter.Pull would hand the Goexit on to us.
type died struct{}

func (w *worker) start(t *Thread) {
	w.started = true
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		alive := false
		defer func() {
			if !alive {
				panic(died{})
			}
		}()
		w.yield = yield
		for {
			t.run()
			if !yield(struct{}{}) {
				break
			}
		}
		alive = true
	})
}

// resume hands the baton to the thread and returns when it comes back.
func (w *worker) resume(t *Thread) {
	if !w.started {
		w.start(t)
	}
	defer w.buried()
	w.next()
}

func (w *worker) buried() {
	if p := recover(); p != nil {
		if _, ok := p.(died); !ok {
			panic(p)
		}
		w.started = false
	}
}

// pause hands the baton back and returns when the thread is resumed.
func (w *worker) pause() {
	w.yield(struct{}{})
}

// close ends the goroutine, which must be between two executions.
func (w *worker) close() {
	if w.started {
		w.stop()
		w.started = false
	}
}
