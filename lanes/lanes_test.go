package lanes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

var (
	_ taskwork.Queue[int] = (*Queue[int])(nil)
	_ taskwork.Queue[any] = (*Queue[any])(nil)
)

// TestStates walks through rest and activity with each way to push.
func TestStates(t *testing.T) {
	pushes := map[string]func(q *Queue[int], p *Producer[int], v int) bool{
		"Push":          func(q *Queue[int], _ *Producer[int], v int) bool { return q.Push(v) },
		"PushAll":       func(q *Queue[int], _ *Producer[int], v int) bool { return q.PushAll([]int{v}) },
		"handle's Push": func(_ *Queue[int], p *Producer[int], v int) bool { return p.Push(v) },
		"handle's All":  func(_ *Queue[int], p *Producer[int], v int) bool { return p.PushAll([]int{v}) },
	}
	for name, push := range pushes {
		t.Run(name, func(t *testing.T) {
			q := small()
			p := q.Producer()
			for round := range 5 {
				require.True(t, q.Resting())
				require.True(t, push(q, p, round), "a push at rest wakes")
				require.False(t, push(q, p, round+100), "a push to an active queue does not")
				require.False(t, q.Resting())
				require.False(t, q.Empty())
				require.False(t, q.Idle())
				require.Equal(t, []int{round, round + 100}, drain(q))
				require.True(t, q.Empty())
				require.False(t, q.Resting(), "only Idle ends the activity")
				require.False(t, push(q, p, 7))
				require.Equal(t, []int{7}, drain(q))
				require.True(t, q.Idle())
			}
		})
	}
}

// TestAtRest: what a consumer does wrong at rest changes nothing.
func TestAtRest(t *testing.T) {
	q := small()
	for range 2 { // new, and after a life
		v, ok := q.Pop()
		require.Zero(t, v)
		require.False(t, ok)
		require.True(t, q.Empty())
		require.True(t, q.Resting())
		require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })
		require.True(t, q.Resting())

		require.True(t, q.Push(1))
		require.Equal(t, []int{1}, drain(q))
		require.True(t, q.Idle())
	}
}

// TestPopAtRestOverPublishedEntry: between an entry's publication and its wake the queue is still at rest, and Pop lets it be.
func TestPopAtRestOverPublishedEntry(t *testing.T) {
	q := small()
	p := q.Producer()
	p.extend()
	p.slots[0], p.n = 5, 1
	p.publish(1)

	_, ok := q.Pop()
	require.False(t, ok)
	require.True(t, q.Empty())
	require.PanicsWithValue(t, "taskwork: queue is at rest", func() { q.Idle() })

	require.True(t, q.wake())
	require.Equal(t, []int{5}, drain(q))
	require.True(t, q.Idle())
}

func TestNothingPushed(t *testing.T) {
	q := small()
	p := q.Producer()
	require.False(t, q.PushAll(nil))
	require.False(t, p.PushAll([]int{}))
	require.True(t, q.Resting())
}

// TestIdleWithoutDryPop: a consumer that knows how many entries there are need not find out by a Pop that fails.
func TestIdleWithoutDryPop(t *testing.T) {
	for entries := 1; entries < 6; entries++ {
		q := small()
		p := q.Producer()
		require.True(t, p.PushAll(seq(0, entries)))
		for i := range entries {
			require.False(t, q.Empty())
			require.False(t, q.Idle())
			v, _ := q.Pop()
			require.Equal(t, i, v)
		}
		require.True(t, q.Empty())
		require.True(t, q.Idle())
	}
}

// TestOrderOfOneLane pushes runs of every length over chunks of several lengths, with pops in between at every offset.
func TestOrderOfOneLane(t *testing.T) {
	for _, slots := range []int{1, 2, 3, 7, 0} {
		for run := range 12 {
			q := &Queue[int]{chunkSlots: slots}
			p := q.Producer()
			pushed, popped, active := 0, 0, false
			for pushed < 600 {
				vs := seq(pushed, pushed+run)
				require.Equal(t, !active && run > 0, p.PushAll(vs))
				active = active || run > 0
				pushed += run
				require.Equal(t, !active, p.Push(pushed))
				active = true
				pushed++
				for range run + 1 - pushed%2 {
					v, ok := q.Pop()
					if !ok {
						break
					}
					require.Equal(t, popped, v)
					popped++
				}
				if q.Idle() {
					active = false
				}
			}
			if active {
				require.Equal(t, seq(popped, pushed), drain(q))
				require.True(t, q.Idle())
			}
		}
	}
}

// TestNoHandleIsOneLane: pushes without a handle are ordered among each other, singly or not.
func TestNoHandleIsOneLane(t *testing.T) {
	q := small()
	p := q.Producer()
	q.Push(0)
	p.Push(100)
	q.PushAll(seq(1, 6))
	p.Push(101)
	q.Push(6)
	var plain, handle []int
	for _, v := range drain(q) {
		if v < 100 {
			plain = append(plain, v)
		} else {
			handle = append(handle, v)
		}
	}
	require.Equal(t, seq(0, 7), plain)
	require.Equal(t, seq(100, 102), handle)
	require.True(t, q.Idle())
}

// TestBusyLaneStarvesNone: one lane that is refilled at each pop leaves a turn to each of the others after a chunk's length,
// or after two if it was alone before.
func TestBusyLaneStarvesNone(t *testing.T) {
	const others, slots = 5, 4
	for _, alone := range []bool{false, true} {
		q := &Queue[int]{chunkSlots: slots}
		busy := q.Producer()
		busy.PushAll(make([]int, 10))
		if alone {
			for range 10 * slots {
				_, ok := q.Pop()
				require.True(t, ok)
				busy.Push(0)
			}
			require.Positive(t, q.alone)
		}
		for i := range others {
			q.Producer().PushAll([]int{i + 1, i + 1})
		}
		q.Push(others + 1)

		seen := map[int]int{}
		for range 2*slots + others*2 + 1 {
			v, ok := q.Pop()
			require.True(t, ok)
			seen[v]++
			busy.Push(0)
		}
		for i := range others {
			require.Equal(t, 2, seen[i+1], "lane %d had no turn: %v", i, seen)
		}
		require.Equal(t, 1, seen[others+1], "pushes without a handle had no turn: %v", seen)
	}
}
