package taskwork_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/spinlist"
)

// drained pops all that there is.
func drained(q taskwork.Queue[int]) (vs []int) {
	for {
		v, ok := q.Pop()
		if !ok {
			return vs
		}
		vs = append(vs, v)
	}
}

// TestUrgent: urgent entries go before all that the consumer has not taken yet, behind earlier urgent ones; what it has taken
// is not overtaken.
func TestUrgent(t *testing.T) {
	var q spinlist.Queue[int]
	require.True(t, q.Push(1))
	q.PushAll([]int{2, 3})
	require.False(t, q.PushUrgent(-1))
	require.False(t, q.PushUrgentNode(&taskwork.Node[int]{Value: -2}))
	v, ok := q.Pop() // takes all five
	require.True(t, ok)
	require.Equal(t, -1, v)
	require.False(t, q.PushUrgent(-3))
	require.False(t, q.Push(4))
	require.Equal(t, []int{-2, 1, 2, 3, -3, 4}, drained(&q))
	require.True(t, q.Idle())
}

// TestUrgentAlone: an urgent entry wakes as any other does, and nothing but urgent ones is no different.
func TestUrgentAlone(t *testing.T) {
	var q spinlist.Queue[int]
	for range 3 {
		require.True(t, q.PushUrgent(1))
		require.False(t, q.Resting())
		require.False(t, q.Empty())
		require.False(t, q.PushUrgent(2))
		require.False(t, q.Idle())
		require.Equal(t, []int{1, 2}, drained(&q))
		require.True(t, q.Empty())
		require.False(t, q.PushUrgent(3), "active, though empty")
		require.False(t, q.Idle())
		require.Equal(t, []int{3}, drained(&q))
		require.True(t, q.Idle())
		require.True(t, q.Resting())
	}
}

// TestUrgentModel compares random sequences with three slices: what the consumer has taken, and what it has not, urgent or not.
func TestUrgentModel(t *testing.T) {
	for seed := range uint64(500) {
		var (
			q                     spinlist.Queue[int]
			rng                   = rand.New(rand.NewPCG(seed, 0))
			taken, urgent, normal []int
			active                bool
		)
		for v := 1; v < 100; v++ {
			switch rng.IntN(6) {
			case 0:
				urgent = append(urgent, v)
				require.Equal(t, !active, q.PushUrgent(v))
				active = true
			case 1:
				urgent = append(urgent, v)
				require.Equal(t, !active, q.PushUrgentNode(&taskwork.Node[int]{Value: v}))
				active = true
			case 2:
				normal = append(normal, v)
				require.Equal(t, !active, q.Push(v))
				active = true
			case 3:
				if !active {
					continue
				}
				empty := len(taken)+len(urgent)+len(normal) == 0
				require.Equal(t, empty, q.Empty())
				require.Equal(t, empty, q.Idle())
				active = !empty
			default:
				if len(taken) == 0 {
					taken, urgent, normal = append(urgent, normal...), nil, nil
				}
				got, ok := q.Pop()
				require.Equal(t, len(taken) > 0, ok)
				if ok {
					require.Equal(t, taken[0], got, "seed %d", seed)
					taken = taken[1:]
				}
			}
		}
	}
}
