package lanes

import (
	"sync/atomic"

	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/internal/pad"
)

// Producer is a handle with a lane of its own, made by [Queue.Producer], for one goroutine at a time. It must not be copied.
type Producer[T any] struct {
	// q is the queue; it never changes.
	q *Queue[T]
	// chunk is where the producer writes, nil before the first push and after Close; slots are its slots, and slots[n:] are
	// free. They belong to the producer.
	chunk *chunk[T]
	slots []T
	n     int
	// first is the lane's first chunk. The producer sets it before it publishes the first entry; the consumer reads it when
	// it has seen that one.
	first *chunk[T]
	// published counts the entries that the consumer may take, modulo 2^64. The producer stores it after it has written
	// them, along with the chunks and links that lead there.
	published atomic.Uint64
	// closed says that published will not change any more. Close sets it.
	closed atomic.Bool
	// free is the stack of empty chunks: the consumer pushes, and takes all; the producer pops.
	free freeList[T]
	_    [pad.Line - 80]byte

	// The rest belongs to the active consumer of q.

	// taken is how many entries have been taken off the lane, and seen how many were published at the last look, both modulo
	// 2^64.
	taken, seen uint64
	// head is the chunk of the next entry, whose slot is head.slots[pos] unless pos has come to the end: then it is the first
	// one of the next chunk. nil before the first entry.
	head *chunk[T]
	pos  int
	// recycled says that a chunk was given back since the queue went to rest last.
	recycled bool
	_        [pad.Line - 40]byte
}

// Push queues v behind all that was pushed through p before, and tells whether its caller must run the consumer. It panics after
// Close. It is wait-free while the queue is active, apart from the allocation of a chunk, and lock-free otherwise.
func (p *Producer[T]) Push(v T) (wake bool) {
	if p.n == len(p.slots) {
		p.extend()
	}
	p.slots[p.n] = v
	p.n++
	p.publish(1)
	return p.q.wake()
}

// PushAll queues all values in order with one publication; see [Producer.Push].
func (p *Producer[T]) PushAll(vs []T) (wake bool) {
	if len(vs) == 0 {
		return false
	}
	for rest := vs; len(rest) > 0; {
		if p.n == len(p.slots) {
			p.extend()
		}
		n := copy(p.slots[p.n:], rest)
		p.n += n
		rest = rest[n:]
	}
	p.publish(len(vs))
	return p.q.wake()
}

// publish makes the next n entries, which have been written, available to the consumer. The caller goes on to wake it.
func (p *Producer[T]) publish(n int) {
	p.published.Store(p.published.Load() + uint64(n))
}

// extend makes an empty chunk the one to write to.
func (p *Producer[T]) extend() {
	if p.closed.Load() {
		panic("taskwork: push through a closed handle")
	}
	c := p.free.pop()
	if c == nil {
		c = newChunk[T](p.q.slots)
	}
	if p.chunk == nil {
		p.first = c
	} else {
		p.chunk.next = c
	}
	p.chunk, p.slots, p.n = c, c.slots, 0
}

// Close ends the use of the handle. What was pushed through it is handed out, then the queue lets go of it. A second Close does
// nothing.
func (p *Producer[T]) Close() {
	p.chunk, p.slots, p.n = nil, nil, 0
	p.closed.Store(true)
	if p.published.Load() == 0 {
		// No consumer need come by for it.
		p.q.unregister(p)
	}
}

// take takes the next entries off the lane and returns their slots, as many as lie side by side. The active consumer of the queue
// only.
func (p *Producer[T]) take() []T {
	if p.seen == p.taken {
		p.seen = p.published.Load()
		if p.seen == p.taken {
			return nil
		}
	}
	if p.head == nil {
		p.head = p.first
	} else if p.pos == len(p.head.slots) {
		// There is an entry in the next chunk, so the producer has let go of this one.
		empty := p.head
		p.head, p.pos = empty.next, 0
		p.recycled = true
		p.free.push(empty)
	}
	run := p.head.slots[p.pos:]
	if n := p.seen - p.taken; n < uint64(len(run)) {
		run = run[:n]
	}
	p.pos += len(run)
	p.taken += uint64(len(run))
	return run
}

// drained tells whether the handle is closed and its last entry taken. The active consumer of the queue only.
func (p *Producer[T]) drained() bool {
	return p.closed.Load() && p.published.Load() == p.taken
}

// release lets go of all chunks. The active consumer of the queue only, when the lane is drained.
func (p *Producer[T]) release() {
	p.first, p.head = nil, nil
	p.free.clear()
}

// trim lets go of all empty chunks but one, unless chunks went round since the queue was at rest last. The active consumer of
// the queue only.
func (p *Producer[T]) trim() {
	if !p.recycled {
		p.free.trim()
	}
	p.recycled = false
}

// chunkSlots is the length of a lane's chunks: as many values as fit in 768 bytes, within limits. Two chunks and the handle then
// take 2 KB at rest while a value takes no more than a word.
func chunkSlots[T any]() int {
	return int(min(max(768/max(node.Size[T](), 1), 4), 192))
}
