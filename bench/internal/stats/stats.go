// Package stats turns repeated measurements into a figure and an honest range around it.
//
// Times of repeated runs are not normally distributed: nothing makes a run much faster than it should be, while a neighbour, a
// collection or a throttled core makes some much slower. So the figure is the median and the range is that from the 10th to
// the 90th percentile, of the sample itself; there is no mean, no deviation, and no outlier is dropped.
package stats

import (
	"math"
	"slices"
)

// Summary describes a sample.
type Summary struct {
	N                int
	P10, Median, P90 float64
}

// Summarize describes xs, which it leaves alone. An empty sample has no figures: they are NaN.
func Summarize(xs []float64) Summary {
	sorted := slices.Sorted(slices.Values(xs))
	return Summary{
		N:      len(xs),
		P10:    Quantile(sorted, 0.1),
		Median: Quantile(sorted, 0.5),
		P90:    Quantile(sorted, 0.9),
	}
}

// Spread is the width of the range as a share of the median: 0.1 means that most runs lie within 10 % of each other.
func (s Summary) Spread() float64 {
	return (s.P90 - s.P10) / s.Median
}

// Quantile returns the q-quantile of a sorted sample, interpolated between its two nearest elements. It is NaN for an empty one.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Ratio compares two samples that were taken in turn.
type Ratio struct {
	// Value is the ratio of the medians.
	Value float64
	// Low and High are the 10th and 90th percentile of the ratios of rounds that lie side by side: what slowed the machine
	// down in one round slowed both down.
	Low, High float64
}

// Compare returns the ratio of xs to base; xs[i] and base[i] are of the same round. Rounds that one of them lacks count for the
// medians only. It is NaN where there is nothing to compare.
func Compare(xs, base []float64) Ratio {
	var pairs []float64
	for i := range min(len(xs), len(base)) {
		pairs = append(pairs, xs[i]/base[i])
	}
	p := Summarize(pairs)
	return Ratio{Value: Summarize(xs).Median / Summarize(base).Median, Low: p.P10, High: p.P90}
}

// Noise says in a word how much a spread means for comparisons on this machine.
func Noise(spread float64) string {
	switch {
	case math.IsNaN(spread):
		return "unknown"
	case spread < 0.05:
		return "quiet"
	case spread < 0.15:
		return "usable"
	case spread < 0.4:
		return "noisy"
	default:
		return "very noisy: differences below a factor of two mean little"
	}
}
