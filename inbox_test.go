package taskwork_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// mailbox is an Inbox under test.
type mailbox struct {
	*taskwork.Inbox[int]
	t *testing.T
	q *hooked[int]

	// cancelled is handed from one late push to the next.
	cancelled []int
	// wakes and receives are what Trace has told.
	wakes    atomic.Int64
	receives statsLog
}

func newMailbox(t *testing.T, q taskwork.Queue[int]) *mailbox {
	m := &mailbox{t: t, q: hook(q)}
	m.Inbox = taskwork.NewInbox[int](m.q, taskwork.InboxConfig[int]{
		Cancel: func(v int) { m.cancelled = append(m.cancelled, v) },
		Trace:  &taskwork.Trace{Wake: func() { m.wakes.Add(1) }, Run: m.receives.add},
	})
	m.q.pops.Store(0)
	m.q.pushes.Store(0)
	return m
}

// batch is what a receive returned, and after how long.
type batch struct {
	vs   []int
	err  error
	took time.Duration
}

// receive calls RecvBatch on a goroutine of its own, and lets it come as far as it can.
func (m *mailbox) receive(ctx context.Context, dst, atLeast int, linger time.Duration) <-chan batch {
	done := make(chan batch, 1)
	go func() { done <- m.recv(ctx, dst, atLeast, linger) }()
	synctest.Wait()
	return done
}

// recv calls RecvBatch with room for dst entries.
func (m *mailbox) recv(ctx context.Context, dst, atLeast int, linger time.Duration) batch {
	began, vs := time.Now(), make([]int, dst)
	n, err := m.RecvBatch(ctx, vs, atLeast, linger)
	for _, v := range vs[n:] {
		if v != 0 {
			m.t.Errorf("%d was written behind the %d entries received", v, n)
		}
	}
	return batch{vs[:n:n], err, time.Since(began)}
}

// asleep tells, when nobody can go on, whether the receive has not returned.
func asleep(done <-chan batch) bool {
	synctest.Wait()
	return len(done) == 0
}

func TestInboxNeeds(t *testing.T) {
	each(t, func(t *testing.T, q queueOf[int]) {
		require.PanicsWithValue(t, "taskwork: NewInbox without a queue",
			func() { taskwork.NewInbox(nil, taskwork.InboxConfig[int]{}) })
		used := q.new()
		used.Push(1)
		require.PanicsWithValue(t, "taskwork: NewInbox with a queue that is in use",
			func() { taskwork.NewInbox(used, taskwork.InboxConfig[int]{}) })
		fresh := q.new()
		in := taskwork.NewInbox(fresh, taskwork.InboxConfig[int]{})
		require.False(t, fresh.Resting(), "the Inbox owns the consumer side for life")
		_, ok := in.TryRecv()
		require.False(t, ok, "nothing of that is to be seen")
	})
}

// TestInboxInOrder: every form of push and every way to receive, in turn, at all lengths up to a few.
func TestInboxInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		pushed, got := 0, []int(nil)
		push := []func(){
			func() { require.NoError(t, in.Push(pushed)); pushed++ },
			func() { require.NoError(t, in.PushLazy(pushed)); pushed++ },
			func() { require.NoError(t, in.PushAll(seq(pushed, pushed+5))); pushed += 5 },
			func() { in.Pushed(in.q.Push(pushed), 1); pushed++ },
			func() { in.PushedLazy(in.q.PushAll(seq(pushed, pushed+2)), 2); pushed += 2 },
		}
		receive := []func(){
			func() {
				v, ok := in.TryRecv()
				require.True(t, ok)
				got = append(got, v)
			},
			func() {
				v, err := in.Recv(t.Context())
				require.NoError(t, err)
				got = append(got, v)
			},
			func() {
				b := in.recv(t.Context(), 3, 1, 0)
				require.NoError(t, b.err)
				got = append(got, b.vs...)
			},
			func() {
				for v := range in.All(t.Context()) {
					got = append(got, v)
					break
				}
			},
		}
		for i := range 200 {
			push[i%len(push)]()
			push[i*i%len(push)]()
			for j := i; len(got) < pushed && j%3 != 2; j++ {
				receive[j%len(receive)]()
			}
		}
		require.Less(t, len(got), pushed, "something is left for the end")
		in.Close()
		for v := range in.All(t.Context()) {
			got = append(got, v)
		}
		require.Equal(t, seq(0, pushed), got)
		require.Equal(t, int64(pushed), in.Totals().Handled)
		require.Empty(t, in.cancelled)
	})
}

