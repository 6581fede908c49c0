package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummarize(t *testing.T) {
	xs := []float64{11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	before := slices.Clone(xs)
	require.Equal(t, Summary{N: 11, P10: 2, Median: 6, P90: 10}, Summarize(xs))
	require.Equal(t, before, xs, "the sample is the caller's")
	require.InDelta(t, 8.0/6, Summarize(xs).Spread(), 1e-12)

	require.Equal(t, Summary{N: 1, P10: 3, Median: 3, P90: 3}, Summarize([]float64{3}))
	require.Zero(t, Summarize([]float64{3}).Spread())

	even := Summarize([]float64{4, 2})
	require.InDelta(t, 3, even.Median, 1e-12)
	require.InDelta(t, 2.2, even.P10, 1e-12)
	require.InDelta(t, 3.8, even.P90, 1e-12)

	// One run that a neighbour made a hundred times slower must not move the figure.
	require.InDelta(t, 3, Summarize([]float64{1, 2, 3, 4, 500}).Median, 1e-12)

	empty := Summarize(nil)
	require.Zero(t, empty.N)
	require.True(t, math.IsNaN(empty.Median) && math.IsNaN(empty.P10) && math.IsNaN(empty.P90) && math.IsNaN(empty.Spread()))
}

func TestQuantile(t *testing.T) {
	sorted := []float64{10, 20, 30}
	for q, want := range map[float64]float64{0: 10, 0.25: 15, 0.5: 20, 0.75: 25, 0.9: 28, 1: 30} {
		require.InDelta(t, want, Quantile(sorted, q), 1e-12, "%v", q)
	}
	require.True(t, math.IsNaN(Quantile(nil, 0.5)))
}

func TestCompareTakesTheMachineOut(t *testing.T) {
	// The machine halves its speed for two rounds of five; the ratio does not notice.
	base := []float64{100, 200, 100, 200, 100}
	xs := []float64{50, 100, 50, 100, 50}
	require.Equal(t, Ratio{Value: 0.5, Low: 0.5, High: 0.5}, Compare(xs, base))

	// A round that only one of them has still counts for its median.
	r := Compare([]float64{10, 10, 40, 40, 40}, []float64{10, 10})
	require.InDelta(t, 4, r.Value, 1e-12)
	require.InDelta(t, 1, r.Low, 1e-12)
	require.InDelta(t, 1, r.High, 1e-12)

	require.True(t, math.IsNaN(Compare(nil, base).Value))
	require.True(t, math.IsNaN(Compare(xs, nil).Value))
}

func TestNoise(t *testing.T) {
	for spread, want := range map[float64]string{0: "quiet", 0.049: "quiet", 0.05: "usable", 0.15: "noisy", 0.39: "noisy"} {
		require.Equal(t, want, Noise(spread))
	}
	require.Contains(t, Noise(0.4), "very noisy")
	require.Equal(t, "unknown", Noise(math.NaN()))
}
