package taskwork_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// TestInboxClose: what is queued is received, then ErrClosed comes, now and for ever. Pushes are refused without touching the
// queue.
func TestInboxClose(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		require.NoError(t, in.PushAll(seq(1, 4)))
		for range 3 {
			in.Close()
		}
		require.ErrorIs(t, in.Push(9), taskwork.ErrClosed)
		require.ErrorIs(t, in.PushLazy(9), taskwork.ErrClosed)
		require.ErrorIs(t, in.PushAll([]int{9}), taskwork.ErrClosed)
		require.Equal(t, int64(1), in.q.pushes.Load())
		require.Equal(t, batch{vs: []int{1, 2}}, in.recv(t.Context(), 2, 2, 0))
		require.Equal(t, batch{vs: []int{3}}, in.recv(t.Context(), 2, 2, 0), "what is left, less than the minimum")
		for range 3 {
			require.Equal(t, batch{vs: []int{}, err: taskwork.ErrClosed}, in.recv(t.Context(), 2, 2, time.Second))
			in.Close()
		}
		require.True(t, in.q.Resting())
		require.Empty(t, in.cancelled)
	})
}

// TestInboxCloseWakes: a sleeper is told, whatever it waits for.
func TestInboxCloseWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, held := range []int{0, 2} {
			for _, linger := range []time.Duration{0, time.Hour} {
				in := newMailbox(t, newQueue())
				for v := range held {
					require.NoError(t, in.PushLazy(v))
				}
				done := in.receive(t.Context(), 10, 5, linger)
				require.True(t, asleep(done))
				in.Close()
				got := <-done
				require.Zero(t, got.took)
				if held > 0 {
					require.Equal(t, batch{vs: seq(0, held)}, got)
					got = in.recv(t.Context(), 10, 5, linger)
				}
				require.ErrorIs(t, got.err, taskwork.ErrClosed)
				require.Equal(t, int64(1), in.wakes.Load())
			}
		}
	})
}

// TestInboxLatePush: a push passes the check for closed and publishes after the receiver has been told ErrClosed. It finds the
// queue at rest, and its entries go to Cancel on its goroutine. What comes later still does, too.
func TestInboxLatePush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for name, push := range map[string]func(in *mailbox) error{
			"Push":     func(in *mailbox) error { return in.Push(7) },
			"PushLazy": func(in *mailbox) error { return in.PushLazy(7) },
			"PushAll":  func(in *mailbox) error { return in.PushAll([]int{7, 8}) },
		} {
			in := newMailbox(t, newQueue())
			require.NoError(t, in.Push(1))
			in.q.beforePush = func() {
				in.Close()
				require.Equal(t, []int{1}, in.recv(context.Background(), 5, 1, 0).vs)
				require.ErrorIs(t, in.recv(context.Background(), 5, 1, 0).err, taskwork.ErrClosed)
			}
			require.NoError(t, push(in), name)
			want := []int{7}
			if name == "PushAll" {
				want = []int{7, 8}
			}
			require.Equal(t, want, in.cancelled, "by the time that the push returns")
			wake := in.q.Queue.Push(9)
			_, ok := in.TryRecv()
			require.False(t, ok, "the late push is the consumer now")
			in.Pushed(wake, 1)
			in.PushedLazy(in.q.Queue.Push(10), 1)
			want = append(want, 9, 10)
			require.Equal(t, want, in.cancelled)
			require.True(t, in.q.Resting())
			require.Equal(t, int64(len(want)), in.Totals().Cancelled)
			require.Equal(t, int64(1), in.Totals().Handled)
			require.ErrorIs(t, in.recv(t.Context(), 5, 1, 0).err, taskwork.ErrClosed)
			require.Zero(t, in.wakes.Load(), "nobody was asleep")
		}
	})
}

// TestInboxTakesCloseBack: a push gets in between the receiver's look at the closed queue and its Idle. Then that is not the
// end.
func TestInboxTakesCloseBack(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		schedules(1, func(steps []int) int {
			in := newMailbox(t, newQueue())
			in.Close()
			happened := in.q.atStep(steps, []func(){func() { in.PushedLazy(in.q.Queue.Push(7), 1) }})
			got := in.recv(t.Context(), 5, 3, 0)
			if len(in.cancelled) == 0 && happened() == 1 {
				require.Equal(t, []int{7}, got.vs, "step %d", steps[0])
				require.NoError(t, got.err)
				got = in.recv(t.Context(), 5, 3, 0)
			}
			require.ErrorIs(t, got.err, taskwork.ErrClosed)
			return happened()
		})
	})
}

// TestInboxCancelPanics: the panic goes on, but what is behind the entry is cancelled first.
func TestInboxCancelPanics(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, fault := range faults {
			q := newQueue()
			var cancelled []int
			in := taskwork.NewInbox(q, taskwork.InboxConfig[int]{Cancel: func(v int) {
				if cancelled = append(cancelled, v); v%2 == 1 {
					fault.do()
				}
			}})
			in.Close()
			_, err := in.Recv(t.Context())
			require.ErrorIs(t, err, taskwork.ErrClosed)
			require.Equal(t, fault.value, onItsOwn(func() { in.Pushed(q.PushAll(seq(0, 6)), 6) }))
			require.Equal(t, seq(0, 6), cancelled)
			require.True(t, q.Resting())
			require.Equal(t, int64(6), in.Totals().Cancelled)
		}
	})
}

// TestInboxCancelIsOptional: late entries that nobody wants are dropped, and counted.
func TestInboxCancelIsOptional(t *testing.T) {
	each(t, func(t *testing.T, q queueOf[int]) {
		queue := q.new()
		in := taskwork.NewInbox(queue, taskwork.InboxConfig[int]{})
		in.Close()
		_, err := in.Recv(t.Context())
		require.ErrorIs(t, err, taskwork.ErrClosed)
		in.Pushed(queue.PushAll([]int{1, 2}), 2)
		require.True(t, queue.Resting())
		require.Equal(t, taskwork.Totals{Runs: 1, Cancelled: 2}, in.Totals())
	})
}
