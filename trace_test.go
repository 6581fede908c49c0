package taskwork_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
)

// traced returns the execution trace of f. The format of traces is not for us to parse, but the names and messages of tasks and
// events stand in it as they are, each string once.
func traced(t *testing.T, f func()) []byte {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("a trace is being taken already")
	}
	var buf bytes.Buffer
	require.NoError(t, trace.Start(&buf))
	f()
	trace.Stop()
	return buf.Bytes()
}

// TestRuntimeTraceRunner: the trace shows a task for each time that the Runner was woken, and an event for each run.
func TestRuntimeTraceRunner(t *testing.T) {
	var pool later
	r := taskwork.NewRunner[int](new(fakenode.Queue[int]), taskwork.RunnerConfig[int]{
		Handle: func(int) {},
		Budget: 512,
		Spawn:  pool.spawn,
		Trace:  taskwork.RuntimeTrace("test-mailbox"),
	})
	work := func(n int) {
		require.NoError(t, r.PushAll(seq(0, n)))
		for pool.len() > 0 {
			pool.next(t)()
		}
	}
	work(7) // with no trace being taken, it does nothing
	out := traced(t, func() {
		work(1300)
		work(3)
	})
	require.True(t, bytes.Contains(out, []byte("test-mailbox")), "the task")
	for _, event := range []string{"count=512 loops=1 more=true", "count=276 loops=1 more=false", "count=3 loops=1 more=false"} {
		require.True(t, bytes.Contains(out, []byte(event)), "the event %q", event)
	}
	require.False(t, bytes.Contains(out, []byte("count=7")), "what was before")

	// A trace that ends in the middle of the work, and another one later.
	traced(t, func() {
		require.NoError(t, r.PushAll(seq(0, 600)))
		pool.next(t)()
	})
	pool.next(t)()
	again := traced(t, func() { work(6) })
	require.True(t, bytes.Contains(again, []byte("test-mailbox")), "a task of its own")
	require.True(t, bytes.Contains(again, []byte("count=6 loops=1 more=false")))
	require.False(t, bytes.Contains(again, []byte("count=512")))
	require.False(t, bytes.Contains(again, []byte("count=88")))
}

// TestRuntimeTraceInbox: each receive is an event, and a sleeper that was woken starts a task.
func TestRuntimeTraceInbox(t *testing.T) {
	guard(t)
	q := hook[int](new(fakenode.Queue[int]))
	in := taskwork.NewInbox[int](q, taskwork.InboxConfig[int]{Trace: taskwork.RuntimeTrace("test-inbox")})
	receive := func(ctx context.Context) error {
		_, err := in.RecvBatch(ctx, make([]int, 3), 3, 0)
		return err
	}
	polled := traced(t, func() {
		require.NoError(t, in.PushAll(seq(0, 5)))
		require.NoError(t, receive(context.Background()))
		require.NoError(t, receive(context.Background()))
	})
	require.True(t, bytes.Contains(polled, []byte("count=3 loops=1 more=true")))
	require.True(t, bytes.Contains(polled, []byte("count=2 loops=")))
	require.False(t, bytes.Contains(polled, []byte("test-inbox")), "nobody slept")
	woken := traced(t, func() {
		// A push at each of the receiver's steps: some are between its arming of the count and its sleep.
		schedules(1, func(steps []int) int {
			happened := q.atStep(steps, []func(){func() { _ = in.Push(1) }})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			if err := receive(ctx); err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded, "the step was after the sleep")
			}
			return happened()
		})
	})
	require.True(t, bytes.Contains(woken, []byte("test-inbox")))
	require.True(t, bytes.Contains(woken, []byte("count=1 loops=")))
}

// TestTraceNil: no Trace, and Traces without hooks.
func TestTraceNil(t *testing.T) {
	for _, tr := range []*taskwork.Trace{nil, {}} {
		r := taskwork.NewRunner[int](new(fakenode.Queue[int]), taskwork.RunnerConfig[int]{Handle: func(int) {}, Trace: tr})
		require.NoError(t, r.Push(1))
		require.NoError(t, r.Shutdown(context.Background()))
		in := taskwork.NewInbox[int](new(fakenode.Queue[int]), taskwork.InboxConfig[int]{Trace: tr})
		require.NoError(t, in.Push(1))
		_, err := in.Recv(context.Background())
		require.NoError(t, err)
	}
}

// To see whether work is batching, give the consumer a Trace that emits runtime/trace tasks and events, take a trace and look at
// it with go tool trace, under "User-defined tasks".
func ExampleRuntimeTrace() {
	var out bytes.Buffer // a file, say
	if err := trace.Start(&out); err != nil {
		panic(err)
	}
	mailbox := taskwork.NewRunner(&fakenode.Queue[int]{}, taskwork.RunnerConfig[int]{
		Handle: func(int) {},
		Trace:  taskwork.RuntimeTrace("mailbox"),
		Spawn:  func(run func()) error { run(); return nil },
	})
	if err := mailbox.PushAll(make([]int, 100)); err != nil {
		panic(err)
	}
	trace.Stop()
	fmt.Println(bytes.Contains(out.Bytes(), []byte("mailbox")))
	fmt.Println(bytes.Contains(out.Bytes(), []byte("count=100 loops=1 more=false")))
	// Output:
	// true
	// true
}
