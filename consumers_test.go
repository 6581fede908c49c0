package taskwork_test

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taskwork/taskwork"
)

// guard ends the program with a dump of all goroutines if the test has not ended after a time that it never needs.
func guard(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(100*time.Second+*stressFor, func() {
		fmt.Fprintf(os.Stderr, "%s hangs\n", t.Name())
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		os.Exit(2)
	})
	t.Cleanup(func() { timer.Stop() })
}

// inBubble runs test over every queue in a bubble of package synctest: its clock is moved by the waiting alone, synctest.Wait
// returns when nobody can go on, and a sleeper whom nobody can wake any more, which is a missed wakeup, fails the test at once.
func inBubble(t *testing.T, test func(t *testing.T, newQueue func() taskwork.Queue[int])) {
	t.Helper()
	guard(t)
	each(t, func(t *testing.T, q queueOf[int]) {
		synctest.Test(t, func(t *testing.T) { test(t, q.new) })
	})
}

// hooked is a Queue that stops its callers where races are decided. The hooks are set while nobody else uses the queue.
type hooked[T any] struct {
	taskwork.Queue[T]

	// beforePush, if it is not nil, is called by Push and PushAll before anything is published: the caller has passed whatever
	// check there was.
	beforePush func()
	// step is set by onStep.
	step atomic.Pointer[func()]
	// rested, if it is not nil, is called by whoever has found the queue at rest, before it is told.
	rested func()
	// half is true while the push of pushHalf is half done: everything is hidden behind it.
	half atomic.Bool
	// pops, idles and pushes count the calls.
	pops, idles, pushes atomic.Int64
}

// hook returns a hooked queue without hooks.
func hook[T any](q taskwork.Queue[T]) *hooked[T] { return &hooked[T]{Queue: q} }

// pushHalf is a push that stops between its two steps (in mpscq: the exchange of the tail and the link), on an empty queue: it
// is not to be seen, and yet the queue is not empty, nor is anything visible that comes behind it. finish is the other half.
func (q *hooked[T]) pushHalf(v T) (finish func() (wake bool)) {
	q.half.Store(true)
	wake := q.Queue.Push(v)
	return func() bool {
		q.half.Store(false)
		return wake
	}
}

func (q *hooked[T]) push() {
	q.pushes.Add(1)
	if q.beforePush != nil {
		q.beforePush()
	}
}

func (q *hooked[T]) Push(v T) bool {
	q.push()
	return q.Queue.Push(v)
}

func (q *hooked[T]) PushAll(vs []T) bool {
	q.push()
	return q.Queue.PushAll(vs)
}

// onStep has the consumer call f before and after each Pop, Idle and Empty, until another f is set; nil: nothing. What f does happens
// between two steps of the consumer, as if by another goroutine. After an Idle that returned true, the caller is no consumer any
// more.
func (q *hooked[T]) onStep(f func()) {
	if f == nil {
		q.step.Store(nil)
	} else {
		q.step.Store(&f)
	}
}

func (q *hooked[T]) between() {
	if step := q.step.Load(); step != nil {
		(*step)()
	}
}

func (q *hooked[T]) Pop() (v T, ok bool) {
	q.pops.Add(1)
	q.between()
	if !q.half.Load() {
		v, ok = q.Queue.Pop()
	}
	q.between()
	return v, ok
}

func (q *hooked[T]) Idle() bool {
	q.idles.Add(1)
	q.between()
	idle := !q.half.Load() && q.Queue.Idle()
	q.between()
	return idle
}

func (q *hooked[T]) Empty() bool {
	q.between()
	empty := !q.half.Load() && q.Queue.Empty()
	q.between()
	return empty
}

func (q *hooked[T]) Resting() bool {
	resting := q.Queue.Resting()
	if resting && q.rested != nil {
		q.rested()
	}
	return resting
}

// atStep makes events happen at the given steps of the consumer of q, which count from the call on; steps do not fall. It
// returns how many have happened so far. Steps that are taken within an event do not count. (Everything is atomic because an
// event at the step after Idle may start the next consumer.)
func (q *hooked[T]) atStep(steps []int, events []func()) (happened func() int) {
	var now, done atomic.Int64
	var within atomic.Bool
	q.onStep(func() {
		if !within.CompareAndSwap(false, true) {
			return
		}
		for at := now.Load(); ; {
			i := int(done.Load())
			if i == len(events) || steps[i] > int(at) {
				break
			}
			done.Add(1)
			events[i]()
		}
		now.Add(1)
		within.Store(false)
	})
	return func() int { return int(done.Load()) }
}

// schedules calls scene with every choice of n steps that do not fall: steps[i] is when the i-th event is to happen. scene
// returns how many events have found their step before the consumer came to its end, or to sleep; a choice whose last steps
// were beyond that point is as good as any later one, so these are left out.
func schedules(n int, scene func(steps []int) (happened int)) {
	steps := make([]int, n)
	var choose func(i, least int) (happened int)
	choose = func(i, least int) int {
		if i == n {
			return scene(steps)
		}
		for at := least; ; at++ {
			steps[i] = at
			if happened := choose(i+1, at); happened <= i || at > 1000 {
				return happened
			}
		}
	}
	choose(0, 0)
}
