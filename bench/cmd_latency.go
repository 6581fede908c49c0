package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/latency"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/table"
)

// percentiles are those of the table of the original discussion.
var percentiles = []float64{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99}

// depths are the queue depths of that table.
var depths = []int{1, 2, 4, 8, 16, 32, 64}

func latencyCommand() *cli.Command {
	return &cli.Command{
		Name:  "latency",
		Usage: "rate and percentiles by queue depth: the spinlock list before, the others after",
		Description: `One submitter keeps a number of requests in flight, the depth; other goroutines complete them; the submitter sleeps in
an Inbox until a batch is there, a quarter of the depth from 8 on. For each depth: the maximum rate, and how long requests
took, in nanoseconds, with spinlist and with the queues that came after it. Diff is against spinlist.

With -rate, requests are submitted by the clock, and each counts from the moment at which it was due.

Examples:
  bench latency -quick
  bench latency -depth 1,64 -duration 5s
  bench latency -rate 200000 -json`,
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "short runs"},
			&cli.IntSliceFlag{Name: "depth", Usage: "requests in flight (default: 1,2,4,8,16,32,64)"},
			&cli.DurationFlag{Name: "duration", Usage: "time for each queue and depth (default: 2s, quick: 200ms)"},
			&cli.FloatFlag{Name: "rate", Usage: "requests a second (default: as many as go)"},
			&cli.IntFlag{Name: "completers", Value: 2, Usage: "goroutines that complete requests"},
			&cli.StringSliceFlag{Name: "queue", Usage: "queues (default: all)"},
		}, outputFlags()...),
		Action: runLatency,
	}
}

// latencyPlan is what is to be measured.
type latencyPlan struct {
	queues     []string
	depths     []int
	duration   time.Duration
	rate       float64
	completers int
}

// latencyCell is what was measured of one queue at one depth.
type latencyCell struct {
	Queue       string
	Depth       int
	Batch       int
	Rate        float64
	Percentiles map[string]int64 // nanoseconds
	Max         int64
	result      *latency.Result
}

func runLatency(ctx context.Context, cmd *cli.Command) error {
	p := latencyPlan{
		depths: cmd.IntSlice("depth"), duration: cmd.Duration("duration"), rate: cmd.Float("rate"),
		completers: cmd.Int("completers"),
	}
	if len(p.depths) == 0 {
		p.depths = depths
	}
	if !cmd.IsSet("duration") {
		p.duration = 2 * time.Second
		if cmd.Bool("quick") {
			p.duration = 200 * time.Millisecond
		}
	}
	queues, err := choose("queue", ours.Names(), cmd.StringSlice("queue"))
	p.queues = queues
	err = errors.Join(err, checkOutput(cmd),
		atLeast("depth", 1, p.depths...), atMost("depth", 1<<16, p.depths...),
		atLeast("completers", 1, p.completers), atMost("completers", 1024, p.completers),
		atLeastDuration("duration", time.Millisecond, p.duration))
	if p.rate < 0 || p.rate > 1e9 {
		err = errors.Join(err, usagef("-rate is %v, and has to be between 0 and 1e9", p.rate))
	}
	if err != nil {
		return firstOf(err)
	}
	cells, err := measureLatency(ctx, cmd, p)
	if err != nil {
		return err
	}
	return figures{
		table: func(w io.Writer) error { return latencyTables(w, cells, plain) },
		json:  cells,
		bench: func(w io.Writer) error { return latencyBench(w, cells) },
	}.print(cmd)
}

// latencyTurns is how often each queue has its turn at a depth.
const latencyTurns = 4

// measureLatency measures all cells; at each depth the queues take turns.
func measureLatency(ctx context.Context, cmd *cli.Command, p latencyPlan) ([]*latencyCell, error) {
	bar := progress.New(cmd.Root().ErrWriter, int64(len(p.depths)*len(p.queues)*latencyTurns))
	defer bar.Done()
	var cells []*latencyCell
	for _, depth := range p.depths {
		row := make([]*latencyCell, len(p.queues))
		for i, q := range p.queues {
			row[i] = &latencyCell{Queue: q, Depth: depth, Batch: latency.Batch(depth), result: latency.NewResult()}
		}
		for turn := range latencyTurns {
			for i := range row {
				c := row[(i+turn)%len(row)]
				if ctx.Err() != nil {
					continue
				}
				bar.Step(0, fmt.Sprintf("depth %d, %s", depth, c.Queue))
				res, err := latency.Run(ctx, latency.Config{
					Queue: c.Queue, Depth: depth, Completers: p.completers, Duration: p.duration / latencyTurns, Rate: p.rate,
				})
				if err != nil {
					return cells, fmt.Errorf("%s at depth %d: %w", c.Queue, depth, err)
				}
				c.result.Add(res)
				bar.Step(1, "")
			}
		}
		for _, c := range row {
			if c.result.Ops > 0 {
				c.finish()
				cells = append(cells, c)
			}
		}
	}
	if ctx.Err() != nil {
		bar.Done()
		interrupted(cmd)
	}
	return cells, nil
}

// finish draws the figures from the histogram.
func (c *latencyCell) finish() {
	c.Rate = c.result.Rate()
	c.Max = c.result.Hist.Max()
	c.Percentiles = map[string]int64{}
	for _, p := range percentiles {
		c.Percentiles[fmt.Sprintf("%g", p)] = c.result.Hist.ValueAtQuantile(p)
	}
}

// latencyTables prints a table for each depth.
func latencyTables(w io.Writer, cells []*latencyCell, st style) error {
	var errs []error
	byDepth := map[int][]*latencyCell{}
	var order []int
	for _, c := range cells {
		if byDepth[c.Depth] == nil {
			order = append(order, c.Depth)
		}
		byDepth[c.Depth] = append(byDepth[c.Depth], c)
	}
	for _, depth := range order {
		row := byDepth[depth]
		t := table.New(fmt.Sprintf("depth %d, batch %d", depth, row[0].Batch))
		rates := []string{"requests/s"}
		for i, c := range row {
			t.Header = append(t.Header, c.Queue)
			rates = append(rates, fmt.Sprintf("%.0f", c.Rate))
			if i > 0 {
				t.Header = append(t.Header, "Diff")
				rates = append(rates, diff(c.Rate, row[0].Rate))
			}
		}
		t.Add(rates...)
		for _, p := range percentiles {
			key := fmt.Sprintf("%g", p)
			line := []string{key + " %"}
			for i, c := range row {
				line = append(line, fmt.Sprint(c.Percentiles[key]))
				if i > 0 {
					line = append(line, diff(float64(c.Percentiles[key]), float64(row[0].Percentiles[key])))
				}
			}
			t.Add(line...)
		}
		errs = append(errs, st.title(w, fmt.Sprintf("Queue depth %d: nanoseconds from submission to handling", depth)), st.table(t, w))
	}
	return errors.Join(errs...)
}

// diff is the difference of x to base in per cent.
func diff(x, base float64) string {
	return fmt.Sprintf("%+.1f %%", 100*(x/base-1))
}

func latencyBench(w io.Writer, cells []*latencyCell) error {
	for _, c := range cells {
		_, err := fmt.Fprintf(w, "BenchmarkLatency/impl=%s/depth=%d-%d\t%d\t%.1f ns/op\t%d p50-ns\t%d p99-ns\t%d p99.9-ns\n",
			c.Queue, c.Depth, runtime.GOMAXPROCS(0), c.result.Ops, 1e9/c.Rate, c.Percentiles["50"], c.Percentiles["99"],
			c.Percentiles["99.9"])
		if err != nil {
			return err
		}
	}
	return nil
}
