package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/memory"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/plots"
	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/sock"
	"github.com/taskwork/taskwork/bench/internal/table"
)

// section is one part of a report.
type section struct {
	ID, Title, Command string // the command that measures the same by itself
	Intro              string
	tables             func(w io.Writer, st style) error
	charts             []plots.Chart
}

// maker measures what a section shows. It returns nil if it was interrupted before it had anything.
type maker struct {
	id   string
	make func(ctx context.Context, cmd *cli.Command, quick bool) (*section, error)
}

// makers are the sections that a report can have, in their order.
func makers() []maker {
	return []maker{
		{"compare", makeCompare},
		{"adds", makeAdds},
		{"latency", makeLatency},
		{"memory", makeMemory},
		{"sock", makeSock},
		{"targets", makeTargets},
	}
}

func makeCompare(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	out, err := series(ctx, cmd, compareSet(allSubjects(), producerCounts, quick))
	if err != nil || len(out.Rows) == 0 {
		return nil, err
	}
	figs := out.Figures()
	return &section{
		ID: "compare", Title: "Every queue beside the others", Command: "go run -C bench . compare",
		Intro: "The same entries through every queue to the same consumer, which checks each one. Producers may have 16384 " +
			"entries on the way in all, whatever the queue. Rounds are interleaved. A blank cell: the queue cannot do that.",
		tables: func(w io.Writer, st style) error { return compareTables(w, out, st) },
		charts: []plots.Chart{chartByProducers(figs, measure.Poll), chartByProducers(figs, measure.Block), chartBatches(figs)},
	}, failed(out)
}

func makeAdds(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	out, err := series(ctx, cmd, addsPlan([]int{1, 2, 4, 8}, quick))
	if err != nil || len(out.Rows) == 0 {
		return nil, err
	}
	return &section{
		ID: "adds", Title: "Contended adds", Command: "go run -C bench . adds",
		Intro: "The four generations with nothing but adds, and with a consumer that has to be kicked: llist needs a kick for " +
			"every batch, the queues need one for every burst.",
		tables: func(w io.Writer, st style) error { return addsTables(w, out, st) },
	}, out.Failed(func(string) bool { return true })
}

func makeLatency(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	p := latencyPlan{queues: ours.Names(), depths: depths, duration: 2 * time.Second, completers: 2}
	if quick {
		p.duration = 200 * time.Millisecond
	}
	cells, err := measureLatency(ctx, cmd, p)
	if err != nil || len(cells) == 0 {
		return nil, err
	}
	s := &section{
		ID: "latency", Title: "Latency by queue depth", Command: "go run -C bench . latency",
		Intro: "One submitter keeps a number of requests in flight and sleeps until a batch of completions is there; two " +
			"completers push them. The set-up is that in which io_uring's patches were discussed. Diff is against spinlist.",
		tables: func(w io.Writer, st style) error { return latencyTables(w, cells, st) },
	}
	for _, depth := range []int{1, 16} {
		if c := chartLatency(cells, depth); len(c.Lines) > 0 {
			s.charts = append(s.charts, c)
		}
	}
	return s, nil
}

func makeMemory(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	n := 2_000_000
	if quick {
		n = 500_000
	}
	subjects := slices.DeleteFunc(allSubjects(), func(s measure.Subject) bool { return !slices.Contains(burstSubjects, s.Name) })
	bar := progress.New(cmd.Root().ErrWriter, int64(len(subjects)))
	defer bar.Done()
	var bursts []burst
	for _, s := range subjects {
		if ctx.Err() != nil {
			break
		}
		bar.Step(0, "burst into "+s.Name)
		points, err := memory.Burst(s, n, 8)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		bursts = append(bursts, burst{s.Name, n, points})
		bar.Step(1, "")
	}
	slices.SortFunc(bursts, func(a, b burst) int {
		return slices.Index(burstSubjects, a.Subject) - slices.Index(burstSubjects, b.Subject)
	})
	if len(bursts) == 0 {
		return nil, nil
	}
	return &section{
		ID: "memory", Title: "Memory over a burst",
		Intro: "Integers are pushed while nobody takes any, and then taken. The figure is the live heap after a collection; the " +
			"queue is in use to the end.",
		tables: func(w io.Writer, st style) error {
			t := table.New("queue", "bytes an entry when all are pushed", "KB left when all are taken")
			for _, b := range bursts {
				full, end := b.Points[(len(b.Points)-1)/2], b.Points[len(b.Points)-1]
				t.Add(b.Subject, fmt.Sprintf("%.1f", float64(full.Bytes)/float64(b.Entries)), fmt.Sprintf("%.1f", float64(end.Bytes)/1000))
			}
			return st.table(t, w)
		},
		charts: []plots.Chart{chartBurst(bursts)},
	}, nil
}

func makeSock(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	cfg := sock.Config{Clients: []int{8, 1024}, Size: 1024, Duration: 5 * time.Second, Rings: sock.Rings()}
	if quick {
		cfg.Duration = time.Second
	}
	for i, n := range cfg.Clients {
		var low *sock.LimitError
		if errors.As(sock.CheckFiles(n), &low) {
			cfg.Clients[i] = max(1, low.Fits)
		}
	}
	bar := progress.New(cmd.Root().ErrWriter, int64(len(cfg.Clients)*len(cfg.Rings))*cfg.Duration.Milliseconds())
	cfg.Progress = func(passed time.Duration, what string) { bar.Step(passed.Milliseconds(), what) }
	results, err := sock.Run(ctx, cfg)
	bar.Done()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	for _, r := range results {
		if r.Errors > 0 {
			return nil, fmt.Errorf("sock over %s: %s", r.Ring, r.FirstErr)
		}
	}
	return &section{
		ID: "sock", Title: "A receive ring over real sockets", Command: "go run -C bench . sock",
		Intro: "Loopback TCP clients send messages as fast as they are taken; a reader for each pushes completions, one consumer " +
			"in an Inbox checks every message.",
		tables: func(w io.Writer, st style) error {
			t, _ := sockCells(cfg, results)
			return st.table(t, w)
		},
	}, nil
}

func makeTargets(ctx context.Context, cmd *cli.Command, quick bool) (*section, error) {
	all := promises()
	targets, out, err := measureTargets(ctx, cmd, all, targetsPlan(all, quick), quick)
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	return &section{
		ID: "targets", Title: "Targets", Command: "go run -C bench . targets",
		Intro:  "What the library promises to reach, as ratios within one run.",
		tables: func(w io.Writer, st style) error { return targetTables(w, targets, out, st) },
	}, failed(out)
}
