package sched

import (
	"runtime"
	"runtime/debug"
)

// MaxThreads is the number of threads that one exploration may have: sets of threads are words.
const MaxThreads = 32

// maxWait is the number of objects that one operation can wait for: a token, a done channel and a deadline.
const maxWait = 3

type status uint8

const (
	idle status = iota // not part of this execution
	born               // started, but still to run up to its first operation
	live               // has announced an operation, or is performing one
	over               // ended
)

// Thread is a thread of the program under test. The structure and its goroutine are reused from execution to execution.
//
// The fields of the first group belong to the machine, those of the second are written by the thread while it holds the baton.
// The thread announces its next operation before the machine has completed the one before it, so what is needed for the latter is
// either in the first group or written between being granted an operation and leaving it.
type Thread struct {
	x      *Exec
	id     int // the same for the same thread in all executions: the k-th child of its parent
	seq    int // rank in the order of creation in this execution
	name   string
	fn     func()
	status status

	base  int32 // the last event, or the one in which it was started
	local uint16
	reads []read // what it has read since its last yield
	spun  read   // what it did last, if that was a read; otherwise obj is −1
	waits [maxWait]int32
	nwait int
	obj   int32
	told  bool      // the announcement has been looked up
	place []uintptr // where the operation under way was announced from

	op       Op
	addrs    [maxWait]any
	opens    [maxWait]bool // state of addrs, in case they are new
	naddr    int
	effect   Effect
	changed  bool
	open     bool
	taken    int // which of addrs ended the wait
	old, new any
	pcs      [24]uintptr
	npcs     int
	children int
	choice   int // asked for: the number of values; answered: the value
	asking   bool
	escape   int // operations since the execution was aborted
	token    byte
	worker   worker
}

type read struct {
	obj     int32
	since   int32
	version uint32
}

// run is the life of the thread in one execution.
//
//go:norace
func (t *Thread) run() {
	defer t.end()
	raceAcquire(&t.token)
	if !t.x.aborting {
		t.fn()
	}
}

// end is deferred: it sees panics, and it is reached by Goexit too.
//
//go:norace
func (t *Thread) end() {
	if p := recover(); p != nil && !t.x.aborting {
		t.x.report(panicFailure(p))
	}
	t.status = over
	raceRelease(&t.x.token)
	if !raceEnabled {
		t.x.decide(t)
	}
}

// Enter announces an operation of the running thread on the object at addr and returns when it may be performed. It returns nil
// if the calling goroutine is not under exploration: then the twin does the plain thing and reports nothing.
//
//go:norace
func Enter(addr any, op Op) *Thread {
	t := current
	if t == nil {
		return nil
	}
	return t.enter(op, addr, nil, nil, false, false, false, 1)
}

// EnterGate is Enter for an object that can be waited for; open is its state, in case the explorer sees it for the first time.
//
//go:norace
func EnterGate(addr any, op Op, open bool) *Thread {
	t := current
	if t == nil {
		return nil
	}
	return t.enter(op, addr, nil, nil, open, false, false, 1)
}

// EnterUntil is EnterGate for up to three objects, of which one has to be open. An absent one is nil.
//
//go:norace
func EnterUntil(op Op, a, b, c any, aOpen, bOpen, cOpen bool) *Thread {
	t := current
	if t == nil {
		return nil
	}
	return t.enter(op, a, b, c, aOpen, bOpen, cOpen, 3)
}

//go:norace
func (t *Thread) enter(op Op, a, b, c any, aOpen, bOpen, cOpen bool, n int) *Thread {
	x := t.x
	if x.aborting {
		t.escaping()
		return nil
	}
	t.op = op
	t.addrs[0], t.addrs[1], t.addrs[2] = a, b, c
	t.opens[0], t.opens[1], t.opens[2] = aOpen, bOpen, cOpen
	t.naddr = n
	t.told = false
	if x.tracing {
		t.npcs = runtime.Callers(3, t.pcs[:])
	}
	x.turn(t)
	t.effect, t.changed, t.open, t.taken = Write, true, false, 0
	t.old, t.new = nil, nil
	return t
}

// Leave reports what the operation did.
//
//go:norace
func (t *Thread) Leave(effect Effect, changed bool) {
	t.effect, t.changed = effect, changed
}

// LeaveGate is Leave for an object that can be waited for.
//
//go:norace
func (t *Thread) LeaveGate(effect Effect, changed, open bool) {
	t.effect, t.changed, t.open = effect, changed, open
}

// Tracing tells whether values are wanted for a trace.
//
//go:norace
func (t *Thread) Tracing() bool {
	return t.x.tracing
}

// Values reports the object's value before and after the operation.
//
//go:norace
func (t *Thread) Values(before, after any) {
	t.old, t.new = before, after
}

// escaping counts what deferred functions do while an aborted execution unwinds; one that loops for ever is cut short too.
//
//go:norace
func (t *Thread) escaping() {
	t.escape++
	if t.escape > 10_000 {
		t.escape = 0
		runtime.Goexit()
	}
}

// Yielding performs a yield and tells whether the goroutine is under exploration.
//
//go:norace
func Yielding() bool {
	t := current
	if t == nil {
		return false
	}
	if t.enter(Yield, nil, nil, nil, false, false, false, 0) != nil {
		t.effect, t.changed = Read, false
	}
	return true
}

// Exploring tells whether the calling goroutine is under exploration, be it a thread, a body or a final check.
//
//go:norace
func Exploring() bool {
	return current != nil || passive
}

// Passive tells whether nothing may block on this goroutine now, because there is no thread that could end the wait: in a body,
// in a final check, and while an aborted execution is unwound.
//
//go:norace
func Passive() bool {
	if t := current; t != nil {
		return t.x.aborting
	}
	return passive
}

// Stuck reports that a body or final check would wait for ever; unwinding threads just go on.
//
//go:norace
func Stuck(what string) {
	if current == nil && passive {
		panic("taskwork: explore: " + what + " would wait for ever outside of a thread")
	}
}

// GoHere starts a thread from code that has no Exec at hand, and tells whether the goroutine is under exploration.
//
//go:norace
func GoHere(name string, fn func()) bool {
	if current == nil && !passive {
		return false
	}
	active.Go(name, fn)
	return true
}

// Generation is a number that no two executions share.
//
//go:norace
func Generation() uint64 {
	return generation
}

// current is the thread that holds the baton. It is nil in bodies, final checks and ordinary tests.
var current *Thread

// active is the exploration under way.
var active *Exec

// passive is true while a body or a final check runs.
var passive bool

var generation uint64

func panicFailure(p any) Failure {
	return Failure{Kind: "panic", Message: format("%v", p), Stack: string(debug.Stack())}
}

// Took reports which of the objects of an EnterUntil ended the wait: the first one is used up by it, the others stay open.
//
//go:norace
func (t *Thread) Took(i int) { t.taken = i }