// TestInboxTryRecv: it never waits, and says no more than that nothing can be handed out now.
func TestInboxTryRecv(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		try := func() (vs []int) {
			for v, ok := in.TryRecv(); ok; v, ok = in.TryRecv() {
				vs = append(vs, v)
			}
			return vs
		}
		require.Empty(t, try())
		require.NoError(t, in.PushAll([]int{1, 2}))
		require.NoError(t, in.PushLazy(3))
		require.Equal(t, []int{1, 2, 3}, try())
		finish := in.q.pushHalf(4)
		require.NoError(t, in.Push(5))
		require.Empty(t, try(), "5 is hidden behind half a push")
		in.PushedLazy(finish(), 1)
		in.Close()
		require.Equal(t, []int{4, 5}, try(), "what is left after Close")
		require.Empty(t, try())
		require.ErrorIs(t, in.recv(t.Context(), 1, 1, 0).err, taskwork.ErrClosed)
		require.Empty(t, try(), "and after ErrClosed")
		require.Equal(t, taskwork.Totals{Runs: 6, Handled: 5, LongestRun: 1}, in.Totals(), "five entries, and one ErrClosed")
	})
}

// TestInboxRecv: an error only without an entry.
func TestInboxRecv(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		_, err := in.Recv(ended())
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, in.PushLazy(1))
		v, err := in.Recv(ended())
		require.NoError(t, err, "one look is always taken first")
		require.Equal(t, 1, v)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		v, err = in.Recv(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Zero(t, v)
		require.Equal(t, time.Second, time.Since(began))
		for _, ctx := range []context.Context{t.Context(), context.Background()} {
			time.AfterFunc(time.Minute, func() { _ = in.PushLazy(2) })
			v, err = in.Recv(ctx)
			require.NoError(t, err)
			require.Equal(t, 2, v)
		}
		in.Close()
		_, err = in.Recv(ended())
		require.ErrorIs(t, err, taskwork.ErrClosed, "which goes before the end of ctx")
		_, err = in.Recv(t.Context())
		require.ErrorIs(t, err, taskwork.ErrClosed)
	})
}

// TestInboxAll: it ends with ctx or when the Inbox is closed and drained; a break leaves the rest queued.
func TestInboxAll(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		require.NoError(t, in.PushAll(seq(0, 5)))
		var got []int
		for v := range in.All(t.Context()) {
			if got = append(got, v); v == 1 {
				break
			}
		}
		require.Equal(t, seq(0, 2), got)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for v := range in.All(ctx) {
			if got = append(got, v); v == 4 {
				cancel()
			}
		}
		require.Equal(t, seq(0, 5), got, "nothing is left, and ctx has ended")
		time.AfterFunc(time.Second, func() {
			_ = in.PushAll(seq(5, 7))
			in.Close()
		})
		for v := range in.All(t.Context()) {
			got = append(got, v)
		}
		require.Equal(t, seq(0, 7), got)
		for range in.All(t.Context()) {
			t.Error("an entry after the last one")
		}
	})
}

