package lanes

import "sync/atomic"

const (
	// freeBytes is about how many bytes of empty chunks the lanes of a queue keep together while it is active. It is what makes
	// a queue with a steady backlog do without the allocator, and it stays in a second-level cache.
	freeBytes = 512 << 10
	// restFree is how many of its empty chunks a lane may keep when the queue goes to rest.
	restFree = 16
)

// chunk is a piece of a lane.
type chunk[T any] struct {
	// slots are written by the producer, before it publishes them, and then cleared by the consumer as it hands them out.
	slots []T
	// next is the chunk behind this one: in the lane, where the producer writes it before it publishes anything in there; or,
	// if the chunk is free, in the stack, where the consumer writes it before it pushes the chunk.
	next *chunk[T]
	// depth is how many chunks lie below this one in the stack. The consumer writes it before it pushes the chunk, and reads
	// it while the chunk is the topmost.
	depth int
}

// newChunk returns an empty chunk of the given length; 0: of the usual one.
func newChunk[T any](slots int) *chunk[T] {
	if slots == 0 {
		slots = chunkSlots[T]()
	}
	return &chunk[T]{slots: make([]T, slots)}
}

// freeList is the stack of a lane's empty chunks. The consumer pushes and clears, the producer pops. The two may do so at the
// same time: what the consumer has taken away with clear it never pushes, so a chunk that pop has seen on top is on top again
// only after the producer itself has used it, and pop's compare-and-swap cannot mistake it.
type freeList[T any] struct {
	top atomic.Pointer[chunk[T]]
}

// push puts c on top, unless there are limit chunks already. The consumer only.
func (f *freeList[T]) push(c *chunk[T], limit int) {
	for {
		top := f.top.Load()
		c.next, c.depth = top, 0
		if top != nil {
			c.depth = top.depth + 1
		}
		if c.depth >= limit {
			return
		}
		if f.top.CompareAndSwap(top, c) {
			return
		}
	}
}

// pop takes the topmost chunk, or returns nil. The producer only.
func (f *freeList[T]) pop() *chunk[T] {
	for {
		c := f.top.Load()
		if c == nil {
			return nil
		}
		if f.top.CompareAndSwap(c, c.next) {
			c.next = nil
			return c
		}
	}
}

// trim lets go of all chunks if there are more than limit. The consumer only.
func (f *freeList[T]) trim(limit int) {
	if top := f.top.Load(); top != nil && top.depth >= limit {
		f.clear()
	}
}

// clear lets go of all chunks. The consumer only.
func (f *freeList[T]) clear() {
	f.top.Store(nil)
}
