// Package latency measures how long a request takes from its submission until its completion has been handled.
//
//	submitter ──channel──▶ completer 1 ──┐ lazy push
//	    │     ──channel──▶ completer 2 ──┴──────────▶ [ Inbox over the queue ]
//	    └───────────────────────────◀── receives a batch, notes the times, submits again
//
// It is the set-up in which the patches for io_uring's task work were discussed: one submitter keeps a number of requests, the
// depth, in flight; others complete them; the submitter sleeps until a batch of completions is there. From depth 8 on the batch
// is a quarter of the depth. The completers are told of a request through a channel, the same for every queue.
package latency

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// Config is one cell of the table.
type Config struct {
	Queue      string
	Depth      int
	Completers int
	Duration   time.Duration
	// Rate is how many requests a second are to be submitted, regular as a clock; 0: as many as go. A request that could not
	// be submitted in time counts from the moment at which it should have been: otherwise a stall would hide the requests
	// that it kept from being made (coordinated omission).
	Rate float64
}

// Batch is how many completions the submitter waits for, and so how many requests it submits at once.
func Batch(depth int) int {
	if depth < 8 {
		return 1
	}
	return depth / 4
}

// Result is what a run measured. Histograms of several runs can be merged.
type Result struct {
	Ops     int64
	Elapsed time.Duration
	// Hist holds nanoseconds, with three digits.
	Hist *hdrhistogram.Histogram
}

// NewResult returns an empty Result.
func NewResult() *Result {
	return &Result{Hist: hdrhistogram.New(1, int64(time.Minute), 3)}
}

// Add adds another run's.
func (r *Result) Add(other *Result) {
	r.Ops += other.Ops
	r.Elapsed += other.Elapsed
	r.Hist.Merge(other.Hist)
}

// Rate is how many requests a second were handled.
func (r *Result) Rate() float64 { return float64(r.Ops) / r.Elapsed.Seconds() }

// request is what is submitted and completed. Its node carries it back.
type request struct {
	node taskwork.Node[*request]
	from time.Time // when it was submitted, or should have been
}

// rig is one run.
type rig struct {
	cfg  Config
	in   *taskwork.Inbox[*request]
	todo []chan *request
	next int // the completer whose turn it is
	free []*request
	res  *Result
	dst  []*request
}

// Run measures one cell.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	q, err := newQueue(cfg.Queue)
	if err != nil {
		return nil, err
	}
	g := &rig{
		cfg: cfg, in: taskwork.NewInbox(q, taskwork.InboxConfig[*request]{}),
		res: NewResult(), dst: make([]*request, cfg.Depth),
	}
	for range cfg.Depth {
		g.free = append(g.free, new(request))
	}
	var completers sync.WaitGroup
	for range cfg.Completers {
		todo := make(chan *request, cfg.Depth)
		g.todo = append(g.todo, todo)
		completers.Go(func() { g.complete(q, todo) })
	}
	watchdog := time.AfterFunc(cfg.Duration+lost, g.in.Close)
	defer watchdog.Stop()
	start := time.Now()
	if cfg.Rate > 0 {
		err = g.paced(ctx, start)
	} else {
		err = g.flatOut(ctx, start)
	}
	g.res.Elapsed = time.Since(start)
	for _, todo := range g.todo {
		close(todo)
	}
	completers.Wait()
	g.in.Close()
	if err == nil && len(g.free) != cfg.Depth {
		err = fmt.Errorf("%d requests never came back", cfg.Depth-len(g.free))
	}
	return g.res, err
}

func newQueue(name string) (taskwork.Queue[*request], error) {
	for _, q := range ours.All[*request]() {
		if q.Name == name {
			return q.New(), nil
		}
	}
	return nil, fmt.Errorf("no queue %q", name)
}

// complete is a completer: it pushes every request that it is given.
func (g *rig) complete(q taskwork.Queue[*request], todo <-chan *request) {
	if nq, ok := q.(taskwork.NodeQueue[*request]); ok {
		for r := range todo {
			r.node.Value = r
			g.in.PushedLazy(nq.PushNode(&r.node), 1)
		}
		return
	}
	push := ours.Sender(q)
	for r := range todo {
		g.in.PushedLazy(push(r), 1)
	}
}

// submit hands a free request to a completer.
func (g *rig) submit(from time.Time) {
	last := len(g.free) - 1
	r := g.free[last]
	g.free = g.free[:last]
	r.from = from
	g.todo[g.next] <- r
	g.next = (g.next + 1) % len(g.todo)
}

// receive waits for at least so many completions, handles what there is, and returns the time.
func (g *rig) receive(atLeast int) (time.Time, error) {
	n, err := g.in.RecvBatch(context.Background(), g.dst, atLeast, 0)
	if err != nil {
		return time.Time{}, fmt.Errorf("%d completions are lost: %w", g.cfg.Depth-len(g.free), err)
	}
	now := time.Now()
	g.note(g.dst[:n], now)
	return now, nil
}

// lost is how long a run may take beyond its time before completions that have not come count as lost: the Inbox is closed then.
// A deadline in each receive would be measured along.
const lost = 30 * time.Second

// note notes the latencies of requests that are back, which may then be submitted again.
func (g *rig) note(back []*request, now time.Time) {
	for i, r := range back {
		// Beyond its range the histogram keeps nothing; a minute is a minute.
		_ = g.res.Hist.RecordValue(min(max(1, now.Sub(r.from).Nanoseconds()), int64(time.Minute)))
		g.free = append(g.free, r)
		back[i] = nil
	}
	g.res.Ops += int64(len(back))
}

// flatOut keeps the depth in flight.
func (g *rig) flatOut(ctx context.Context, start time.Time) error {
	for now := start; now.Sub(start) < g.cfg.Duration && ctx.Err() == nil; {
		for len(g.free) > 0 {
			g.submit(now)
		}
		var err error
		if now, err = g.receive(Batch(g.cfg.Depth)); err != nil {
			return err
		}
	}
	return g.rest()
}

// paced submits by the clock, as far as the depth allows.
func (g *rig) paced(ctx context.Context, start time.Time) error {
	interval := time.Duration(float64(time.Second) / g.cfg.Rate)
	due := start
	for now := start; now.Sub(start) < g.cfg.Duration && ctx.Err() == nil; now = time.Now() {
		if len(g.free) == 0 {
			if _, err := g.receive(1); err != nil {
				return err
			}
			continue
		}
		for len(g.free) > 0 && !due.After(now) {
			g.submit(due)
			due = due.Add(interval)
		}
		if r, ok := g.in.TryRecv(); ok {
			g.dst[0] = r
			g.note(g.dst[:1], time.Now())
		} else {
			runtime.Gosched() // a sleep would be far longer than most intervals
		}
	}
	return g.rest()
}

// rest receives what is still in flight.
func (g *rig) rest() error {
	for len(g.free) < g.cfg.Depth {
		if _, err := g.receive(1); err != nil {
			return err
		}
	}
	return nil
}
