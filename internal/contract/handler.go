package contract

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/taskwork/taskwork"
)

// LastLook checks pushes that come between the consumer's last look and its Idle: they wake nobody, since the consumer is still
// there, and so that one must not go.
var LastLook = sequential("LastLook", func(s *scene) {
	for _, budget := range []int{0, 1, 2, 1000} {
		q := s.queue()
		for round := range s.LastLooks {
			late, pushed := 1+round%3, 1 // so many pushes come late, each after another Pop that found nothing
			h := &Hooked[int]{Queue: q, EmptyPop: func(k int) {
				if k <= late {
					s.apart(func() {
						want(s, Wake, false, q.Push(pushed), "Push between a Pop that found nothing and Idle")
					})
					pushed++
				}
			}}
			want(s, Wake, true, q.Push(0), "Push at rest")
			next := 0
			for more := true; more; {
				more = taskwork.Run(h, budget, func(v int) {
					want(s, NoLostWork, next, v, "the entry handed out")
					next++
				}).More
			}
			// A run that has used up its budget does not look again.
			if pushed == 1 && budget != 1 {
				s.fail(Capped, "Run(q, %d, …) went to rest without having seen a Pop that found nothing", budget)
			}
			want(s, NoLostWork, pushed, next, "entries handed out, of one that woke the consumer and %d that came between its last "+
				"look and Idle", pushed-1)
			want(s, Resting, true, q.Resting(), "Resting after the run")
		}
	}
	// And by hand, for a run of budget one: the push comes when the budget has been used up, and More says so.
	q := s.queue()
	for range s.LastLooks {
		h := &Hooked[int]{Queue: q}
		h.BeforeIdle = func() {
			h.BeforeIdle = nil
			s.apart(func() { want(s, Wake, false, q.Push(2), "Push just before Idle") })
		}
		want(s, Wake, true, q.Push(1), "Push at rest")
		st := taskwork.Run(h, 1, func(int) {})
		want(s, Capped, taskwork.Stats{Count: 1, Loops: 1, More: true}, st, "Run(q, 1, …) with a push just before Idle")
		st = taskwork.Run(q, 1, func(v int) { want(s, NoLostWork, 2, v, "the entry handed out") })
		want(s, Capped, taskwork.Stats{Count: 1, Loops: 1}, st, "Run(q, 1, …) with the one entry left")
	}
})

// HandlerPushes checks pushes that come while a handler is at work, from itself and from others: none wakes anybody.
var HandlerPushes = sequential("HandlerPushes", func(s *scene) {
	for _, form := range s.forms() {
		q := s.queue()
		busy, got := false, []int(nil)
		want(s, Wake, true, form.push(q, 1), "%s at rest", form.name)
		taskwork.Run(q, 0, func(v int) {
			if busy {
				s.fail(OneConsumer, "a handler was called inside another one")
			}
			busy = true
			got = append(got, v)
			// 1 makes 2, 2 makes 3, …; and others push n+100 while the handler of n is at work.
			if v < 20 {
				want(s, Wake, false, form.push(q, v+1), "%s from inside the handler", form.name)
				want(s, Empty, false, q.Empty(), "Empty after a push from inside the handler")
				want(s, Idle, false, q.Idle(), "Idle after a push from inside the handler")
				s.apart(func() {
					want(s, Wake, false, form.push(q, v+100), "%s of another goroutine while a handler is at work", form.name)
				})
			}
			if len(got) > 39 {
				s.fail(NoLostWork, "39 entries were pushed, and more are handed out: %v", got)
			}
			busy = false
		})
		var expected []int
		for v := 1; v <= 20; v++ {
			if expected = append(expected, v); v > 1 {
				expected = append(expected, v+99)
			}
		}
		// The handler's push comes before the other goroutine's, which it waits for: so that order is real time's.
		if !s.TotalOrder {
			slices.Sort(expected)
			slices.Sort(got)
		}
		if !slices.Equal(expected, got) {
			s.fail(NoLostWork, "handlers pushed more entries: got %v, want %v", got, expected)
		}
		want(s, Resting, true, q.Resting(), "Resting after the run")
	}
})

var errFault = errors.New("fault of the handler, on purpose")

// HandlerFaults checks that a handler's panic or Goexit costs its own entry and nothing else: at the first, a middle and the
// last entry, with more pushed by the handler before it, and at the entry that emptied the queue.
var HandlerFaults = sequential("HandlerFaults", func(s *scene) {
	for _, goexit := range []bool{false, true} {
		for _, drain := range []bool{false, true} {
			for n := 1; n <= 5; n++ {
				for at := 1; at <= n; at++ {
					for _, more := range []int{0, 2} {
						s.handlerFault(n, at, more, goexit, drain)
					}
				}
			}
		}
	}
})

// handlerFault queues 1…n; the handler of at pushes more entries and then panics or exits. Another run takes up the rest.
func (s *scene) handlerFault(n, at, more int, goexit, drain bool) {
	what := fmt.Sprintf("handler of entry %d of %d, having pushed %d more, ends by a panic", at, n, more)
	if goexit {
		what = fmt.Sprintf("handler of entry %d of %d, having pushed %d more, ends by Goexit", at, n, more)
	}
	q := s.queue()
	for v := 1; v <= n; v++ {
		q.Push(v)
	}
	var got []int
	handle := func(v int) {
		if got = append(got, v); len(got) > n+more {
			s.fail(Faults, "%s: %d entries were pushed, and more are handed out: %v", what, n+more, got)
		}
		if v != at {
			return
		}
		for i := range more {
			want(s, Faults, false, q.Push(n+1+i), "%s: wake of its push", what)
		}
		if goexit {
			runtime.Goexit()
		}
		panic(errFault)
	}
	run := func() {
		if drain {
			for v := range taskwork.Drain(q) {
				handle(v)
			}
		} else {
			taskwork.Run(q, 0, handle)
		}
	}
	panicked, exited := s.apart(run)
	want(s, Faults, goexit, exited, "%s: the run's goroutine ended by Goexit", what)
	if !goexit {
		want(s, Faults, any(errFault), panicked, "%s: panic that came through the run", what)
	}
	want(s, Faults, at, len(got), "%s: entries handed out before and by it", what)
	want(s, Faults, false, q.Resting(), "%s: Resting afterwards", what)
	want(s, Faults, false, q.Push(n+more+1), "%s: wake of a push afterwards", what)
	n++
	if panicked, exited = s.apart(run); panicked != nil || exited {
		s.fail(Faults, "%s: the next run was ended by it, too: %v", what, panicked)
	}
	s.sorted(got)
	want(s, Faults, n+more, len(got), "%s: entries handed out by both runs", what)
	want(s, Resting, true, q.Resting(), "%s: Resting after the next run", what)
}
