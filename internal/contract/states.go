package contract

import "github.com/taskwork/taskwork"

// New checks the state of a new queue, without making it active.
var New = sequential("New", func(s *scene) {
	q := s.queue()
	want(s, NewAtRest, true, q.Resting(), "Resting of a new queue")
	want(s, NewAtRest, true, q.Empty(), "Empty of a new queue")
	_, ok := q.Pop()
	want(s, NewAtRest, false, ok, "ok of Pop on a new queue")
	want(s, NewAtRest, true, q.Resting(), "Resting of a new queue after a Pop")
})

// pushForm is one way to queue a value; PushNode and PushChain are among them if the queue has them.
type pushForm struct {
	name string
	push func(q taskwork.Queue[int], v int) (wake bool)
}

// forms returns the push forms that the scene's queues have.
func (s *scene) forms() []pushForm {
	forms := []pushForm{
		{"Push", func(q taskwork.Queue[int], v int) bool { return q.Push(v) }},
		{"PushAll", func(q taskwork.Queue[int], v int) bool { return q.PushAll([]int{v}) }},
	}
	if _, ok := s.nodeQueue(); ok {
		forms = append(forms,
			pushForm{"PushNode", func(q taskwork.Queue[int], v int) bool {
				return q.(taskwork.NodeQueue[int]).PushNode(&taskwork.Node[int]{Value: v})
			}},
			pushForm{"PushChain", func(q taskwork.Queue[int], v int) bool {
				var c taskwork.Chain[int]
				c.Append(&taskwork.Node[int]{Value: v})
				return q.(taskwork.NodeQueue[int]).PushChain(&c)
			}})
	}
	return forms
}

// mustPop pops and fails the check unless v comes. It tells disordered from lost.
func (s *scene) mustPop(q taskwork.Queue[int], v int) {
	got, ok := q.Pop()
	switch {
	case !ok && q.Empty():
		s.fail(NoLostWork, "Pop found nothing, and Empty is true, but %d was pushed and has not been handed out", v)
	case !ok:
		s.fail(PopFalse, "Pop found nothing, though %d is queued, and no push is half done", v)
	case got == v:
		return
	}
	for range MaxQueued {
		switch later, ok := q.Pop(); {
		case !ok:
			s.fail(NoLostWork, "Pop handed out %d in place of %d, which does not come later either", got, v)
		case later == v:
			s.fail(Order, "one goroutine pushed %d before %d, and Pop handed that one out first", v, got)
		}
	}
	s.fail(NoLostWork, "Pop handed out %d in place of %d, and then entries without end", got, v)
}

// mustRest fails the check unless the consumer, having popped all, can go to rest.
func (s *scene) mustRest(q taskwork.Queue[int]) {
	v, ok := q.Pop()
	want(s, NoLostWork, false, ok, "ok of Pop after all was handed out (it gave %d)", v)
	want(s, Idle, true, q.Idle(), "Idle after all was handed out")
	want(s, Resting, true, q.Resting(), "Resting after Idle had returned true")
}

// Waking checks what each form of push reports, in every state: at rest, active with entries, and active but empty. The last is
// where "was empty" differs from "was at rest".
var Waking = sequential("Wake", func(s *scene) {
	for _, a := range s.forms() {
		for _, b := range s.forms() {
			q := s.queue()
			for round := range 3 {
				want(s, Wake, true, a.push(q, 1), "%s at rest, round %d", a.name, round)
				want(s, Wake, false, b.push(q, 2), "%s while one entry is queued and the queue active", b.name)
				s.mustPop(q, 1)
				want(s, Wake, false, a.push(q, 3), "%s while the consumer is between two entries", a.name)
				s.mustPop(q, 2)
				s.mustPop(q, 3)
				want(s, Wake, false, b.push(q, 4), "%s after the last entry was popped: empty, but not at rest", b.name)
				s.mustPop(q, 4)
				_, ok := q.Pop()
				want(s, NoLostWork, false, ok, "ok of Pop after all was handed out")
				want(s, Wake, false, a.push(q, 5), "%s after a Pop that found nothing: empty, but not at rest", a.name)
				want(s, Idle, false, q.Idle(), "Idle with an entry queued")
				want(s, Wake, false, b.push(q, 6), "%s after Idle had returned false", b.name)
				s.mustPop(q, 5)
				s.mustPop(q, 6)
				s.mustRest(q)
			}
		}
	}
})

