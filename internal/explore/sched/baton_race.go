//go:build race

package sched

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

func raceAcquire(p *byte) { runtime.RaceAcquire(unsafe.Pointer(p)) }
func raceRelease(p *byte) { runtime.RaceReleaseMerge(unsafe.Pointer(p)) }

func raceDisable() { runtime.RaceDisable() }
func raceEnable()  { runtime.RaceEnable() }

// worker is the goroutine of a thread. Coroutines of package iter look like races to the detector once their synchronization is
// hidden, channels do not.
type worker struct {
	in, out chan struct{}
	started bool
	dead    bool
	closing bool
}

//go:norace
func (w *worker) start(t *Thread) {
	w.started, w.dead, w.closing = true, false, false
	w.in, w.out = make(chan struct{}), make(chan struct{})
	go w.loop(t)
}

//go:norace
func (w *worker) loop(t *Thread) {
	defer w.bury()
	w.await()
	for !w.closing {
		t.run()
		w.pause()
	}
}

// bury is reached by the end of the loop and by the Goexit of a thread.
//
//go:norace
func (w *worker) bury() {
	w.dead = true
	runtime.RaceDisable()
	w.out <- struct{}{}
	runtime.RaceEnable()
}

//go:norace
func (w *worker) await() {
	runtime.RaceDisable()
	<-w.in
	runtime.RaceEnable()
}

//go:norace
func (w *worker) resume(t *Thread) {
	if !w.started {
		w.start(t)
	}
	runtime.RaceDisable()
	w.in <- struct{}{}
	<-w.out
	runtime.RaceEnable()
	if w.dead {
		w.started = false
	}
}

//go:norace
func (w *worker) pause() {
	runtime.RaceDisable()
	w.out <- struct{}{}
	<-w.in
	runtime.RaceEnable()
}

//go:norace
func (w *worker) close() {
	if w.started {
		w.closing = true
		w.resume(nil)
	}
}
