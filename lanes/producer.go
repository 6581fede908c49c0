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

	// head is the chunk that entries are taken from, or nil before the first. Before it there were base entries, modulo 2^64,
	// and of its own head.slots[:pos] have been taken. While the lane is the queue's current one, the queue's pos goes ahead
	// of this one.
	head *chunk[T]
	base uint64
	pos  int
	// recycled says that a chunk was given back since the queue went to rest last.
	recycled bool
	_        [pad.Line - 32]byte
}

// Push queues v behind all that was pushed through p before, and tells whether its caller must run the consumer. It panics
// after Close. It is wait-free while the queue is active, apart from the allocation of a chunk, and lock-free otherwise.
func (p *Producer[T]) Push(v T) (wake bool) {
	if p.n == len(p.slots) {
		p.extend()
	}
	n := p.n
	p.slots[n] = v
	p.n = n + 1
	p.publish(1)
	return p.q.state.Load()&mode != active && p.q.wake()
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
		c = newChunk[T](p.q.chunkSlots)
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

// taken is how many entries have been taken off the lane, modulo 2^64. The active consumer of the queue only, if the lane is
// not its current one, or pos is up to date.
func (p *Producer[T]) taken() uint64 { return p.base + uint64(p.pos) }

// advance goes on to the next chunk and returns its slots. There is an entry in it, so the producer has let go of the one
// before, which goes back to it unless that has its share of empty chunks, one of so many lanes. The active consumer of the
// queue only.
func (p *Producer[T]) advance(lanes int) []T {
	empty := p.head
	if empty == nil {
		p.head = p.first
	} else {
		p.head = empty.next
		p.base += uint64(len(empty.slots))
		p.recycled = true
		bytes := max(len(empty.slots)*int(node.Size[T]()), 1)
		p.free.push(empty, max(freeBytes/lanes/bytes, 1))
	}
	p.pos = 0
	return p.head.slots
}

// release lets go of all chunks. The active consumer of the queue only, when the lane is drained.
func (p *Producer[T]) release() {
	p.first, p.head = nil, nil
	p.free.clear()
}

// trim lets go of the empty chunks when the queue goes to rest, if they are many, or more than one and none was needed since
// the last rest. The active consumer of the queue only.
func (p *Producer[T]) trim() {
	if p.recycled {
		p.free.trim(restFree)
	} else {
		p.free.trim(1)
	}
	p.recycled = false
}

// chunkSlots is the length of a lane's chunks: as many values as fit in 768 bytes, within limits. Two chunks and the handle
// then take 2 KB at rest while a value takes no more than a word.
func chunkSlots[T any]() int {
	return int(min(max(768/max(node.Size[T](), 1), 4), 192))
}
