package latency

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/bench/internal/ours"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBatch(t *testing.T) {
	for depth, want := range map[int]int{1: 1, 2: 1, 4: 1, 7: 1, 8: 2, 16: 4, 64: 16} {
		require.Equal(t, want, Batch(depth))
	}
}

func TestEveryRequestIsTimed(t *testing.T) {
	for _, queue := range ours.Names() {
		for _, depth := range []int{1, 8, 64} {
			res, err := Run(t.Context(), Config{Queue: queue, Depth: depth, Completers: 2, Duration: 10 * time.Millisecond})
			require.NoError(t, err)
			require.GreaterOrEqual(t, res.Ops, int64(depth))
			require.Equal(t, res.Ops, res.Hist.TotalCount())
		}
	}
}

// A single slot and a rate that nothing can keep up with: nearly all requests are late, and each later than the one before. Measured
// from their submission they would all look quick.
func TestLatenessCounts(t *testing.T) {
	const duration = 50 * time.Millisecond
	res, err := Run(t.Context(), Config{Queue: "mpscq", Depth: 1, Completers: 1, Duration: duration, Rate: 1e8})
	require.NoError(t, err)
	require.Equal(t, res.Ops, res.Hist.TotalCount())
	require.Greater(t, res.Hist.Max(), int64(duration)/2)
	require.Greater(t, res.Hist.ValueAtQuantile(50), int64(duration)/8)
}

func TestMerge(t *testing.T) {
	a, b := NewResult(), NewResult()
	for i := range int64(100) {
		_ = a.Hist.RecordValue(i + 1)
		_ = b.Hist.RecordValue(i + 1001)
	}
	a.Ops, b.Ops, a.Elapsed, b.Elapsed = 100, 100, time.Second, 3*time.Second
	a.Add(b)
	require.Equal(t, int64(200), a.Hist.TotalCount())
	require.InDelta(t, 50, a.Rate(), 1e-9)
	require.InDelta(t, 100, float64(a.Hist.ValueAtQuantile(50)), 2)
	require.InDelta(t, 1100, float64(a.Hist.ValueAtQuantile(100)), 2)
}
