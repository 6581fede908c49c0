package taskwork

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/taskwork/taskwork/internal/park"
)

// TryRecv returns an entry if one can be handed out now.
func (in *Inbox[T]) TryRecv() (T, bool) {
	var v T
	ok := false
	if !in.drained {
		v, ok = in.q.Pop()
	}
	if ok {
		in.book(Totals{Runs: 1, Handled: 1, LongestRun: 1})
		in.cfg.Trace.run(Stats{Count: 1, Loops: 1})
	}
	return v, ok
}

// Recv returns the next entry and sleeps while there is none. It returns an error only without an entry: ErrClosed once the Inbox
// is closed and drained, or ctx.Err() when ctx ends.
func (in *Inbox[T]) Recv(ctx context.Context) (T, error) {
	var dst [1]T
	_, err := in.RecvBatch(ctx, dst[:], 1, 0)
	return dst[0], err
}

// All yields entries until ctx ends or the Inbox is closed and drained. A break leaves the rest queued.
func (in *Inbox[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := in.Recv(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// RecvBatch moves what is queued into dst, and sleeps until it may return:
//
//	(a) when it holds at least atLeast entries, clamped to 1..len(dst);
//	(b) as soon as any entry that it holds came by Push or PushAll, also one pushed just before the call or between its last
//	    look and its sleep; it may return early for a stale reason, with at least one entry, but never late;
//	(c) with at least one entry when linger has passed since the call, or, if there was none at that moment, with the first
//	    that arrives after it, lazy or not; entries do not restart the clock; linger < 1 means never;
//	(d) with what it holds and ctx.Err() when ctx ends; one look is always taken first, and if that satisfies one of the above
//	    the error is nil;
//	(e) after Close with what is left and a nil error, then with 0 and ErrClosed.
//
// It never returns 0 and nil, except for an empty dst, and it never loses an entry.
func (in *Inbox[T]) RecvBatch(ctx context.Context, dst []T, atLeast int, linger time.Duration) (n int, err error) {
	if len(dst) == 0 {
		return 0, nil
	}
	if in.drained {
		return 0, ErrClosed
	}
	r := receive[T]{in: in, dst: dst, min: max(1, min(atLeast, len(dst)))}
	err = r.do(ctx, linger)
	more := in.leave(&r)
	in.book(Totals{Wakes: r.wakes, Runs: 1, Handled: int64(r.n), LongestRun: int64(r.n)})
	in.cfg.Trace.run(Stats{Count: r.n, Loops: r.looks, More: more})
	return r.n, err
}

// leave puts an urgent mark back that the receive has met, unless it has seen the queue empty since: the entry that the mark
// stands for is in there, and would wait for the next receive's minimum. It tells whether anything stays behind.
func (in *Inbox[T]) leave(r *receive[T]) (more bool) {
	if in.drained {
		return false
	}
	more = !in.q.Empty()
	if more && r.urgent {
		in.word.Store(urgent)
	}
	return more
}

// receive is one call of RecvBatch: everything in it belongs to the receiver.
type receive[T any] struct {
	in  *Inbox[T]
	dst []T
	n   int // dst[:n] holds entries
	min int

	urgent   bool           // a mark was met
	deadline *park.Deadline // of linger; nil: none, or passed
	lingered bool           // it has passed

	looks int
	wakes int64
}

// do receives until RecvBatch may return.
func (r *receive[T]) do(ctx context.Context, linger time.Duration) error {
	// Whoever finds enough at once leaves the word alone: a mark stays for a receive that has to care.
	if r.look(); r.n >= r.min {
		return nil
	}
	in := r.in
	for {
		// The mark comes off before the look: its entry was published before the mark was set, so the look finds it.
		r.takeMark()
		if r.deadline != nil && r.deadline.Passed() {
			r.deadline, r.lingered = nil, true
		}
		r.look()
		if r.n >= r.min || r.n > 0 && (r.urgent || r.lingered) {
			return nil
		}
		if in.closed.Load() {
			if r.n > 0 {
				return nil
			}
			if in.q.Empty() && in.q.Idle() {
				in.drained = true
				return ErrClosed
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if linger > 0 && r.deadline == nil && !r.lingered {
			r.deadline = park.After(linger)
		}
		r.sleep(ctx.Done())
	}
}

// takeMark takes an urgent mark off the word and remembers it.
func (r *receive[T]) takeMark() {
	if word := &r.in.word; word.Load() < 0 && word.Swap(0) < 0 {
		r.urgent = true
	}
}

// look pops what there is, as far as dst has room.
func (r *receive[T]) look() (found bool) {
	r.looks++
	for r.n < len(r.dst) {
		v, ok := r.in.q.Pop()
		if !ok {
			break
		}
		r.dst[r.n] = v
		r.n++
		found = true
	}
	return found
}

// sleep arms the word, looks again, parks if there is still nothing, and disarms. dst has room, and the last look ended dry. It
// may return for any reason or none.
func (r *receive[T]) sleep(done <-chan struct{}) {
	in := r.in
	if r.urgent && r.n == 0 && in.q.Empty() {
		r.urgent = false // what the mark stood for has been received before this call
	}
	want := int32(min(r.min-r.n, math.MaxInt32))
	if r.lingered {
		want = 1
	}
	for {
		if !in.word.CompareAndSwap(0, want) {
			if in.word.Load() > 0 {
				panic("taskwork: concurrent consumer")
			}
			return // a mark came meanwhile
		}
		if r.look() {
			break
		}
		if want == 1 || in.q.Empty() {
			in.sleeper.ParkUntil(done, r.deadline)
			break
		}
		// A push is half done, and may hide finished ones that have looked at the word before it was armed and will not count
		// again. Then the next one to finish has to do.
		want = 1
		if r.disarm() {
			return
		}
	}
	r.disarm()
}

// disarm takes the word back, and tells whether it found an urgent mark.
func (r *receive[T]) disarm() bool {
	was := r.in.word.Swap(0)
	if was <= 0 {
		r.wakes++
	}
	if was < 0 {
		r.urgent = true
	}
	return was < 0
}