// Rest checks Idle, Empty and Resting wherever entries may be: just pushed, on the consumer's own side, and in both places.
var Rest = sequential("Rest", func(s *scene) {
	q := s.queue()
	somewhere := func(where string) {
		want(s, Empty, false, q.Empty(), "Empty with entries %s", where)
		want(s, Idle, false, q.Idle(), "Idle with entries %s", where)
		want(s, Resting, false, q.Resting(), "Resting with entries %s", where)
	}
	for range 3 {
		q.PushAll([]int{1, 2, 3})
		somewhere("that were just pushed")
		s.mustPop(q, 1)
		somewhere("left over after a Pop")
		q.Push(4)
		somewhere("left over after a Pop, and others just pushed")
		s.mustPop(q, 2)
		s.mustPop(q, 3)
		somewhere("pushed after the first Pop, all others being handed out")
		s.mustPop(q, 4)
		want(s, Empty, true, q.Empty(), "Empty after all was handed out")
		want(s, Resting, false, q.Resting(), "Resting of an empty queue whose consumer has not called Idle")
		s.mustRest(q)
		want(s, Empty, true, q.Empty(), "Empty at rest")
	}
	// Between a wake and its run nobody is at work, but the queue is not at rest.
	q.Push(5)
	want(s, Resting, false, q.Resting(), "Resting after a wake, before its consumer has begun")
})

// MisuseAtRest checks what the consumer's calls do when nobody is on duty.
var MisuseAtRest = sequential("AtRest", func(s *scene) {
	for _, used := range []bool{false, true} {
		q := s.queue()
		if used {
			q.PushAll([]int{1, 2, 3})
			taskwork.Run(q, 0, func(int) {})
		}
		for range 3 {
			v, ok := q.Pop()
			want(s, AtRest, false, ok, "ok of Pop at rest (it gave %d)", v)
			want(s, AtRest, 0, v, "value of Pop at rest")
			want(s, AtRest, true, q.Empty(), "Empty at rest")
			want(s, AtRest, true, q.Resting(), "Resting after a Pop at rest")
			s.mustPanic(AtRest, func() { q.Idle() }, "Idle at rest")
			want(s, AtRest, true, q.Resting(), "Resting after Idle at rest had panicked")
		}
		want(s, AtRest, true, q.Push(4), "wake of Push after misuse at rest")
		s.mustPop(q, 4)
		s.mustRest(q)
	}
})

// PushedSlices checks PushAll.
var PushedSlices = sequential("PushAll", func(s *scene) {
	q := s.queue()
	for _, empty := range [][]int{nil, {}} {
		want(s, Slices, false, q.PushAll(empty), "PushAll of an empty slice at rest")
		want(s, Slices, true, q.Resting(), "Resting after PushAll of an empty slice")
	}
	vs := make([]int, 0, 64)
	for n := 1; n <= 64; n++ {
		vs = vs[:0]
		for v := range n {
			vs = append(vs, v+1)
		}
		want(s, Wake, true, q.PushAll(vs), "PushAll of %d values at rest", n)
		for i := range vs {
			vs[i] = -1
		}
		want(s, Slices, false, q.PushAll(nil), "PushAll of an empty slice while the queue is active")
		for i := range n {
			v, ok := q.Pop()
			if !ok || v != i+1 {
				s.fail(Slices, "PushAll of 1…%d, the slice overwritten with -1 after the push: Pop %d gave %d, %t", n, i+1, v, ok)
			}
		}
		s.mustRest(q)
	}
})
