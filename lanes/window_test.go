package lanes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// half does the first half of a push through p: the entry is published, and the state not looked at yet.
func half(p *Producer[int], v int) {
	if p.n == len(p.slots) {
		p.extend()
	}
	p.slots[p.n] = v
	p.n++
	p.publish(1)
}

// active returns an active queue with nothing in it, and two handles.
func activeQueue(t *testing.T) (q *Queue[int], a, b *Producer[int]) {
	q = small()
	a, b = q.Producer(), q.Producer()
	require.True(t, a.Push(0))
	require.Equal(t, []int{0}, drain(q))
	return q, a, b
}

// takenOff adds up what has been taken off all lanes, as Idle does.
func takenOff(q *Queue[int]) (sum uint64) {
	q.save()
	for _, p := range q.registered() {
		sum += p.taken()
	}
	return sum
}

// settled does the first half of Idle.
func settled(t *testing.T, q *Queue[int]) (s, taken uint64) {
	taken = takenOff(q)
	require.Equal(t, taken, q.published())
	return q.settle(q.state.Load()), taken
}

// TestPublishedBeforeSettling: the push saw an active queue, so the entry is Idle's to find.
func TestPublishedBeforeSettling(t *testing.T) {
	q, a, _ := activeQueue(t)
	half(a, 1)
	require.False(t, q.Empty())
	require.False(t, q.Idle())
	require.False(t, q.wake())
	require.Equal(t, []int{1}, drain(q))
	require.True(t, q.Idle())
}

// TestPushBetweenCheckAndSettling: Idle had found nothing and not yet said so; the push sees an active queue.
func TestPushBetweenCheckAndSettling(t *testing.T) {
	q, a, _ := activeQueue(t)
	taken := takenOff(q)
	require.False(t, a.Push(1))
	s := q.settle(q.state.Load())
	require.False(t, q.Resting(), "the push has left its entry to the consumer: this is not rest")
	require.False(t, q.leave(s, taken), "the look finds the entry")
	require.False(t, q.Resting())
	require.Equal(t, []int{1}, drain(q))
	require.True(t, q.Idle())
}

// TestPushWhileSettling: the push sees that the consumer is leaving and takes the duty, whatever the look then finds.
func TestPushWhileSettling(t *testing.T) {
	q, a, b := activeQueue(t)
	s, taken := settled(t, q)
	require.True(t, a.Push(1))
	require.False(t, b.Push(2), "the queue is active again")
	require.True(t, q.leave(s, taken), "the duty is the one's that a.Push has woken")
	require.ElementsMatch(t, []int{1, 2}, drain(q))
	require.True(t, q.Idle())
}

// TestLookTakesDutyBack: the look finds an entry whose push has not come to the state yet; that push then finds it active.
func TestLookTakesDutyBack(t *testing.T) {
	q, a, _ := activeQueue(t)
	s, taken := settled(t, q)
	half(a, 1)
	require.False(t, q.leave(s, taken))
	require.False(t, q.wake())
	require.Equal(t, []int{1}, drain(q))
	require.True(t, q.Idle())
}

// TestPushWakesAfterLook: the entry comes after the look, and its push finds the queue at rest.
func TestPushWakesAfterLook(t *testing.T) {
	q, a, _ := activeQueue(t)
	require.True(t, q.Idle())
	half(a, 1)
	require.True(t, q.Resting(), "the push has yet to say so")
	require.True(t, q.wake())
	require.Equal(t, []int{1}, drain(q))
	require.True(t, q.Idle())
}

// TestHandleRegisteredWhileSettling: the look knows lanes that did not exist when Idle began.
func TestHandleRegisteredWhileSettling(t *testing.T) {
	q, _, _ := activeQueue(t)
	taken := takenOff(q)
	late := q.Producer()
	require.False(t, late.Push(1))
	s := q.settle(q.state.Load())
	require.False(t, q.leave(s, taken))
	require.Equal(t, []int{1}, drain(q))

	s, taken = settled(t, q)
	later := q.Producer()
	half(later, 2)
	require.False(t, q.leave(s, taken))
	require.False(t, q.wake())
	require.Equal(t, []int{2}, drain(q))
	require.True(t, q.Idle())
}

// TestStaleLook: a whole life of the queue passes between the store and the end of Idle, and the next consumer is settling,
// too. The first one must neither take its duty nor put the queue to rest, whatever it has seen.
func TestStaleLook(t *testing.T) {
	for _, stale := range []string{"finds more", "finds nothing"} {
		t.Run(stale, func(t *testing.T) {
			q, a, b := activeQueue(t)
			s1, taken1 := settled(t, q)
			require.True(t, a.Push(1))
			require.Equal(t, []int{1}, drain(q))
			taken2 := takenOff(q)
			require.False(t, b.Push(2)) // left to the second consumer's look
			s2 := q.settle(q.state.Load())
			if stale == "finds nothing" {
				taken1 = q.published() // as if it had looked before the pushes
			}
			require.True(t, q.leave(s1, taken1))
			require.False(t, q.Resting())
			require.False(t, q.leave(s2, taken2))
			require.Equal(t, []int{2}, drain(q))
			require.True(t, q.Idle())
		})
	}
}

// TestStaleLookOverForgottenLane: the next consumer forgets a lane that the first one has counted.
func TestStaleLookOverForgottenLane(t *testing.T) {
	q, a, b := activeQueue(t)
	s, taken := settled(t, q)
	a.Close()
	require.True(t, b.Push(1))
	require.Equal(t, []int{1}, drain(q))
	require.Equal(t, []*Producer[int]{b}, q.registered())
	require.True(t, q.leave(s, taken))
	require.True(t, q.Empty())
	require.True(t, q.Idle())
}

// TestCloseBetweenLooks: the consumer finds a lane empty, and before it asks whether the lane is closed its producer pushes and
// closes it.
func TestCloseBetweenLooks(t *testing.T) {
	q, a, _ := activeQueue(t)
	require.Equal(t, a.taken(), a.published.Load())
	a.Push(1)
	a.Close()
	q.forget(a)
	require.Contains(t, q.registered(), a)
	require.Equal(t, []int{1}, drain(q))
	require.NotContains(t, q.registered(), a)
	require.True(t, q.Idle())
}

// TestCase_J5 presets every counter close to where it wraps round.
func TestCase_J5(t *testing.T) {
	const last = ^uint64(0)
	for back := range uint64(6) {
		q := &Queue[int]{chunkSlots: 2}
		a, b := q.Producer(), q.Producer()
		q.state.Store((last - 4*back) &^ mode) // the epoch, at rest
		for _, p := range []*Producer[int]{a, b} {
			p.published.Store(last - back)
			p.base = last - back
		}
		next := 0
		for round := range 5 {
			require.True(t, q.Resting())
			require.True(t, a.PushAll(seq(next, next+3)))
			require.False(t, b.Push(100+round))
			require.False(t, q.Empty())
			require.False(t, q.Idle())
			var got []int
			for _, v := range drain(q) {
				if v < 100 {
					got = append(got, v)
				}
			}
			require.Equal(t, seq(next, next+3), got)
			next += 3
			require.True(t, q.Empty())
			require.True(t, q.Idle())
		}
		a.Push(1)
		a.Close()
		require.Equal(t, []int{1}, drain(q))
		require.True(t, q.Empty())
		require.True(t, q.Idle())
		require.Equal(t, []*Producer[int]{b}, q.registered())
	}
}
