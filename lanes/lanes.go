package lanes

import (
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/backoff"
	"github.com/taskwork/taskwork/internal/pad"
)

// The state word: its two lowest bits say how things stand, the others count the times that a consumer has tried to go to rest.
const (
	atRest   = 0
	settling = 1 // the consumer has declared to go to rest and looks around once more
	active   = 2
	mode     = 3 // mask
	epoch    = 4 // one step of the count
)

// Queue is a multi-producer, single-consumer queue with the contract of taskwork.Queue, first in, first out for each handle,
// and among the pushes without one. The zero Queue is at rest and ready. It must not be copied after first use. It takes 256
// bytes without handles.
type Queue[T any] struct {
	// state is as above. Producers change it from at rest or settling to active; the active consumer to settling, and from
	// there, if it is still its own settling, to at rest or active. While the queue is active and busy, nobody writes this
	// line.
	state atomic.Uint64
	// lanes names all lanes that may hold entries, in an immutable slice; nil: none yet. Producer adds one, forget and Close
	// remove one, by compare-and-swap.
	lanes atomic.Pointer[[]*Producer[T]]
	// ordered is the lane for pushes without a handle, or nil before the first. It stays.
	ordered atomic.Pointer[ordered[T]]
	// chunkSlots overrides the length of chunks if it is not 0. Tests set it before first use.
	chunkSlots int
	_          [pad.Line - 32]byte

	// The rest belongs to the active consumer, which is handed over by Idle and wake.

	// lane is the current lane, which the consumer took entries off last; slots are those of its head chunk, and
	// slots[pos:end] are to be handed out next: published, and taken off the lane. nil and empty if there is none.
	lane     *Producer[T]
	slots    []T
	pos, end int
	// alone is how many entries the current lane may hand out before the others are looked at again. It is set when a round has
	// found nothing in them.
	alone int
	// next is the index of the lane to look at first in the next round.
	next int
	// looks is what the consumer remembers of its looks at the lanes.
	looks backoff.Looker
	_     [pad.Line - 80]byte
}

// Producer registers and returns a handle for one goroutine at a time, with a lane of its own. Any goroutine may call it. The
// handle is to be closed when it is no longer needed; one that is forgotten costs its memory until the queue goes.
func (q *Queue[T]) Producer() *Producer[T] {
	p := &Producer[T]{q: q}
	q.register(p)
	return p
}

// Push queues v behind all that was pushed without a handle, and tells whether its caller must run the consumer. Any goroutine
// may call it. It blocks while another goroutine is in a push without a handle.
func (q *Queue[T]) Push(v T) (wake bool) {
	o := q.lock()
	wake = o.lane.Push(v)
	o.mu.Unlock()
	return wake
}

// PushAll queues all values in order with one publication. Any goroutine may call it; see [Queue.Push].
func (q *Queue[T]) PushAll(vs []T) (wake bool) {
	if len(vs) == 0 {
		return false
	}
	o := q.lock()
	wake = o.lane.PushAll(vs)
	o.mu.Unlock()
	return wake
}

// Pop hands out the next entry. Only the active consumer may call it; false means that nothing can be handed out now. It is
// wait-free, but for the removal of a closed lane.
func (q *Queue[T]) Pop() (v T, ok bool) {
	if q.pos == q.end && !q.refill() {
		return v, false
	}
	slot := &q.slots[q.pos]
	q.pos++
	v = *slot
	var zero T
	*slot = zero
	return v, true
}

// refill takes the next entries off the lanes, all from one chunk of one lane, and reports whether it found any. It goes round
// the lanes, the current one last: the length of a chunk is what a lane may hand out before the next one has its turn, or of two
// if the others had nothing before.
func (q *Queue[T]) refill() bool {
	if q.state.Load()&mode != active {
		return false
	}
	q.looks.Look()
	current := q.lane
	if current != nil {
		if q.alone > 0 {
			// The short way: nobody else has had anything lately.
			if end := int(min(current.published.Load()-current.base, uint64(len(q.slots)))); end > q.pos {
				q.looks.Brought += end - q.pos
				q.alone -= end - q.pos
				q.end = end
				return true
			}
		}
		current.pos = q.pos
	}
	lanes := q.registered()
	i := q.next
	for range lanes {
		if i >= len(lanes) {
			i = 0
		}
		p := lanes[i]
		i++
		if n := p.published.Load(); n != p.taken() {
			q.next = i
			q.take(p, n, len(lanes))
			return true
		}
		if p.closed.Load() {
			q.forget(p)
		}
	}
	q.alone = len(q.slots)
	return false
}

