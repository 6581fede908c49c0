package queuetest_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/contract"
	"github.com/taskwork/taskwork/queuetest"
)

// plain is the least queue that keeps the contract. Broken queues are made from it.
type plain struct {
	mu     sync.Mutex
	queued []int // oldest first
	active bool
}

func (q *plain) Push(v int) (wake bool) { return q.PushAll([]int{v}) }

func (q *plain) PushAll(vs []int) (wake bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(vs) == 0 {
		return false
	}
	q.queued = append(q.queued, vs...)
	wake = !q.active
	q.active = true
	return wake
}

func (q *plain) Pop() (v int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) == 0 {
		return 0, false
	}
	v, q.queued = q.queued[0], q.queued[1:]
	return v, true
}

func (q *plain) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active {
		panic("plain: queue is at rest")
	}
	q.active = len(q.queued) > 0
	return !q.active
}

func (q *plain) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queued) == 0
}

func (q *plain) Resting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.active
}

// twoSided is plain with a batch on the consumer's side.
type twoSided struct {
	plain
	batch []int // the consumer's
}

func (q *twoSided) Pop() (v int, ok bool) {
	if len(q.batch) == 0 {
		q.mu.Lock()
		q.batch, q.queued = q.queued, nil
		q.mu.Unlock()
		if len(q.batch) == 0 {
			return 0, false
		}
	}
	v, q.batch = q.batch[0], q.batch[1:]
	return v, true
}

func (q *twoSided) Idle() bool  { return len(q.batch) == 0 && q.plain.Idle() }
func (q *twoSided) Empty() bool { return len(q.batch) == 0 && q.plain.Empty() }

// sharded keeps the order of each producer only: it has a shard for the entries of every other producer of the stress, whose
// values have the producer's number in their upper bits. The first shard is emptied before the second.
type sharded struct {
	mu     sync.Mutex
	shards [2]plain
	active bool
}

func (q *sharded) Push(v int) (wake bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shards[v>>24&1].Push(v)
	wake = !q.active
	q.active = true
	return wake
}

func (q *sharded) PushAll(vs []int) (wake bool) {
	for _, v := range vs {
		wake = q.Push(v) || wake
	}
	return wake
}

func (q *sharded) Pop() (v int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if v, ok = q.shards[0].Pop(); !ok {
		v, ok = q.shards[1].Pop()
	}
	return v, ok
}

func (q *sharded) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active {
		panic("sharded: queue is at rest")
	}
	q.active = !q.shards[0].Empty() || !q.shards[1].Empty()
	return !q.active
}

func (q *sharded) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.shards[0].Empty() && q.shards[1].Empty()
}

func (q *sharded) Resting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.active
}

// wakesLate publishes an entry first, and makes the queue active in a second step, in which it may find that the entry has been
// handed out already. That wake is for nothing, but it is a wake, and its run comes to rest again: package lanes does so, too.
type wakesLate struct{ plain }

func (q *wakesLate) Push(v int) bool {
	q.mu.Lock()
	q.queued = append(q.queued, v)
	q.mu.Unlock()
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	wake := !q.active
	q.active = true
	return wake
}

// limited is plain, and holds Run to what it says about the most entries that it has queued.
type limited struct{ plain }

func (q *limited) Push(v int) (wake bool) { return q.PushAll([]int{v}) }

func (q *limited) PushAll(vs []int) (wake bool) {
	wake = q.plain.PushAll(vs)
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) > contract.MaxQueued {
		panic("more entries queued than is promised")
	}
	return wake
}

func TestAccepts(t *testing.T) {
	require.Equal(t, 8192, contract.MaxQueued, "the documented number")
	t.Run("plain", func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return new(limited) }, queuetest.TotalOrder())
	})
	t.Run("two sides", func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return new(twoSided) }, queuetest.TotalOrder())
	})
	t.Run("order of each producer only", func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return new(sharded) })
	})
	t.Run("wakes late", func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return new(wakesLate) }, queuetest.TotalOrder())
	})
	// The queue of the example.
	t.Run("bounded", func(t *testing.T) {
		queuetest.Run(t, func() taskwork.Queue[int] { return newBounded[int](8192) }, queuetest.TotalOrder())
	})
}
