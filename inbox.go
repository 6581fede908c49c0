package taskwork

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/pad"
	"github.com/taskwork/taskwork/internal/park"
)

// InboxConfig holds what an Inbox can do without.
type InboxConfig[T any] struct {
	// Cancel gets the entries of pushes that slipped past Close after the receiver had been told ErrClosed, and no others. It
	// runs on a producer's goroutine. Nil: such entries are dropped (and counted).
	Cancel func(T)
	Trace  *Trace
}

// Inbox lets one goroutine sleep until enough is queued: the waiting side of io_uring.
//
// Producers and the sleeper agree through one word:
//
//	word > 0    armed: the receiver sleeps, or is about to; so many lazy entries are still wanted
//	word == 0   nobody waits, or the wake has been claimed
//	word < 0    urgent: a forced push came in, and the receiver has not noticed yet
//
//	                       a lazy push: from n to n-1           a lazy push, at 1; a forced one: claims the wake
//	                              ┌───┐                       ┌───────────────────────────────────┐
//	┌───────────┐   arm (n)     ┌─┴───▼─┐                     │                                   ▼
//	│ 0: nobody │ ────────────▶ │ armed │ ────────────────────┘                     0 (lazy) or urgent (forced)
//	└───────────┘               └───────┘
//
// A producer looks at the word only after its entry is published; the receiver arms the word, and only then looks at the queue
// for the last time. So one of the two sees the other. A forced push claims the wake by an exchange, which nothing can make
// fail: a compare-and-swap that loses against another push's countdown is no sign that somebody else has claimed it.
//
// The receiver is the consumer for life: the queue stays active, and goes to rest only when it is closed and drained. A push that
// finds it at rest after all came too late, and what it finds there goes to Cancel.
//
// One goroutine at a time may receive: TryRecv, Recv, RecvBatch and All. Everything else may be called from anywhere.
type Inbox[T any] struct {
	// Set by NewInbox, then read only.
	q   Queue[T]
	cfg InboxConfig[T]
	// sleeper is where the receiver sleeps. Whoever claims the wake unparks it. A token in it may be stale.
	sleeper park.Parker
	// closed goes from false to true once. Every push reads it.
	closed atomic.Bool
	_      [pad.Line]byte

	// word is the sleeper's: see above. The receiver arms and disarms it, producers count it down and mark it urgent. A
	// push that finds nothing to do here only reads it.
	word atomic.Int32
	_    [pad.Line - 4]byte

	// drained belongs to the receiver: it has been told ErrClosed, and must not touch the queue any more.
	drained bool

	// mu guards totals, which the receiver writes at the end of a receive, and late pushes. No function of the user is called
	// under it.
	mu     sync.Mutex
	totals Totals
	_      [pad.Line]byte
}

// urgent is the mark of a forced push in the sleeper's word.
const urgent = -1

// NewInbox returns an Inbox that owns q, which must be new.
func NewInbox[T any](q Queue[T], cfg InboxConfig[T]) *Inbox[T] {
	if q == nil {
		panic("taskwork: NewInbox without a queue")
	}
	if cfg.Cancel == nil {
		cfg.Cancel = func(T) {}
	}
	// An entry of our own makes the queue active, and the receiver its consumer.
	var zero T
	if !q.Push(zero) {
		panic("taskwork: NewInbox with a queue that is in use")
	}
	if _, ok := q.Pop(); !ok {
		panic("taskwork: a queue did not hand out its only entry")
	}
	return &Inbox[T]{q: q, cfg: cfg, sleeper: park.NewParker()}
}

// Push queues v and wakes a sleeping receiver now, or returns ErrClosed.
func (in *Inbox[T]) Push(v T) error {
	if in.closed.Load() {
		return ErrClosed
	}
	in.Pushed(in.q.Push(v), 1)
	return nil
}

// PushLazy queues v, or returns ErrClosed. It wakes a sleeping receiver only when that one's minimum is reached.
func (in *Inbox[T]) PushLazy(v T) error {
	if in.closed.Load() {
		return ErrClosed
	}
	in.PushedLazy(in.q.Push(v), 1)
	return nil
}

// PushAll queues all values in order and wakes a sleeping receiver now, or returns ErrClosed and has taken none.
func (in *Inbox[T]) PushAll(vs []T) error {
	if in.closed.Load() {
		return ErrClosed
	}
	in.Pushed(in.q.PushAll(vs), len(vs))
	return nil
}

// Pushed must be called after a push of the caller's own to the queue (of nodes, by a Batch or through a lanes handle) with what
// it has reported and how many entries it published. It does what Push does from there on.
func (in *Inbox[T]) Pushed(wake bool, n int) {
	if wake {
		in.cancelLate()
	} else if n > 0 {
		in.force()
	}
}

// PushedLazy is [Inbox.Pushed] for entries that wake the receiver only when its minimum is reached.
func (in *Inbox[T]) PushedLazy(wake bool, n int) {
	if wake {
		in.cancelLate()
	} else if n > 0 {
		in.countDown(int32(min(n, math.MaxInt32)))
	}
}

// force marks the word urgent, and wakes the receiver if it was armed.
func (in *Inbox[T]) force() {
	if in.word.Load() >= 0 && in.word.Swap(urgent) > 0 {
		in.wake()
	}
}

// countDown takes n entries off what an armed receiver wants, and wakes it if that was all.
func (in *Inbox[T]) countDown(n int32) {
	for {
		wanted := in.word.Load()
		if wanted <= 0 {
			return
		}
		if in.word.CompareAndSwap(wanted, max(wanted-n, 0)) {
			if wanted <= n {
				in.wake()
			}
			return
		}
	}
}

// wake is for whoever has claimed the wake.
func (in *Inbox[T]) wake() {
	in.sleeper.Unpark()
	in.cfg.Trace.wake()
}

// cancelLate is the duty of a push that found the queue at its final rest: its caller is the consumer now.
func (in *Inbox[T]) cancelLate() {
	rest := false
	defer func() {
		if !rest {
			in.cancelLate() // Cancel has panicked, which goes on; the others must not stay behind
		}
	}()
	Run(in.q, 0, func(v T) {
		in.mu.Lock()
		in.totals.Cancelled++
		in.mu.Unlock()
		in.cfg.Cancel(v)
	})
	rest = true
}

// Close makes pushes return ErrClosed, and wakes the receiver: it gets what is left, and then ErrClosed. Any goroutine may call
// it, any number of times.
func (in *Inbox[T]) Close() {
	in.closed.Store(true)
	in.force()
}

// book adds what one receive came to.
func (in *Inbox[T]) book(t Totals) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.totals.Wakes += t.Wakes
	in.totals.Runs += t.Runs
	in.totals.Handled += t.Handled
	in.totals.LongestRun = max(in.totals.LongestRun, t.LongestRun)
}

// Totals returns the counts so far. Any goroutine may call it. They are exact once the receiver has returned.
func (in *Inbox[T]) Totals() Totals {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.totals
}