// take takes entries off p, of which n have been published and some of these not taken, and makes it the current lane. It is
// one of so many lanes.
func (q *Queue[T]) take(p *Producer[T], n uint64, lanes int) {
	if p == q.lane {
		q.alone = len(q.slots)
	} else {
		q.enter(p)
	}
	if q.pos == len(q.slots) {
		q.slots, q.pos = p.advance(lanes), 0
	}
	q.end = int(min(n-p.base, uint64(len(q.slots))))
	q.looks.Brought += q.end - q.pos
}

// enter makes p the current lane.
func (q *Queue[T]) enter(p *Producer[T]) {
	q.exit()
	q.lane, q.pos, q.end = p, p.pos, p.pos
	if p.head != nil {
		q.slots = p.head.slots
	}
}

// exit leaves the current lane, if there is one. All that was taken off it has been handed out.
func (q *Queue[T]) exit() {
	q.save()
	q.lane, q.slots, q.pos, q.end, q.alone = nil, nil, 0, 0, 0
}

// forget lets go of p, which is closed, if it is drained.
func (q *Queue[T]) forget(p *Producer[T]) {
	if q.lane == p {
		q.exit()
	}
	if p.published.Load() == p.taken() {
		p.release()
		q.unregister(p)
	}
}

// Idle puts the queue to rest, which ends the duty of the active consumer, unless there is something left to do. Only the
// active consumer may call it. It panics if the queue is at rest. It is wait-free.
func (q *Queue[T]) Idle() bool {
	if q.pos != q.end {
		return false
	}
	s := q.state.Load()
	if s&mode != active {
		panic("taskwork: queue is at rest")
	}
	// The look before the store leaves the line to the producers where a second one would find something anyway.
	lanes := q.registered()
	q.save()
	var taken uint64
	for _, p := range lanes {
		n := p.taken()
		if p.published.Load() != n {
			return false
		}
		taken += n
	}
	for _, p := range lanes {
		p.trim()
	}
	q.looks.Rest()
	return q.leave(q.settle(s), taken)
}

// settle declares that the consumer goes to rest, under an epoch of its own: the state that it returns. s is the state now,
// active.
func (q *Queue[T]) settle(s uint64) uint64 {
	s = s&^mode + epoch | settling
	q.state.Store(s)
	return s
}

// leave is the rest of Idle after settle has returned s; taken is the sum of what had been taken off all lanes before that.
// The duty may be another's by now, and so are all plain fields. If a push takes it, the state leaves s for good.
func (q *Queue[T]) leave(s, taken uint64) bool {
	if q.published() != taken {
		return !q.state.CompareAndSwap(s, s&^mode|active)
	}
	q.state.CompareAndSwap(s, s&^mode|atRest)
	return true
}

// Empty tells whether nothing is queued. Only the active consumer may call it.
func (q *Queue[T]) Empty() bool {
	if q.pos != q.end {
		return false
	}
	if q.state.Load()&mode != active {
		return true
	}
	q.save()
	for _, p := range q.registered() {
		if p.published.Load() != p.taken() {
			return false
		}
	}
	return true
}

// save brings the current lane's own pos up to date.
func (q *Queue[T]) save() {
	if q.lane != nil {
		q.lane.pos = q.pos
	}
}

// Resting tells whether the queue is at rest: a snapshot that any goroutine may take.
func (q *Queue[T]) Resting() bool {
	return q.state.Load()&mode == atRest
}

// wake makes the queue active and reports whether it was not so before. The caller has published an entry.
func (q *Queue[T]) wake() bool {
	for {
		s := q.state.Load()
		if s&mode == active {
			return false
		}
		if q.state.CompareAndSwap(s, s&^mode|active) {
			return true
		}
	}
}

// published adds up what the registered lanes have published since they were registered, modulo 2^64. It reads atomic words
// only, so that anybody may call it.
func (q *Queue[T]) published() (sum uint64) {
	for _, p := range q.registered() {
		sum += p.published.Load()
	}
	return sum
}
