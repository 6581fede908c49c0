package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/stats"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func targetsCommand() *cli.Command {
	return &cli.Command{
		Name:  "targets",
		Usage: "what the library promises to reach, measured: pass or miss for each cell",
		Description: `Measures every target, as a multiple of the channel's (capacity 1024) or the hand-written mutex queue's time in the same
run, and prints target, measured value and verdict. Full rounds are 1.5 million entries, eight of them, interleaved. A miss
does not make the command fail: it is a figure. Run it on a quiet machine.

Examples:
  bench targets                 some minutes
  bench targets -quick          a look, not a verdict: short rounds
  bench targets -rounds 20 -json > targets.json`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "short rounds, and few of them"},
			&cli.IntFlag{Name: "rounds", Usage: "rounds (default: 8, quick: 3)"},
		}, outputFlags()...),
		Action: runTargets,
	}
}

func runTargets(ctx context.Context, cmd *cli.Command) error {
	quick := cmd.Bool("quick")
	all := promises()
	plan := targetsPlan(all, quick)
	if cmd.IsSet("rounds") {
		plan.Rounds = cmd.Int("rounds")
	}
	if err := atLeast("rounds", 1, plan.Rounds); err != nil {
		return err
	}
	if err := checkOutput(cmd); err != nil {
		return err
	}
	targets, out, err := measureTargets(ctx, cmd, all, plan, quick)
	if err != nil {
		return err
	}
	f := figures{
		table: func(w io.Writer) error { return targetTables(w, targets, out, plain) },
		json:  map[string]any{"targets": targets, "rounds": out.Rounds, "noise": finite(out.Noise()), "faults": out.Faults},
		bench: func(w io.Writer) error { return targetsBench(w, targets) },
	}
	if err := f.print(cmd); err != nil {
		return err
	}
	return failed(out)
}

// targetsPlan is what the targets ask for: rounds long enough that their start does not count.
func targetsPlan(all []promise, quick bool) measure.Plan {
	plan := measure.Plan{Rows: targetRows(all), Rounds: 8, Least: 1_500_000, Most: 1_500_000}
	if quick {
		plan.Rounds, plan.Least, plan.Most = 3, 100_000, 100_000
	}
	return plan
}

// measureTargets measures everything that there is a target for.
func measureTargets(
	ctx context.Context, cmd *cli.Command, all []promise, plan measure.Plan, quick bool,
) ([]target, *measure.Outcome, error) {
	out, err := series(ctx, cmd, plan)
	if err != nil {
		return nil, nil, err
	}
	targets := append(kept(all, out), allocationTargets(out)...)
	if ctx.Err() != nil {
		return targets, out, nil
	}
	trips := 100_000
	if quick {
		trips = 10_000
	}
	targets = append(targets, wakeTarget(plan.Rounds, trips))
	rest, err := memoryTargets(quick, func(string) {})
	return append(targets, rest...), out, err
}

// targetTables prints the table by producers, and the other targets one by one.
func targetTables(w io.Writer, targets []target, out *measure.Outcome, st style) error {
	if err := targetGrid(w, targets, st); err != nil {
		return err
	}
	t := table.New("target", "of", "unit", "at most", "measured", "10–90 %", "verdict")
	missed, total := 0, 0
	for _, x := range targets {
		total++
		if !x.Pass() {
			missed++
		}
		if byCount(x) {
			continue
		}
		spread := ""
		if x.High > 0 {
			spread = fmt.Sprintf("%.2f–%.2f", x.Low, x.High)
		}
		t.Add(x.Column, x.Row, x.Unit, amount(x.Limit), amount(x.Measured), spread, verdict(x))
	}
	if err := st.title(w, "Other targets"); err != nil {
		return err
	}
	if err := st.table(t, w); err != nil {
		return err
	}
	if err := st.title(w, "Sum"); err != nil {
		return err
	}
	return st.text(w, fmt.Sprintf("%d of %d targets met, in %d interleaved rounds on %v.\n"+
		"Noise of the machine: a fixed piece of work varied by %.0f %%: %s.",
		total-missed, total, out.Rounds, thisMachine(), 100*out.Noise(), stats.Noise(out.Noise())))
}

// targetGrid prints the targets by number of producers.
func targetGrid(w io.Writer, targets []target, st style) error {
	t := table.New("at most → measured")
	for _, p := range producerCounts {
		t.Header = append(t.Header, headingOf(measure.Poll, p))
	}
	rows := map[string][]string{}
	for _, x := range targets {
		if !byCount(x) {
			continue
		}
		heading, inbox := strings.CutSuffix(x.Column, ", Inbox")
		name := fmt.Sprintf("%s (%s)", x.Row, x.Unit)
		if inbox {
			name = fmt.Sprintf("%s, in an Inbox (%s)", x.Row, x.Unit)
		}
		if rows[name] == nil {
			rows[name] = append([]string{name}, make([]string, len(producerCounts))...)
			t.Rows = append(t.Rows, rows[name])
		}
		for i, h := range t.Header {
			if h == heading {
				rows[name][i] = fmt.Sprintf("%.2f → %.2f %s", x.Limit, x.Measured, verdict(x))
			}
		}
	}
	if err := st.title(w, "Targets by number of producers, as multiples of the time in the same run"); err != nil {
		return err
	}
	return st.table(t, w)
}

// byCount tells whether a target belongs to the table by number of producers.
func byCount(x target) bool {
	heading, _ := strings.CutSuffix(x.Column, ", Inbox")
	for _, p := range producerCounts {
		if heading == headingOf(measure.Poll, p) {
			return true
		}
	}
	return false
}

func verdict(x target) string {
	if x.Pass() {
		return "pass"
	}
	return "MISS"
}

// amount prints a figure of any size.
func amount(x float64) string {
	if x == float64(int64(x)) {
		return fmt.Sprint(int64(x))
	}
	return fmt.Sprintf("%.3g", x)
}

func targetsBench(w io.Writer, targets []target) error {
	for _, x := range targets {
		name := measure.Slug(x.Row) + "/of=" + measure.Slug(strings.ReplaceAll(x.Column, ", ", "-"))
		unit := strings.NewReplacer("× ", "x-", " ", "-").Replace(x.Unit)
		if _, err := fmt.Fprintf(w, "BenchmarkTargets/%s\t1\t%.4f %s\t%.4f at-most\n", name, x.Measured, unit, x.Limit); err != nil {
			return err
		}
	}
	return nil
}
