package main

import (
	"fmt"
	"math"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/memory"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/plots"
)

// shown are the subjects that the charts show, in the order of their colours; the tables have all.
var shown = []string{
	measure.Channel, fakenodeNodes, lanesHandles, mpscqNodes, spinlistNodes, fakenodeBatch, mutexSlices,
	"xsync.UMPSCQueue", "xsync.MPMCQueue",
}

// chartByProducers shows time by number of producers.
func chartByProducers(figs []measure.Figure, policy measure.Policy) plots.Chart {
	c := plots.Chart{
		Name: "producers-" + string(policy), Title: "Time an entry, a consumer that " + map[measure.Policy]string{
			measure.Poll: "polls", measure.Block: "sleeps",
		}[policy],
		X: "producers", Y: "nanoseconds an entry (less is better)", LogX: true, LogY: true,
	}
	seen := map[int]bool{}
	for _, name := range shown {
		l := plots.Line{Name: name}
		for _, f := range figs {
			col := f.Column
			if f.Subject != name || col.Kind != measure.Flow || col.Policy != policy || col.Chunk > 1 || col.Procs != 0 {
				continue
			}
			l.Points = append(l.Points, plots.Point{X: float64(col.Producers), Y: f.Ns.Median, Low: f.Ns.P10, High: f.Ns.P90})
			if !seen[col.Producers] {
				seen[col.Producers] = true
				c.XTicks = append(c.XTicks, float64(col.Producers))
			}
		}
		if len(l.Points) > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

// chartBatches shows how long the batches were that the consumer took: the share of entries that came in batches of each length.
func chartBatches(figs []measure.Figure) plots.Chart {
	c := plots.Chart{
		Name: "batches", Title: "Entries by length of the batch they came in, 8 producers, a consumer that polls",
		X: "entries taken without finding the queue dry", Y: "share of entries, %", LogX: true,
	}
	col := measure.Column{Kind: measure.Flow, Policy: measure.Poll, Producers: 8}
	for _, name := range shown {
		f := find(figs, name, col)
		if f == nil {
			continue
		}
		weights, all := make([]float64, len(f.Batches)), 0.0
		for i, n := range f.Batches {
			weights[i] = float64(n) * middle(i)
			all += weights[i]
		}
		l := plots.Line{Name: name}
		for i, w := range weights {
			if i > 0 {
				l.Points = append(l.Points, plots.Point{X: math.Ldexp(1, i-1), Y: 100 * w / all})
			}
		}
		if all > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

// middle is the length that batches of bucket i have, more or less.
func middle(i int) float64 {
	if i == 0 {
		return 0
	}
	return 0.75 * math.Ldexp(1, i)
}

// chartLatency shows how long requests took at one depth, the rarer the further to the right.
func chartLatency(cells []*latencyCell, depth int) plots.Chart {
	c := plots.Chart{
		Name: fmt.Sprintf("latency-%d", depth), Title: fmt.Sprintf("From submission to handling, queue depth %d", depth),
		X: "percentile", Y: "nanoseconds (less is better)", LogX: true, LogY: true,
		XTicks: []float64{1, 2, 10, 100, 1000, 10000},
		Names:  map[float64]string{1: "0", 2: "50", 10: "90", 100: "99", 1000: "99.9", 10000: "99.99"},
	}
	for _, cell := range cells {
		if cell.Depth != depth || cell.result == nil {
			continue
		}
		l := plots.Line{Name: cell.Queue}
		for _, p := range []float64{0, 20, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99} {
			// One in so many takes longer.
			l.Points = append(l.Points, plots.Point{X: 100 / (100 - p), Y: float64(max(1, cell.result.Hist.ValueAtQuantile(p)))})
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

// burstSubjects are those whose memory the report follows over a burst: plain values, which the queue has to find room for.
var burstSubjects = []string{
	fakenodePlain, lanesHandles, ours.Name("mpscq", ours.Values), mutexSlices, "mutex+deque (gammazero)", "xsync.UMPSCQueue",
}

// burst is what a burst did to the heap with one subject.
type burst struct {
	Subject string
	Entries int
	Points  []memory.Point
}

// chartBurst shows the live heap while a burst is pushed and then taken.
func chartBurst(bursts []burst) plots.Chart {
	c := plots.Chart{
		Name: "burst", X: "entries pushed, then entries taken", Y: "live heap, MB",
	}
	for _, b := range bursts {
		if c.Title == "" {
			c.Title = fmt.Sprintf("Memory over a burst of %d thousand integers", b.Entries/1000)
			c.XTicks = []float64{0, float64(b.Entries) / 2, float64(b.Entries), 1.5 * float64(b.Entries), 2 * float64(b.Entries)}
			c.Names = map[float64]string{
				c.XTicks[0]: "0", c.XTicks[1]: "half pushed", c.XTicks[2]: "all pushed", c.XTicks[3]: "half taken", c.XTicks[4]: "all taken",
			}
		}
		l := plots.Line{Name: b.Subject}
		for i, p := range b.Points {
			x := 2 * float64(b.Entries) * float64(i) / float64(len(b.Points)-1)
			l.Points = append(l.Points, plots.Point{X: x, Y: float64(p.Bytes) / 1e6})
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}
