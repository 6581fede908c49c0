package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/actors"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func actorsCommand() *cli.Command {
	return &cli.Command{
		Name:  "actors",
		Usage: "a million Runners in rings, with a token going round each",
		Description: `Each actor is a Runner over a queue of its own; what it gets it passes to the next one in its ring. Prints messages a second,
the memory of an idle Runner, and how many goroutines there are when nothing is to be done: none.

Examples:
  bench actors
  bench actors -actors 100000 -queue fakenode,mpscq -duration 10s`,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "actors", Value: 1_000_000, Usage: "Runners"},
			&cli.IntFlag{Name: "ring", Value: 1000, Usage: "Runners in a ring"},
			&cli.DurationFlag{Name: "duration", Value: 3 * time.Second, Usage: "time for which tokens go round, for each queue"},
			&cli.StringSliceFlag{Name: "queue", Usage: "queues (default: mpscq)"},
		}, outputFlags()...),
		Action: runActors,
	}
}

func runActors(ctx context.Context, cmd *cli.Command) error {
	cfg := actors.Config{Actors: cmd.Int("actors"), Ring: cmd.Int("ring"), Time: cmd.Duration("duration")}
	queues, err := choose("queue", ours.Names(), cmd.StringSlice("queue"))
	if !cmd.IsSet("queue") {
		queues = []string{"mpscq"}
	}
	err = errors.Join(err, checkOutput(cmd), atLeast("ring", 1, cfg.Ring), atLeast("actors", cfg.Ring, cfg.Actors),
		atLeastDuration("duration", time.Millisecond, cfg.Time))
	if err != nil {
		return firstOf(err)
	}
	bar := progress.New(cmd.Root().ErrWriter, int64(len(queues))*cfg.Time.Milliseconds())
	var results []actors.Result
	for _, q := range queues {
		if ctx.Err() != nil {
			break
		}
		cfg.Queue = q
		cfg.Progress = func(d time.Duration, what string) { bar.Step(d.Milliseconds(), what) }
		res, runErr := actors.Run(ctx, cfg)
		if err = runErr; err != nil {
			break
		}
		results = append(results, res)
	}
	bar.Done()
	if ctx.Err() != nil {
		interrupted(cmd)
	}
	return errors.Join(err, figures{
		table: func(w io.Writer) error { return actorsTable(w, results) },
		json:  results,
		bench: func(w io.Writer) error { return actorsBench(w, results) },
	}.print(cmd))
}

func actorsTable(w io.Writer, results []actors.Result) error {
	t := table.New("queue", "Runners", "tokens", "messages/s", "bytes/idle Runner", "MB in all", "goroutines idle", "at rest after")
	for _, r := range results {
		t.Add(r.Queue, fmt.Sprint(r.Actors), fmt.Sprint(r.Rings), fmt.Sprintf("%.0f", float64(r.Messages)/r.Elapsed.Seconds()),
			fmt.Sprintf("%.0f", r.BytesIdle), fmt.Sprintf("%.0f", r.BytesIdle*float64(r.Actors)/1e6),
			fmt.Sprint(r.GoroutinesIdle), fmt.Sprint(r.GoroutinesRest))
	}
	return t.Text(w)
}

func actorsBench(w io.Writer, results []actors.Result) error {
	for _, r := range results {
		_, err := fmt.Fprintf(w, "BenchmarkActors/impl=%s/runners=%d-%d\t%d\t%.1f ns/op\t%.0f B/runner\n", r.Queue, r.Actors,
			runtime.GOMAXPROCS(0), r.Messages, float64(r.Elapsed.Nanoseconds())/float64(max(1, r.Messages)), r.BytesIdle)
		if err != nil {
			return err
		}
	}
	return nil
}
