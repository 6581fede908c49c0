package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Row is what was measured of one subject in one column.
type Row struct {
	Subject Subject
	Column  Column
	// Group names the rows whose rounds are to lie side by side; empty: those of the same column.
	Group   string
	Samples []Sample
	entries int // a round; 0 until calibrated
	dropped bool
}

// Ns returns the nanoseconds an entry of all rounds.
func (r *Row) Ns() []float64 {
	ns := make([]float64, len(r.Samples))
	for i, s := range r.Samples {
		ns[i] = s.NsPerEntry()
	}
	return ns
}

// Plan is what a series measures.
type Plan struct {
	Rows   []*Row
	Rounds int
	// A round of a row takes about Slice, as far as Least and Most entries allow.
	Slice       time.Duration
	Least, Most int
	// Progress is told of every step done and what comes next. The plan has [Plan.Steps] of them.
	Progress func(what string)

	// patience is for a round without progress; 0: the usual.
	patience time.Duration
}

// Cross returns a row for every subject in every column, column by column.
func Cross(subjects []Subject, columns []Column) []*Row {
	var rows []*Row
	for _, c := range columns {
		for _, s := range subjects {
			rows = append(rows, &Row{Subject: s, Column: c})
		}
	}
	return rows
}

// Steps is how often a series of that plan reports progress.
func (p *Plan) Steps() int {
	return len(p.subjects()) + (1+p.Rounds)*len(p.Rows)
}

// Outcome is what a series came to.
type Outcome struct {
	Rows   []*Row // those with figures
	Faults []*Fault
	// Probes are the times of a fixed piece of work that has nothing to do with queues, taken along the way: how much they
	// differ is how much the machine does.
	Probes []float64
	// Rounds is how many have been finished. It is less than planned if the series was interrupted.
	Rounds int
}

// Series carries a plan out until it is done or ctx ends. Every subject has to pass a completeness check first; one that fails it,
// or a later round, is reported and not timed. Rounds are interleaved: each goes through all columns, and through all subjects
// within a column, each time starting with another one. An error other than a subject's fault ends it.
func Series(ctx context.Context, p Plan) (*Outcome, error) {
	if p.patience == 0 {
		p.patience = patience
	}
	if p.Progress == nil {
		p.Progress = func(string) {}
	}
	out := new(Outcome)
	for _, s := range p.subjects() {
		if ctx.Err() != nil {
			return out, nil
		}
		p.Progress("checking " + s.Name)
		if fault := checkWithin(s, p.patience); fault != nil {
			out.drop(p.Rows, fault)
		}
	}
	for round := -1; round < p.Rounds; round++ {
		for _, group := range p.columns() {
			out.Probes = append(out.Probes, probe())
			for i := range group {
				if ctx.Err() != nil {
					out.keep(p.Rows)
					return out, nil
				}
				row := group[(i+round+1)%len(group)]
				p.Progress(fmt.Sprintf("round %d/%d: %s", max(1, round+1), p.Rounds, row.Subject.Name))
				var fault *Fault
				if err := row.measure(p, round); errors.As(err, &fault) {
					out.drop(p.Rows, fault)
				} else if err != nil {
					return out, err
				}
			}
		}
		out.Rounds = max(0, round+1)
	}
	out.keep(p.Rows)
	return out, nil
}

// measure takes one round of r. Round -1 is warm-up and calibration: nothing of it is kept.
func (r *Row) measure(p Plan, round int) error {
	if r.dropped {
		return nil
	}
	n := r.entries
	if round < 0 {
		n = p.Least
	}
	sample, err := roundWithin(r.Subject, r.Column, n, p.patience)
	switch {
	case errors.Is(err, ErrCannot):
		r.dropped = true
		return nil
	case err != nil:
		return err
	case round < 0:
		r.entries = min(max(p.Least, int(float64(p.Slice.Nanoseconds())/sample.NsPerEntry())), p.Most)
	default:
		r.Samples = append(r.Samples, sample)
	}
	return nil
}

// drop takes a subject out of the series.
func (o *Outcome) drop(rows []*Row, fault *Fault) {
	o.Faults = append(o.Faults, fault)
	for _, r := range rows {
		if r.Subject.Name == fault.Subject {
			r.dropped, r.Samples = true, nil
		}
	}
}

// keep collects the rows that have figures.
func (o *Outcome) keep(rows []*Row) {
	for _, r := range rows {
		if len(r.Samples) > 0 {
			o.Rows = append(o.Rows, r)
		}
	}
}

// Failed returns the first fault of a subject of ours.
func (o *Outcome) Failed(ours func(name string) bool) error {
	for _, f := range o.Faults {
		if ours(f.Subject) {
			return f
		}
	}
	return nil
}

// subjects returns each subject of the plan once.
func (p *Plan) subjects() []Subject {
	var all []Subject
	seen := map[string]bool{}
	for _, r := range p.Rows {
		if !seen[r.Subject.Name] {
			seen[r.Subject.Name] = true
			all = append(all, r.Subject)
		}
	}
	return all
}

// columns returns the plan's rows by group, in the order in which they appear.
func (p *Plan) columns() [][]*Row {
	var groups [][]*Row
	at := map[string]int{}
	for _, r := range p.Rows {
		name := r.Group
		if name == "" {
			name = fmt.Sprint(r.Column)
		}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// Check is the completeness check: every entry of 1 and of 5 producers has to come, once and in order, under every policy and
// with every kind of publication that the subject knows. nil: it passed.
func Check(s Subject) *Fault {
	return checkWithin(s, patience)
}

func checkWithin(s Subject, patience time.Duration) *Fault {
	const entries = 10_000
	var columns []Column
	for _, policy := range Policies() {
		for _, chunk := range []int{1, 16} {
			for _, producers := range []int{1, 5} {
				columns = append(columns, Column{Kind: Flow, Policy: policy, Producers: producers, Chunk: chunk})
			}
		}
	}
	columns = append(columns,
		Column{Kind: Fill, Policy: Poll, Producers: 5}, Column{Kind: Pair, Policy: Poll, Producers: 1},
		Column{Kind: Flow, Policy: Poll, Producers: 5, Procs: 1})
	for _, c := range columns {
		var fault *Fault
		if _, err := roundWithin(s, c, entries, patience); errors.As(err, &fault) {
			return fault
		}
	}
	return nil
}

// probe does a fixed piece of arithmetic, of about a millisecond, and returns how long it took.
func probe() float64 {
	runtime.GC() // or it would measure the collection of what the last round left behind
	start := time.Now()
	x := uint64(88172645463325252)
	for range 1 << 19 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	probed.x = x
	return float64(time.Since(start).Nanoseconds())
}

// probed keeps the compiler from dropping the probe.
var probed struct{ x uint64 }
