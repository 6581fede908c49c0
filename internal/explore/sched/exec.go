package sched

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Strategy picks a schedule. Its methods are called one at a time, but on different goroutines.
type Strategy interface {
	// Pick returns the thread to run next, one of the set enabled, or −1 to end the execution. Thread prev ran last; it is −1 at
	// the start. The event gets the number x.Len().
	Pick(x *Exec, enabled uint32, prev int) int
	// Choose returns a number below n.
	Choose(x *Exec, n int) int
	// Completed is called when the event at index i is known in full.
	Completed(x *Exec, i int)
}

// Failure is what ended an execution.
type Failure struct {
	Kind, Message, Stack string
}

// Exec is an exploration's machine and, for the time of a Run, one execution.
type Exec struct {
	strategy Strategy
	maxSteps int
	tracing  bool
	await    bool
	cut      bool // this execution was cut short by await

	// The history of this execution. The slots are reused; what lies beyond n belongs to an earlier one.
	events []Event
	n      int
	steps  int
	busy   int // event granted and not completed, or −1
	prev   int // thread of the last event

	objs  []object
	index map[any]int32

	threads  [MaxThreads]*Thread // all that ever were, by id
	nthreads int
	kids     [MaxThreads + 1][MaxThreads]*Thread // by parent id + 1 and rank
	order    [MaxThreads]*Thread                 // those of this execution, by rank
	norder   int
	begun    int // order[:begun] have been started
	roots    int
	next     *Thread

	aborting bool
	failure  *Failure
	final    []func()
	blocked  []func() string
	ticks    int
	dones    [MaxThreads]<-chan struct{}
	ndones   int
	token    byte

	names  [256]name
	nnames int
	notes  [256]note
	nnotes int
	rows   []row
}

type object struct {
	addr    any
	version uint32
	open    bool
	initial bool // was it open at first sight?
	last    int32
}

// New returns a machine for executions of at most maxSteps steps.
func New(maxSteps int) *Exec {
	return &Exec{maxSteps: maxSteps, index: map[any]int32{}}
}

// Await switches on that a thread which yields right after a read is not woken by a change of what it read. An execution that
// ends with such a thread left is dropped: there is another in which the thread reads later, sees the change and need not yield.
// In other words, the program explored is one in which fruitless looks do not occur: a thread that is about to have one stops.
func (x *Exec) Await(on bool) { x.await = on }

// Cut tells whether the last execution ended so.
func (x *Exec) Cut() bool { return x.cut }

// Run runs one execution and returns what went wrong, if anything did.
//
//go:norace
func (x *Exec) Run(s Strategy, body func()) *Failure {
	x.reset(s)
	if x.outside(body) {
		x.schedule()
	}
	x.unwind()
	raceAcquire(&x.token)
	if x.failure == nil && x.complete() {
		for _, f := range x.final {
			if !x.outside(f) {
				break
			}
		}
	}
	return x.failure
}

func (x *Exec) reset(s Strategy) {
	active, x.strategy = x, s
	x.n, x.steps, x.busy, x.prev = 0, 0, -1, -1
	clear(x.objs)
	x.objs = x.objs[:0]
	clear(x.index)
	clear(x.order[:x.norder])
	x.norder, x.begun, x.roots, x.next = 0, 0, 0, nil
	x.aborting, x.cut, x.failure = false, false, nil
	x.final, x.blocked = x.final[:0], x.blocked[:0]
	x.ticks, x.ndones, x.nnames, x.nnotes = 0, 0, 0, 0
	x.rows = x.rows[:0]
	generation++
}

// outside runs a part of the test that is not a thread.
func (x *Exec) outside(f func()) (ok bool) {
	passive = true
	defer func() {
		passive = false
		if p := recover(); p != nil {
			if _, failed := p.(failed); !failed {
				x.report(Failure{Kind: "panic", Message: fmt.Sprint(p), Stack: string(debug.Stack())})
			}
			ok = false
		}
	}()
	f()
	return true
}

// failed is what Fail panics with outside of a thread.
type failed struct{}

// schedule lets threads run until the execution has come to an end.
//
//go:norace
func (x *Exec) schedule() {
	next := x.decide(nil)
	for next != nil {
		current = next
		next.worker.resume(next)
		for raceEnabled && next.asking {
			next.choice, next.asking = x.choose(next, next.choice), false
			next.worker.resume(next)
		}
		if raceEnabled {
			x.decide(next)
		}
		next = x.next
	}
	current = nil
}

// unwind ends the threads that the execution left behind.
//
//go:norace
func (x *Exec) unwind() {
	x.aborting = x.aborting || !x.complete()
	for _, t := range x.order[:x.begun] {
		if t.status == live {
			raceAcquire(&x.token)
			raceRelease(&x.token)
			current = t
			t.worker.resume(t)
			current = nil
		}
	}
	for _, t := range x.order[:x.norder] {
		t.status, t.fn = idle, nil
	}
}

// complete tells whether all threads have ended by themselves.
//
//go:norace
func (x *Exec) complete() bool {
	for _, t := range x.order[:x.norder] {
		if t.status == born || t.status == live {
			return false
		}
	}
	return !x.aborting
}

// turn gives the baton away and returns when the thread may perform what it has announced.
//
// What threads release to x.token is acquired only when the execution is over, by final checks and by the deferred functions of
// threads that are unwound: these run one after the other, without the locks that would otherwise keep them apart.
//
//go:norace
func (x *Exec) turn(t *Thread) {
	raceRelease(&x.token)
	if raceEnabled || x.decide(t) != t {
		t.worker.pause()
	}
	if x.aborting {
		raceAcquire(&x.token)
		runtime.Goexit()
	}
}

// report ends the execution as failed; the first failure counts.
//
//go:norace
func (x *Exec) report(f Failure) {
	if x.failure == nil && !x.aborting {
		x.failure = &f
	}
	x.aborting = true
}

// Close ends the goroutines of the threads.
func (x *Exec) Close() {
	for _, t := range x.threads[:x.nthreads] {
		t.worker.close()
	}
}
