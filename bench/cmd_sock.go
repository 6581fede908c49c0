package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/progress"
	"github.com/taskwork/taskwork/bench/internal/sock"
	"github.com/taskwork/taskwork/bench/internal/table"
)

func sockCommand() *cli.Command {
	return &cli.Command{
		Name:  "sock",
		Usage: "a receive ring over loopback TCP: many readers, one consumer, real messages",
		Description: `Clients send fixed-size messages over loopback TCP. A reader for each connection pushes a completion for
every message; one consumer checks sequence and checksum and gives the buffer back. Every queue and a
channel take turns on the same connections. Lost or damaged messages make the command fail.

Examples:
  bench sock -duration 2s                          every queue, 8 and 1024 clients
  bench sock -queue mpscq,channel -clients 64      two of them
  bench sock -size 16384 -json > sock.json`,
		Flags: append([]cli.Flag{
			&cli.IntSliceFlag{Name: "clients", Usage: "numbers of clients (default: 8,1024)"},
			&cli.IntFlag{Name: "size", Value: 1024, Usage: "bytes of a message"},
			&cli.DurationFlag{Name: "duration", Value: 5 * time.Second, Usage: "time for each queue and number of clients"},
			&cli.StringSliceFlag{Name: "queue", Usage: "queues, and channel (default: all)"},
		}, outputFlags()...),
		Action: runSock,
	}
}

func runSock(ctx context.Context, cmd *cli.Command) error {
	cfg, err := sockConfig(cmd)
	if err != nil {
		return err
	}
	bar := progress.New(cmd.Root().ErrWriter, int64(len(cfg.Clients)*len(cfg.Rings))*cfg.Duration.Milliseconds())
	cfg.Progress = func(passed time.Duration, what string) { bar.Step(passed.Milliseconds(), what) }
	results, err := sock.Run(ctx, cfg)
	bar.Done()
	if ctx.Err() != nil {
		interrupted(cmd)
	}
	f := figures{
		table: func(w io.Writer) error { return sockTable(w, cfg, results) },
		json:  map[string]any{"size": cfg.Size, "results": sockRows(cfg, results)},
		bench: func(w io.Writer) error { return sockBench(w, cfg, results) },
	}
	err = errors.Join(err, f.print(cmd))
	var faults int64
	for _, r := range results {
		faults += r.Errors
	}
	if err == nil && faults > 0 {
		err = fmt.Errorf("%d errors", faults)
	}
	return err
}

// sockConfig reads the flags. Where the machine does not allow the default number of clients, it takes what fits and says so.
func sockConfig(cmd *cli.Command) (sock.Config, error) {
	cfg := sock.Config{
		Clients: cmd.IntSlice("clients"), Size: cmd.Int("size"), Duration: cmd.Duration("duration"),
	}
	given := len(cfg.Clients) > 0
	if !given {
		cfg.Clients = []int{8, 1024}
	}
	err := errors.Join(
		checkOutput(cmd),
		atLeast("clients", 1, cfg.Clients...),
		atLeast("size", sock.MinSize, cfg.Size),
		atLeastDuration("duration", time.Millisecond, cfg.Duration),
	)
	if err != nil {
		return cfg, firstOf(err)
	}
	if cfg.Size > sock.MaxSize {
		return cfg, usagef("-size is %d, and has to be at most %d", cfg.Size, sock.MaxSize)
	}
	if cfg.Rings, err = choose("queue", sock.Rings(), cmd.StringSlice("queue")); err != nil {
		return cfg, err
	}
	for i, n := range cfg.Clients {
		var low *sock.LimitError
		if !errors.As(sock.CheckFiles(n), &low) {
			continue
		}
		if given || low.Fits < 1 {
			return cfg, low
		}
		remark(cmd, "%v; going on with that", low)
		cfg.Clients[i] = low.Fits
	}
	return cfg, nil
}

// sockRow is a result with what the table derives from it.
type sockRow struct {
	sock.Result
	MessagesPerSecond float64
	GigabytesPerSec   float64
	EntriesPerRun     float64
	WokenRuns         float64 // share of the runs for which a push had to wake the consumer
	ToChannel         float64 `json:",omitempty"` // messages/s as a multiple of the channel's
}

func sockRows(cfg sock.Config, results []sock.Result) []sockRow {
	channel := map[int]float64{}
	rows := make([]sockRow, len(results))
	for i, r := range results {
		rows[i] = sockRow{
			Result:            r,
			MessagesPerSecond: float64(r.Messages) / r.Elapsed.Seconds(),
			GigabytesPerSec:   float64(r.Messages) * float64(cfg.Size) / r.Elapsed.Seconds() / 1e9,
			EntriesPerRun:     float64(r.Messages) / float64(max(1, r.Runs)),
			WokenRuns:         float64(r.Woken) / float64(max(1, r.Runs)),
		}
		if r.Ring == sock.Channel {
			channel[r.Clients] = rows[i].MessagesPerSecond
		}
	}
	for i := range rows {
		if ch := channel[rows[i].Clients]; ch > 0 {
			rows[i].ToChannel = rows[i].MessagesPerSecond / ch
		}
	}
	return rows
}

func sockBench(w io.Writer, cfg sock.Config, results []sock.Result) error {
	for _, r := range sockRows(cfg, results) {
		_, err := fmt.Fprintf(w, "BenchmarkSock/impl=%s/clients=%d-%d\t%d\t%.1f ns/op\t%.2f MB/s\t%.2f entries/run\t%.4f woken/run\n",
			r.Ring, r.Clients, runtime.GOMAXPROCS(0), r.Messages, 1e9/r.MessagesPerSecond, 1e3*r.GigabytesPerSec,
			r.EntriesPerRun, r.WokenRuns)
		if err != nil {
			return err
		}
	}
	return nil
}

func sockTable(w io.Writer, cfg sock.Config, results []sock.Result) error {
	t, faults := sockCells(cfg, results)
	if err := t.Text(w); err != nil {
		return err
	}
	about := fmt.Sprintf("\nmessages of %d bytes; entries/run: completions for each run of the consumer, at most 256;\n"+
		"woken runs: share of the runs for which a push had to wake the consumer\n", cfg.Size)
	for _, f := range faults {
		about += "first error of " + f + "\n"
	}
	_, err := io.WriteString(w, about)
	return err
}

// sockCells returns the table, and the first error of each ring that had one.
func sockCells(cfg sock.Config, results []sock.Result) (t *table.Table, faults []string) {
	t = table.New("queue", "clients", "messages/s", "GB/s", "to channel", "entries/run", "woken runs", "errors")
	for _, r := range sockRows(cfg, results) {
		ratio := ""
		if r.ToChannel > 0 {
			ratio = fmt.Sprintf("%.2f", r.ToChannel)
		}
		t.Add(r.Ring, fmt.Sprint(r.Clients), fmt.Sprintf("%.0f", r.MessagesPerSecond),
			fmt.Sprintf("%.3f", r.GigabytesPerSec), ratio, fmt.Sprintf("%.1f", r.EntriesPerRun),
			fmt.Sprintf("%.1f %%", 100*r.WokenRuns), fmt.Sprint(r.Errors))
		if r.FirstErr != "" {
			faults = append(faults, fmt.Sprintf("%s, %d clients: %s", r.Ring, r.Clients, r.FirstErr))
		}
	}
	return t, faults
}
