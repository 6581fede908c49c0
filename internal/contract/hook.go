package contract

import "github.com/taskwork/taskwork"

// Hooked is a Queue that calls functions at the places where races between producers and the consumer are decided. A hook that
// pushes, or lets another goroutine push, makes such a race happen for certain; one that blocks stops its goroutine there.
// Each hook may be nil.
type Hooked[T any] struct {
	taskwork.Queue[T]

	// BeforePush and AfterPush stand around Push and PushAll: before the entries are published, and after it, when wake is known
	// but nobody has been told.
	BeforePush func()
	AfterPush  func(wake bool)
	// EmptyPop is called when a Pop has found nothing, before that is returned: k counts such Pops from 1.
	EmptyPop func(k int)
	// BeforeIdle and AfterIdle stand around Idle.
	BeforeIdle func()
	AfterIdle  func(idle bool)

	// empties counts the Pops that found nothing. It belongs to the active consumer.
	empties int
}

// Push queues v between its hooks.
func (h *Hooked[T]) Push(v T) (wake bool) {
	return h.push(func() bool { return h.Queue.Push(v) })
}

// PushAll queues vs between its hooks.
func (h *Hooked[T]) PushAll(vs []T) (wake bool) {
	return h.push(func() bool { return h.Queue.PushAll(vs) })
}

func (h *Hooked[T]) push(push func() bool) (wake bool) {
	if h.BeforePush != nil {
		h.BeforePush()
	}
	wake = push()
	if h.AfterPush != nil {
		h.AfterPush(wake)
	}
	return wake
}

// Pop pops, and calls EmptyPop if nothing came.
func (h *Hooked[T]) Pop() (v T, ok bool) {
	if v, ok = h.Queue.Pop(); !ok {
		h.empties++
		if h.EmptyPop != nil {
			h.EmptyPop(h.empties)
		}
	}
	return v, ok
}

// Idle calls the queue's Idle between its hooks.
func (h *Hooked[T]) Idle() bool {
	if h.BeforeIdle != nil {
		h.BeforeIdle()
	}
	idle := h.Queue.Idle()
	if h.AfterIdle != nil {
		h.AfterIdle(idle)
	}
	return idle
}
