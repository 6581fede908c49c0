package measure

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/taskwork/taskwork/bench/internal/stats"
)

// Channel is the name of the subject that others are compared with.
const Channel = "channel"

// Figure is what one subject came to in one column.
type Figure struct {
	Subject string
	Ours    bool
	Column  Column
	Ns      stats.Summary // nanoseconds an entry
	Entries int           // a round
	// Allocs and Bytes are per entry, medians.
	Allocs, Bytes float64
	// ToChannel and ToBestPeer compare with rows of the same column, as multiples of theirs: below 1 is faster. BestPeer is
	// the fastest subject that is not ours.
	ToChannel, ToBestPeer *stats.Ratio `json:",omitempty"`
	BestPeer              string       `json:",omitempty"`
	Batches               []int64      `json:",omitempty"`
}

// Figures sums the rows up.
func (o *Outcome) Figures() []Figure {
	figures := make([]Figure, len(o.Rows))
	for i, r := range o.Rows {
		f := &figures[i]
		*f = Figure{Subject: r.Subject.Name, Ours: r.Subject.Ours, Column: r.Column, Ns: stats.Summarize(r.Ns())}
		f.Entries = r.Samples[0].Entries
		var allocs, bytes []float64
		var batches Batches
		last := 0
		for _, s := range r.Samples {
			allocs = append(allocs, float64(s.Allocs)/float64(s.Entries))
			bytes = append(bytes, float64(s.Bytes)/float64(s.Entries))
			for j, n := range s.Batches {
				if batches[j] += n; batches[j] > 0 {
					last = max(last, j+1)
				}
			}
		}
		f.Allocs, f.Bytes = stats.Summarize(allocs).Median, stats.Summarize(bytes).Median
		f.Batches = batches[:last]
		if ch := o.row(r.Column, func(of *Row) bool { return of.Subject.Name == Channel }); ch != nil {
			ratio := stats.Compare(r.Ns(), ch.Ns())
			f.ToChannel = &ratio
		}
		if peer := o.row(r.Column, func(of *Row) bool { return !of.Subject.Ours }); peer != nil {
			ratio := stats.Compare(r.Ns(), peer.Ns())
			f.ToBestPeer, f.BestPeer = &ratio, peer.Subject.Name
		}
	}
	return figures
}

// row returns the fastest row of a column among those that are asked for, or nil.
func (o *Outcome) row(c Column, among func(*Row) bool) (best *Row) {
	for _, r := range o.Rows {
		if r.Column != c || !among(r) {
			continue
		}
		if best == nil || stats.Summarize(r.Ns()).Median < stats.Summarize(best.Ns()).Median {
			best = r
		}
	}
	return best
}

// Noise is the spread of a fixed piece of work, as a share of its median.
func (o *Outcome) Noise() float64 { return stats.Summarize(o.Probes).Spread() }

// Bench writes every round in the format of go test -bench, which benchstat reads.
func (o *Outcome) Bench(w io.Writer) error {
	for _, r := range o.Rows {
		for _, s := range r.Samples {
			_, err := fmt.Fprintf(w, "%s-%d\t%d\t%.2f ns/op\t%.2f B/op\t%.4f allocs/op\n", r.BenchName(), procs(r.Column), s.Entries,
				s.NsPerEntry(), float64(s.Bytes)/float64(s.Entries), float64(s.Allocs)/float64(s.Entries))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// BenchName is the row's name as a benchmark.
func (r *Row) BenchName() string {
	c := r.Column
	name := map[Kind]string{Flow: "Flow", Fill: "PushOnly", Pair: "OneGoroutine"}[c.Kind]
	s := fmt.Sprintf("Benchmark%s/impl=%s", name, Slug(r.Subject.Name))
	if c.Kind == Flow {
		s += fmt.Sprintf("/consumer=%s", c.Policy)
	}
	if c.Kind != Pair {
		s += fmt.Sprintf("/producers=%d", c.Producers)
	}
	if c.Chunk > 1 {
		s += fmt.Sprintf("/chain=%d", c.Chunk)
	}
	return s
}

// Slug is name in the letters that a benchmark's name may have.
func Slug(name string) string {
	return strings.NewReplacer(", ", "/form=", " ", "-", "(", "", ")", "", "/", "-").Replace(name)
}

func procs(c Column) int {
	if c.Procs > 0 {
		return c.Procs
	}
	return runtime.GOMAXPROCS(0)
}
