package taskwork

import "github.com/taskwork/taskwork/internal/node"

// batchSize is the size of a Batch whose maker does not care.
const batchSize = 64

// Batch collects the entries of one producer and publishes them many at a time: the queue's contended word is touched once
// for all of them, and they share the allocation of their nodes. The price is that an entry waits for those behind it: call
// [Batch.Flush] before the producer pauses, or what is held back is not handed out. One goroutine at a time may use a Batch,
// and a queue may have many of them, beside other pushes. It must not be copied.
type Batch[T any] struct {
	// All fields belong to the goroutine that uses the Batch.
	q    NodeQueue[T]
	size int
	// held is what has been pushed and not published yet; it has fewer than size nodes between calls.
	held node.Chain[T]
	// slab holds the nodes that were allocated last, of which the first used are handed out. Nodes are not used twice: the
	// consumer would have to give them back, and that costs more than to allocate many at once.
	slab []node.Node[T]
	used int
}

// NewBatch returns an empty Batch that publishes to q after every size entries; a size below 1 stands for 64.
func NewBatch[T any](q NodeQueue[T], size int) *Batch[T] {
	if q == nil {
		panic("taskwork: NewBatch with a nil queue")
	}
	if size < 1 {
		size = batchSize
	}
	return &Batch[T]{q: q, size: size}
}

// Push adds v to the entries that are held back, and publishes them all if they have become as many as the Batch's size. It
// reports wake as the push of a Queue does; while it only holds back it reports false.
func (b *Batch[T]) Push(v T) (wake bool) {
	if b.used == len(b.slab) {
		b.slab, b.used = node.Slab[T](), 0
	}
	n := &b.slab[b.used]
	b.used++
	n.Value = v
	b.held.Append(n)
	return b.held.Len() >= b.size && b.q.PushChain(&b.held)
}

// Flush publishes what is held back, in order, with one operation. It reports wake as the push of a Queue does; if there is
// nothing held back it has no effect and reports false.
func (b *Batch[T]) Flush() (wake bool) {
	return b.q.PushChain(&b.held)
}

// Len returns the number of entries that are held back.
func (b *Batch[T]) Len() int { return b.held.Len() }
