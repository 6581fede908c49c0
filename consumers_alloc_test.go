package taskwork_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// allocs returns how many allocations a call of f makes when it is warm. The race detector makes the runtime allocate more, so
// that nothing can be said under it.
func allocs(t *testing.T, f func()) float64 {
	t.Helper()
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	return testing.AllocsPerRun(500, f)
}

// supply returns a function that returns another free node each time.
func supply() func() *taskwork.Node[int] {
	nodes := make([]taskwork.Node[int], 10_000)
	return func() *taskwork.Node[int] {
		n := &nodes[0]
		nodes = nodes[1:]
		n.Value = 1
		return n
	}
}

// TestRunnerAllocations: on an active Runner a push of a node allocates nothing, and neither does handling it. What is left is
// a few allocations a run.
func TestRunnerAllocations(t *testing.T) {
	guard(t)
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		q, node := newQueue(), supply()
		var pool later
		r := taskwork.NewRunner[int](q, taskwork.RunnerConfig[int]{Handle: func(int) {}, Spawn: pool.spawn, Budget: 1000})
		r.Pushed(q.PushNode(node())) // active from now on: its run is waiting to be started
		require.Zero(t, allocs(t, func() { r.Pushed(q.PushNode(node())) }))
		pool.next(t)()
		require.True(t, q.Resting())

		// A wake, a run, and sixteen entries in it.
		perRun := allocs(t, func() {
			for range 16 {
				r.Pushed(q.PushNode(node()))
			}
			pool.next(t)()
		})
		require.LessOrEqual(t, perRun, 3.0, "the run func, and what Spawn does with it")
	})
}

// TestInboxAllocations: a receive allocates nothing, whether it finds an entry or sleeps until one comes, with a ctx that may
// end or one that cannot. Only linger costs something, if it comes to sleeping: a timer.
func TestInboxAllocations(t *testing.T) {
	guard(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dst := make([]int, 8)
	for _, c := range []struct {
		name    string
		receive func(in *taskwork.Inbox[int]) error
		polled  float64
		parked  float64
	}{
		{"Recv", func(in *taskwork.Inbox[int]) error { _, err := in.Recv(context.Background()); return err }, 0, 0},
		{"Recv/ctx", func(in *taskwork.Inbox[int]) error { _, err := in.Recv(ctx); return err }, 0, 0},
		{"RecvBatch", func(in *taskwork.Inbox[int]) error {
			_, err := in.RecvBatch(context.Background(), dst, 1, 0)
			return err
		}, 0, 0},
		{"RecvBatch/ctx", func(in *taskwork.Inbox[int]) error { _, err := in.RecvBatch(ctx, dst, 1, 0); return err }, 0, 0},
		{"RecvBatch/linger", func(in *taskwork.Inbox[int]) error {
			_, err := in.RecvBatch(ctx, dst, 1, time.Hour)
			return err
		}, 0, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
				q, node := newQueue(), supply()
				in := taskwork.NewInbox[int](q, taskwork.InboxConfig[int]{})
				require.Equal(t, c.polled, allocs(t, func() {
					in.Pushed(q.PushNode(node()), 1)
					if err := c.receive(in); err != nil {
						t.Error(err)
					}
				}), "with an entry there")
				if _, ok := in.TryRecv(); ok {
					t.Error("an entry too many")
				}

				wakes := in.Totals().Wakes
				received := make(chan error)
				go func() {
					for err := error(nil); err == nil; {
						err = c.receive(in)
						received <- err
					}
				}()
				parked := allocs(t, func() {
					in.Pushed(q.PushNode(node()), 1)
					if err := <-received; err != nil {
						t.Error(err)
					}
				})
				require.LessOrEqual(t, parked, c.parked, "asleep")
				require.Greater(t, in.Totals().Wakes, wakes, "it did sleep")
				in.Close()
				require.ErrorIs(t, <-received, taskwork.ErrClosed)
			})
		})
	}
}
