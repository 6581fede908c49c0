package lanes

import (
	"slices"

	"github.com/taskwork/taskwork/internal/spin"
)

// registered returns the lanes that may hold entries. The slice is immutable. A lane is in it before its first push publishes
// anything, and until the consumer has found it closed and taken its last entry.
func (q *Queue[T]) registered() []*Producer[T] {
	if lanes := q.lanes.Load(); lanes != nil {
		return *lanes
	}
	return nil
}

// register adds p, which holds nothing yet. It is lock-free.
func (q *Queue[T]) register(p *Producer[T]) {
	for {
		old := q.lanes.Load()
		var lanes []*Producer[T]
		if old != nil {
			lanes = slices.Clip(*old)
		}
		lanes = append(lanes, p)
		if q.lanes.CompareAndSwap(old, &lanes) {
			return
		}
	}
}

// unregister removes p, which is closed and holds nothing, if it is there. It is lock-free.
func (q *Queue[T]) unregister(p *Producer[T]) {
	for {
		old := q.lanes.Load()
		i := slices.Index(*old, p)
		if i < 0 {
			return
		}
		lanes := slices.Concat((*old)[:i], (*old)[i+1:])
		if q.lanes.CompareAndSwap(old, &lanes) {
			return
		}
	}
}

// ordered is the lane for pushes without a handle. Its lock makes them one after the other, which is the order that they
// leave in.
type ordered[T any] struct {
	mu spin.Lock
	// lane belongs to the holder of mu. Its queue is nil until it is registered, by the first that takes the lock.
	lane Producer[T]
}

// lock returns the lane for pushes without a handle, registered and locked.
func (q *Queue[T]) lock() *ordered[T] {
	o := q.ordered.Load()
	if o == nil {
		o = new(ordered[T])
		if !q.ordered.CompareAndSwap(nil, o) {
			o = q.ordered.Load()
		}
	}
	o.mu.Lock()
	if o.lane.q == nil {
		o.lane.q = q
		q.register(&o.lane)
	}
	return o
}
