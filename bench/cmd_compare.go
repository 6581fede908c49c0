package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/peers"
	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/stats"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:  "compare",
		Usage: "every queue against the channel and other people's queues, side by side",
		Description: `Every queue of the library and every peer hands the same entries to the same consumer: end to end by number
of producers, with a consumer that polls and one that sleeps; push only; in one goroutine; in chains. Rounds are
interleaved, figures are medians with the range from the 10th to the 90th percentile. Every subject has to pass
a completeness check first, and every entry of every round is checked, too. A blank cell: the queue cannot do that.

Examples:
  bench compare -quick                        under 90 seconds
  bench compare                               some minutes, on a quiet machine
  bench compare -only fakenode -only channel -producers 8
  bench compare -bench > new.txt && benchstat old.txt new.txt`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "short rounds, and few of them"},
			&cli.IntFlag{Name: "rounds", Usage: "rounds (default: 10, quick: 5)"},
			&cli.IntSliceFlag{Name: "producers", Usage: "numbers of producers (default: 1,2,4,8,64)"},
			&cli.StringSliceFlag{Name: "only", Usage: "subjects whose name contains this (default: all)"},
		}, outputFlags()...),
		Action: runCompare,
	}
}

// allSubjects returns the peers and our own queues.
func allSubjects() []measure.Subject { return append(peers.All(), ours.Subjects()...) }

func runCompare(ctx context.Context, cmd *cli.Command) error {
	plan, err := comparePlan(cmd)
	if err != nil {
		return err
	}
	out, err := series(ctx, cmd, plan)
	if err != nil {
		return err
	}
	f := figures{
		table: func(w io.Writer) error { return compareTables(w, out, plain) },
		json:  outcomeJSON(out),
		bench: out.Bench,
	}
	if err := f.print(cmd); err != nil {
		return err
	}
	return failed(out)
}

// comparePlan reads the flags.
func comparePlan(cmd *cli.Command) (measure.Plan, error) {
	producers := cmd.IntSlice("producers")
	if len(producers) == 0 {
		producers = []int{1, 2, 4, 8, 64}
	}
	subjects, err := only(cmd.StringSlice("only"), allSubjects())
	if err != nil {
		return measure.Plan{}, err
	}
	plan := compareSet(subjects, producers, cmd.Bool("quick"))
	if cmd.IsSet("rounds") {
		plan.Rounds = cmd.Int("rounds")
	}
	return plan, firstOf(errors.Join(
		checkOutput(cmd),
		atLeast("rounds", 1, plan.Rounds),
		atLeast("producers", 1, producers...),
		atMost("producers", measure.MaxProducers, producers...),
	))
}

// compareSet is the comparison: every subject in every column.
func compareSet(subjects []measure.Subject, producers []int, quick bool) measure.Plan {
	var columns []measure.Column
	for _, policy := range []measure.Policy{measure.Poll, measure.Block} {
		for _, p := range producers {
			columns = append(columns, measure.Column{Kind: measure.Flow, Policy: policy, Producers: p})
		}
	}
	columns = append(columns, otherColumns()...)
	plan := measure.Plan{
		Rows: measure.Cross(subjects, columns), Rounds: 10,
		Slice: 80 * time.Millisecond, Least: 20_000, Most: 4_000_000,
	}
	if quick {
		plan.Rounds, plan.Slice = 5, 10*time.Millisecond
	}
	return plan
}

// otherColumns are those that are not by number of producers.
func otherColumns() []measure.Column {
	return []measure.Column{
		{Kind: measure.Flow, Policy: measure.Run, Producers: 1},
		{Kind: measure.Flow, Policy: measure.Run, Producers: 8},
		{Kind: measure.Fill, Policy: measure.Poll, Producers: 2},
		{Kind: measure.Pair, Policy: measure.Poll, Producers: 1},
		{Kind: measure.Flow, Policy: measure.Poll, Producers: 2, Chunk: 16},
		{Kind: measure.Flow, Policy: measure.Poll, Producers: 2, Chunk: 64},
	}
}

// series carries a plan out behind a progress bar.
func series(ctx context.Context, cmd *cli.Command, plan measure.Plan) (*measure.Outcome, error) {
	bar := progress.New(cmd.Root().ErrWriter, int64(plan.Steps()))
	step := int64(0) // progress comes before each step
	plan.Progress = func(what string) {
		bar.Step(step, what)
		step = 1
	}
	out, err := measure.Series(ctx, plan)
	bar.Done()
	if ctx.Err() != nil {
		interrupted(cmd)
	}
	return out, err
}

// only returns the subjects whose name contains one of the words, all if there are no words.
func only(words []string, subjects []measure.Subject) ([]measure.Subject, error) {
	if len(words) == 0 {
		return subjects, nil
	}
	found := slices.DeleteFunc(subjects, func(s measure.Subject) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s.Name, word) })
	})
	if len(found) == 0 {
		return nil, usagef("-only %s leaves nothing", strings.Join(words, ","))
	}
	return found, nil
}

// failed is the error of a series in which a queue of ours lost entries. A peer that does so is only reported.
func failed(out *measure.Outcome) error {
	return out.Failed(func(name string) bool {
		return slices.ContainsFunc(ours.Subjects(), func(s measure.Subject) bool { return s.Name == name })
	})
}

