package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/stats"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func addsCommand() *cli.Command {
	return &cli.Command{
		Name:  "adds",
		Usage: "contended adds of the four generations, and what it is worth to kick once a burst",
		Description: `Producers add their own nodes as fast as they can: first with nobody taking them, then with a consumer that sleeps until
a push kicks it. llist needs a kick for every batch, the queues one for every burst. The patch that brought the lockless list
to io_uring claimed 20 % faster adds than the spinlock.

Examples:
  bench adds -quick
  bench adds -producers 2,8 -json`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "short rounds, and few of them"},
			&cli.IntFlag{Name: "rounds", Usage: "rounds (default: 10, quick: 5)"},
			&cli.IntSliceFlag{Name: "producers", Usage: "numbers of producers (default: 1,2,4,8)"},
		}, outputFlags()...),
		Action: runAdds,
	}
}

func runAdds(ctx context.Context, cmd *cli.Command) error {
	producers := cmd.IntSlice("producers")
	if len(producers) == 0 {
		producers = []int{1, 2, 4, 8}
	}
	plan := addsPlan(producers, cmd.Bool("quick"))
	if cmd.IsSet("rounds") {
		plan.Rounds = cmd.Int("rounds")
	}
	err := errors.Join(
		checkOutput(cmd),
		atLeast("rounds", 1, plan.Rounds),
		atLeast("producers", 1, producers...), atMost("producers", measure.MaxProducers, producers...),
	)
	if err != nil {
		return firstOf(err)
	}
	out, err := series(ctx, cmd, plan)
	if err != nil {
		return err
	}
	f := figures{
		table: func(w io.Writer) error { return addsTables(w, out, plain) },
		json:  outcomeJSON(out),
		bench: out.Bench,
	}
	if err := f.print(cmd); err != nil {
		return err
	}
	return out.Failed(func(string) bool { return true })
}

func addsPlan(producers []int, quick bool) measure.Plan {
	var columns []measure.Column
	for _, p := range producers {
		columns = append(columns,
			measure.Column{Kind: measure.Fill, Policy: measure.Run, Producers: p},
			measure.Column{Kind: measure.Flow, Policy: measure.Run, Producers: p})
	}
	plan := measure.Plan{
		Rows: measure.Cross(ours.Adds(), columns), Rounds: 10,
		Slice: 100 * time.Millisecond, Least: 50_000, Most: 1_500_000,
	}
	if quick {
		plan.Rounds, plan.Slice = 5, 15*time.Millisecond
	}
	return plan
}

// addsTables prints a table for adds alone, and one with a consumer; both compare with spinlist.
func addsTables(w io.Writer, out *measure.Outcome, st style) error {
	var errs []error
	for _, kind := range []measure.Kind{measure.Fill, measure.Flow} {
		title := "Adds alone: nanoseconds an add, median [10–90 %], and as a multiple of spinlist's"
		if kind == measure.Flow {
			title = "With a consumer that is kicked: nanoseconds an entry, as a multiple of spinlist's, and entries for each kick"
		}
		t := table.New("queue")
		rows := map[string][]string{}
		for _, r := range out.Rows {
			if r.Column.Kind != kind {
				continue
			}
			if r.Subject.Name == "spinlist" {
				t.Header = append(t.Header, label(measure.Column{Kind: measure.Flow, Producers: r.Column.Producers}), "×")
				if kind == measure.Flow {
					t.Header = append(t.Header, "per kick")
				}
			}
			if rows[r.Subject.Name] == nil {
				rows[r.Subject.Name] = []string{r.Subject.Name}
			}
			row := append(rows[r.Subject.Name], cell(stats.Summarize(r.Ns())), "")
			if base := rowOf(out, "spinlist", r.Column); base != nil {
				row[len(row)-1] = fmt.Sprintf("%.2f", stats.Compare(r.Ns(), base.Ns()).Value)
			}
			if kind == measure.Flow {
				row = append(row, short(perKick(r)))
			}
			rows[r.Subject.Name] = row
		}
		for _, s := range ours.Adds() {
			if rows[s.Name] != nil {
				t.Add(rows[s.Name]...)
			}
		}
		errs = append(errs, st.title(w, title), st.table(t, w))
	}
	errs = append(errs, st.title(w, "About these figures"), st.text(w, fmt.Sprintf(
		"%d interleaved rounds on %v.\nNoise of the machine: a fixed piece of work varied by %.0f %%: %s.",
		out.Rounds, thisMachine(), 100*out.Noise(), stats.Noise(out.Noise()))))
	return errors.Join(errs...)
}

func rowOf(out *measure.Outcome, subject string, c measure.Column) *measure.Row {
	for _, r := range out.Rows {
		if r.Subject.Name == subject && r.Column == c {
			return r
		}
	}
	return nil
}

// perKick is how many entries there were for each kick, over all rounds.
func perKick(r *measure.Row) float64 {
	entries, kicks := 0, int64(0)
	for _, s := range r.Samples {
		entries += s.Entries
		kicks += s.Kicks
	}
	return float64(entries) / float64(max(1, kicks))
}
