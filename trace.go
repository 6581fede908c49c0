package taskwork

import (
	"context"
	"runtime/trace"
	"strconv"
	"sync"
)

// Trace holds hooks into a Runner or Inbox, in the style of net/http/httptrace. Each is nil or called without a lock held, on the
// goroutine it concerns. Calls may overlap and come out of order, since a run can only report after it has let go of the queue.
type Trace struct {
	// Wake tells that a push found the consumer at rest (Runner), or reached the sleeper's threshold (Inbox).
	Wake func()
	// Run tells that one run (Runner) or one receive (Inbox) has ended. For an Inbox Stats.Loops counts its looks at the queue,
	// and Stats.More says that it left entries behind.
	Run func(Stats)
}

func (t *Trace) wake() {
	if t != nil && t.Wake != nil {
		t.Wake()
	}
}

func (t *Trace) run(s Stats) {
	if t != nil && t.Run != nil {
		t.Run(s)
	}
}

// Totals counts what happened to a Runner or Inbox since its start. It is written once a run, or once a receive, never per push.
type Totals struct {
	Wakes, Runs        int64 // runs that a push started, all runs (budget re-spawns included); Inbox: sleepers woken, receives
	Handled, Cancelled int64 // entries; one whose handler panicked counts as handled
	Panics             int64 // handler panics and Goexits
	SpawnErrors        int64 // errors and panics of Spawn
	LongestRun         int64 // entries
}

// RuntimeTrace returns a Trace that shows in the execution tracer (go tool trace) whether work is batching. While a trace is
// being taken, a task of the given name spans from each wake to the end of the last run that it led to, and every run is an
// event of category "run" in it, such as
//
//	count=512 loops=1 more=false
//
// Many entries a run mean that one wake served a burst. While no trace is being taken, a hook costs a few nanoseconds.
func RuntimeTrace(name string) *Trace {
	var (
		mu   sync.Mutex
		task *trace.Task // from a wake to the end of the run that left nothing behind; nil otherwise
		ctx  = context.Background()
	)
	return &Trace{
		Wake: func() {
			if !trace.IsEnabled() {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			// The run before may not have reported yet: its task then serves this wake, too.
			if task == nil {
				ctx, task = trace.NewTask(context.Background(), name)
			}
		},
		Run: func(s Stats) {
			if !trace.IsEnabled() && !s.More {
				mu.Lock()
				task = nil // the trace that it was part of is over
				ctx = context.Background()
				mu.Unlock()
				return
			}
			event := make([]byte, 0, 64)
			event = strconv.AppendInt(append(event, "count="...), int64(s.Count), 10)
			event = strconv.AppendInt(append(event, " loops="...), int64(s.Loops), 10)
			event = strconv.AppendBool(append(event, " more="...), s.More)
			mu.Lock()
			defer mu.Unlock()
			trace.Log(ctx, "run", string(event))
			if task != nil && !s.More {
				task.End()
				task, ctx = nil, context.Background()
			}
		},
	}
}