// TestInboxTotalsAndTrace: what is counted, and what the hooks are told.
func TestInboxTotalsAndTrace(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		want := taskwork.Totals{}
		check := func(wakes, receives, handled int64, last taskwork.Stats) {
			t.Helper()
			synctest.Wait()
			want.Wakes += wakes
			want.Runs += receives
			want.Handled += handled
			want.LongestRun = max(want.LongestRun, handled)
			require.Equal(t, want, in.Totals())
			require.Equal(t, want.Wakes, in.wakes.Load())
			all := in.receives.get()
			require.Len(t, all, int(want.Runs))
			require.Equal(t, last.Count, all[len(all)-1].Count)
			require.Equal(t, last.More, all[len(all)-1].More)
			require.Positive(t, all[len(all)-1].Loops)
		}
		require.NoError(t, in.PushAll(seq(0, 5)))
		in.recv(t.Context(), 3, 3, 0)
		check(0, 1, 3, taskwork.Stats{Count: 3, More: true})
		in.recv(t.Context(), 3, 1, 0)
		check(0, 1, 2, taskwork.Stats{Count: 2})
		done := in.receive(t.Context(), 4, 2, 0)
		require.NoError(t, in.PushLazy(1))
		require.True(t, asleep(done))
		require.NoError(t, in.PushLazy(2))
		check(1, 1, 2, taskwork.Stats{Count: 2})
		done = in.receive(t.Context(), 4, 2, 0)
		require.NoError(t, in.Push(3))
		check(1, 1, 1, taskwork.Stats{Count: 1})
		in.recv(ended(), 4, 2, 0)
		check(0, 1, 0, taskwork.Stats{})
		require.Empty(t, (<-done).vs[1:])
		// A sleeper whose linger ends has not been woken by a push.
		require.NoError(t, in.PushLazy(4))
		in.recv(t.Context(), 4, 2, time.Second)
		check(0, 1, 1, taskwork.Stats{Count: 1})
	})
}

// TestInboxPushedForms: nodes, chains, a Batch and a lanes handle go around Push, and the Inbox learns of it by Pushed and
// PushedLazy.
func TestInboxPushedForms(t *testing.T) {
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		guard(t)
		synctest.Test(t, func(t *testing.T) {
			nq := newQueue()
			in := newMailbox(t, nq)
			n := &taskwork.Node[int]{Value: 1}
			done := in.receive(t.Context(), 10, 3, 0)
			in.PushedLazy(nq.PushNode(n), 1)
			require.True(t, asleep(done))
			b := taskwork.NewBatch(nq, 10)
			in.PushedLazy(b.Push(2), 0) // it holds that back
			in.PushedLazy(b.Push(3), 0)
			require.True(t, asleep(done))
			held := b.Len()
			in.PushedLazy(b.Flush(), held)
			require.Equal(t, []int{1, 2, 3}, (<-done).vs)

			done = in.receive(t.Context(), 10, 9, 0)
			var c taskwork.Chain[int]
			n.Value = 4
			c.Append(n)
			c.Append(&taskwork.Node[int]{Value: 5})
			in.Pushed(nq.PushChain(&c), 2)
			require.Equal(t, []int{4, 5}, (<-done).vs)
		})
	})
	t.Run("handle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var q lanes.Queue[int]
			in := newMailbox(t, &q)
			p := q.Producer()
			defer p.Close()
			done := in.receive(t.Context(), 10, 3, 0)
			in.PushedLazy(p.Push(1), 1)
			in.PushedLazy(p.PushAll([]int{2, 3}), 2)
			require.Equal(t, []int{1, 2, 3}, (<-done).vs)
			done = in.receive(t.Context(), 10, 3, 0)
			in.Pushed(p.Push(4), 1)
			require.Equal(t, []int{4}, (<-done).vs)
		})
	})
}

// TestInboxPushedNothing: no entries, no wake; and a count that is too high wakes for nothing, which is allowed: the sleeper
// goes on sleeping, with the count armed anew.
func TestInboxPushedNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		done := in.receive(t.Context(), 10, 3, 0)
		require.NoError(t, in.PushAll(nil))
		in.Pushed(false, 0)
		in.PushedLazy(false, 0)
		in.Pushed(false, -1)
		in.PushedLazy(false, math.MinInt)
		require.True(t, asleep(done))
		require.Zero(t, in.wakes.Load())
		in.PushedLazy(false, math.MaxInt)
		require.True(t, asleep(done))
		require.Equal(t, int64(1), in.wakes.Load())
		in.Pushed(false, 1)
		require.True(t, asleep(done))
		for v := range 3 {
			require.True(t, asleep(done), "%d of 3", v)
			require.NoError(t, in.PushLazy(v))
		}
		require.Equal(t, seq(0, 3), (<-done).vs)
	})
}
