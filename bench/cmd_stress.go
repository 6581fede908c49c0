package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/stress"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func stressCommand() *cli.Command {
	return &cli.Command{
		Name:  "stress",
		Usage: "look for missed wakeups for as long as you like",
		Description: `Random producers push in every form; every wake starts a consumer. After each episode nothing may be missing, doubled, out
of order or handled by two at a time, and there must have been as many wakes as rests.

Examples:
  bench stress -duration 8h
  bench stress -queue mpscq -seed 42`,
		Flags:  stressFlags(10 * time.Minute),
		Action: func(ctx context.Context, cmd *cli.Command) error { return runStress(ctx, cmd, false) },
	}
}

func soakCommand() *cli.Command {
	return &cli.Command{
		Name:  "soak",
		Usage: "everything at once: queues, Runner, Inbox, panics, Closes, ends of contexts, garbage collections",
		Description: `As stress, with Runners and Inboxes that are closed under fire, handlers that panic or exit, a Spawn that fails, handles of
lanes that come and go, contexts that end, a collector that never rests and a GOMAXPROCS that changes. What was accepted must
have been handled or cancelled, exactly once; memory and goroutines must be flat in the end.

Examples:
  bench soak -duration 10m
  bench soak -workers 16 -duration 1h`,
		Flags:  stressFlags(10 * time.Minute),
		Action: func(ctx context.Context, cmd *cli.Command) error { return runStress(ctx, cmd, true) },
	}
}

func stressFlags(d time.Duration) []cli.Flag {
	return append([]cli.Flag{
		&cli.DurationFlag{Name: "duration", Value: d, Usage: "how long"},
		&cli.IntFlag{Name: "workers", Value: 4, Usage: "episodes at a time"},
		&cli.Uint64Flag{Name: "seed", Usage: "where random choices start (default: somewhere)"},
		&cli.StringSliceFlag{Name: "queue", Usage: "queues (default: all)"},
	}, outputFlags()...)
}

func runStress(ctx context.Context, cmd *cli.Command, everything bool) error {
	cfg := stress.Config{
		Duration: cmd.Duration("duration"), Workers: cmd.Int("workers"), Seed: cmd.Uint64("seed"), Everything: everything,
	}
	if !cmd.IsSet("seed") {
		cfg.Seed = rand.Uint64()
	}
	queues, err := choose("queue", ours.Names(), cmd.StringSlice("queue"))
	cfg.Queues = queues
	err = errors.Join(err, checkOutput(cmd), atLeast("workers", 1, cfg.Workers), atMost("workers", 1000, cfg.Workers),
		atLeastDuration("duration", time.Millisecond, cfg.Duration))
	if err != nil {
		return firstOf(err)
	}
	w := cmd.Root().ErrWriter
	live := progress.IsTerminal(w)
	start := time.Now()
	cfg.Tick = func(t *stress.Totals) {
		if live {
			left := max(0, cfg.Duration-time.Since(start)).Round(time.Second)
			_, _ = fmt.Fprintf(w, "\r%v, %v to go: %s\x1b[K", time.Since(start).Round(time.Second), left, totals(t))
		}
	}
	t, err := stress.Run(ctx, cfg)
	if live {
		_, _ = io.WriteString(w, "\r\x1b[K")
	}
	if ctx.Err() != nil {
		interrupted(cmd)
	}
	elapsed := time.Since(start)
	f := figures{
		table: func(w io.Writer) error { return stressTable(w, t, elapsed, cfg.Seed, err) },
		json: map[string]any{
			"seconds": elapsed.Seconds(), "seed": cfg.Seed, "episodes": t.Episodes.Load(), "entries": t.Entries.Load(),
			"wakes": t.Wakes.Load(), "cancelled": t.Cancelled.Load(), "panics": t.Panics.Load(), "closes": t.Closes.Load(),
			"conserved": err == nil,
		},
		bench: func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "Benchmark%s-%d\t%d\t%.1f ns/op\n", map[bool]string{false: "Stress", true: "Soak"}[everything],
				runtime.GOMAXPROCS(0), t.Entries.Load(), float64(elapsed.Nanoseconds())/float64(max(1, t.Entries.Load())))
			return err
		},
	}
	return errors.Join(err, f.print(cmd))
}

// totals is the live line.
func totals(t *stress.Totals) string {
	return fmt.Sprintf("%d episodes, %d entries, %d wakes, %d closes, %d cancelled, %d panics", t.Episodes.Load(), t.Entries.Load(),
		t.Wakes.Load(), t.Closes.Load(), t.Cancelled.Load(), t.Panics.Load())
}

func stressTable(w io.Writer, t *stress.Totals, elapsed time.Duration, seed uint64, broken error) error {
	tab := table.New("what", "count")
	for _, row := range []struct {
		what  string
		count int64
	}{
		{"episodes", t.Episodes.Load()},
		{"entries", t.Entries.Load()},
		{"wakes", t.Wakes.Load()},
		{"closes", t.Closes.Load()},
		{"cancelled", t.Cancelled.Load()},
		{"panics", t.Panics.Load()},
	} {
		tab.Add(row.what, fmt.Sprint(row.count))
	}
	if err := tab.Text(w); err != nil {
		return err
	}
	verdict := "every entry accounted for; memory and goroutines flat"
	if broken != nil {
		verdict = "BROKEN"
	}
	_, err := fmt.Fprintf(w, "\n%s in %v, seed %d\n", verdict, elapsed.Round(time.Millisecond), seed)
	return err
}
