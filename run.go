package taskwork

import (
	"iter"
	"runtime"
)

// Stats tells how a run went. Many entries for each loop mean that batching works: one wake served a burst.
type Stats struct {
	Count int  // entries handed out
	Loops int  // rounds: 1, plus one each time the queue had run dry, could not go to rest, and was polled again
	More  bool // stopped at max and the queue would not go to rest: the consumer is still active, call Run again
}

// Run is the consumer's duty as a function: it hands entries to fn until the queue is at rest, or until it has handed out max
// of them; max < 1 means no limit. The caller must be the active consumer, and still is if Stats.More says so; otherwise it must
// not touch the consumer side any more. While a producer is half way through a push, Run yields its processor between looks.
//
// If fn panics or calls runtime.Goexit, its entry counts as handed out, the rest stays queued in order, the consumer is still
// active, and the panic goes on: whoever recovers it owns the consumer side.
func Run[T any](q Queue[T], max int, fn func(T)) Stats {
	if fn == nil {
		panic("taskwork: Run with a nil function")
	}
	s := Stats{Loops: 1}
	for dry := true; ; {
		for max < 1 || s.Count < max {
			v, ok := q.Pop()
			if !ok {
				break
			}
			dry = false
			s.Count++
			fn(v)
		}
		if q.Idle() {
			return s
		}
		if max > 0 && s.Count >= max {
			s.More = true
			return s
		}
		if dry {
			// Nothing came out, and still it is not empty: a push is half done. Its producer needs a processor, maybe this one.
			runtime.Gosched()
		}
		dry = true
		s.Loops++
	}
}

// Drain is [Run] as a sequence: it yields entries until the queue is at rest. The caller must be the active consumer. After a
// break, or a panic in the loop's body, the rest stays queued and the consumer is still active.
func Drain[T any](q Queue[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for dry := true; ; {
			for v, ok := q.Pop(); ok; v, ok = q.Pop() {
				dry = false
				if !yield(v) {
					return
				}
			}
			if q.Idle() {
				return
			}
			if dry {
				runtime.Gosched() // as in Run
			}
			dry = true
		}
	}
}