// outcomeJSON is everything that a series has found.
func outcomeJSON(out *measure.Outcome) any {
	return map[string]any{
		"results": out.Figures(), "faults": out.Faults, "rounds": out.Rounds,
		"noise": finite(out.Noise()), "noise in words": stats.Noise(out.Noise()),
	}
}

// style is how tables are set: for a terminal or for the docs.
type style struct {
	title func(w io.Writer, s string) error
	table func(t *table.Table, w io.Writer) error
	text  func(w io.Writer, s string) error
}

var plain = style{
	title: func(w io.Writer, s string) error { _, err := fmt.Fprintf(w, "\n%s\n\n", s); return err },
	table: func(t *table.Table, w io.Writer) error { return t.Text(w) },
	text:  func(w io.Writer, s string) error { _, err := fmt.Fprintf(w, "%s\n", s); return err },
}

// group is one table: some columns side by side.
type group struct {
	title   string
	columns []measure.Column
}

// groups sorts the columns of figures into tables.
func groups(figs []measure.Figure) []group {
	poll := group{title: "A consumer that polls, and yields when there is nothing"}
	block := group{title: "A consumer that sleeps when there is nothing"}
	other := group{title: "Other ways"}
	for _, f := range figs {
		g := &other
		if f.Column.Kind == measure.Flow && f.Column.Chunk < 2 && f.Column.Procs == 0 {
			switch f.Column.Policy {
			case measure.Poll:
				g = &poll
			case measure.Block:
				g = &block
			}
		}
		if !slices.Contains(g.columns, f.Column) {
			g.columns = append(g.columns, f.Column)
		}
	}
	return slices.DeleteFunc([]group{poll, block, other}, func(g group) bool { return len(g.columns) == 0 })
}

// label is the heading of a column within its group.
func label(c measure.Column) string {
	producers := strconv.Itoa(c.Producers) + " producers"
	if c.Producers == 1 {
		producers = "1 producer"
	}
	switch {
	case c.Kind == measure.Fill:
		return "push only, " + strconv.Itoa(c.Producers)
	case c.Kind == measure.Pair:
		return "one goroutine"
	case c.Chunk > 1:
		return fmt.Sprintf("chains of %d, %d", c.Chunk, c.Producers)
	case c.Policy == measure.Run:
		return fmt.Sprintf("Runner, %d", c.Producers)
	default:
		return producers
	}
}

// compareTables prints what a comparison has found.
func compareTables(w io.Writer, out *measure.Outcome, st style) error {
	figs := out.Figures()
	var errs []error
	for _, g := range groups(figs) {
		ns := table.New("ns per entry")
		toChannel := table.New("channel = 1")
		for _, c := range g.columns {
			ns.Header = append(ns.Header, label(c))
			toChannel.Header = append(toChannel.Header, label(c))
		}
		ns.Header = append(ns.Header, "allocs", "bytes")
		for _, name := range subjectsOf(figs) {
			row, ratio := []string{name}, []string{name}
			allocs, bytes := "", ""
			for _, c := range g.columns {
				f := find(figs, name, c)
				if f == nil {
					row, ratio = append(row, ""), append(ratio, "")
					continue
				}
				row = append(row, cell(f.Ns))
				ratio = append(ratio, ratios(f))
				allocs, bytes = fmt.Sprintf("%.2f", f.Allocs), fmt.Sprintf("%.1f", f.Bytes)
			}
			if allocs == "" {
				continue // the subject has nothing in this group
			}
			ns.Add(append(row, allocs, bytes)...)
			toChannel.Add(ratio...)
		}
		errs = append(errs,
			st.title(w, g.title+": nanoseconds an entry, median [10–90 %]"), st.table(ns, w),
			st.title(w, g.title+": as a multiple of the channel's / of the best peer's"), st.table(toChannel, w))
	}
	errs = append(errs, st.title(w, "What to pick"))
	for _, line := range advice(figs) {
		errs = append(errs, st.text(w, line))
	}
	errs = append(errs, st.title(w, "About these figures"), st.text(w, fmt.Sprintf(
		"%d interleaved rounds on %v.\nNoise of the machine: a fixed piece of work varied by %.0f %%: %s.\n"+
			"allocs and bytes are per entry, of the last column. Ratios below 1 are faster.",
		out.Rounds, thisMachine(), 100*out.Noise(), stats.Noise(out.Noise()))))
	for _, f := range out.Faults {
		errs = append(errs, st.text(w, "NOT TIMED: "+f.Error()))
	}
	return errors.Join(errs...)
}

// ratios prints how a figure compares.
func ratios(f *measure.Figure) string {
	s := "-"
	if f.ToChannel != nil {
		s = fmt.Sprintf("%.2f", f.ToChannel.Value)
	}
	if f.ToBestPeer != nil {
		s += fmt.Sprintf(" / %.2f", f.ToBestPeer.Value)
	}
	return s
}

func subjectsOf(figs []measure.Figure) []string {
	var names []string
	for _, f := range figs {
		if !slices.Contains(names, f.Subject) {
			names = append(names, f.Subject)
		}
	}
	return names
}

func find(figs []measure.Figure, subject string, c measure.Column) *measure.Figure {
	for i := range figs {
		if figs[i].Subject == subject && figs[i].Column == c {
			return &figs[i]
		}
	}
	return nil
}
