package taskwork_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// The clauses of RecvBatch, (a) to (e), one after the other and against each other.

// TestRecvBatchMinimum is (a): it returns when it holds the minimum, not before, and with all there is room for.
func TestRecvBatchMinimum(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, c := range []struct{ dst, atLeast, effective int }{
			{1, 1, 1}, {4, 1, 1}, {4, 3, 3}, {4, 4, 4}, {4, 5, 4}, {4, math.MaxInt, 4}, {4, 0, 1}, {4, -1, 1}, {4, math.MinInt, 1},
		} {
			in := newMailbox(t, newQueue())
			// Asleep, with lazy entries coming one by one.
			done := in.receive(t.Context(), c.dst, c.atLeast, 0)
			for v := range c.effective {
				require.True(t, asleep(done), "%+v: %d entries", c, v)
				require.NoError(t, in.PushLazy(v))
			}
			require.Equal(t, batch{vs: seq(0, c.effective)}, <-done, "%+v", c)
			require.Equal(t, int64(1), in.wakes.Load(), "one wake for all of them")
			// Some are there before, the rest comes at once.
			for have := range c.effective {
				for v := range have {
					require.NoError(t, in.PushLazy(v))
				}
				done = in.receive(t.Context(), c.dst, c.atLeast, 0)
				require.True(t, asleep(done))
				in.PushedLazy(in.q.PushAll(seq(have, c.effective)), c.effective-have)
				require.Equal(t, batch{vs: seq(0, c.effective)}, <-done, "%+v", c)
			}
			// All are there, and more than there is room for.
			in.PushedLazy(in.q.PushAll(seq(0, c.dst+3)), c.dst+3)
			require.Equal(t, batch{vs: seq(0, c.dst)}, in.recv(t.Context(), c.dst, c.atLeast, 0))
			got := in.recv(ended(), 10, 10, 0)
			require.Equal(t, seq(c.dst, c.dst+3), got.vs)
			require.ErrorIs(t, got.err, context.Canceled)
		}
	})
}

// TestRecvBatchForced is (b): a forced entry among those that it holds is enough, whenever it came.
func TestRecvBatchForced(t *testing.T) {
	for name, push := range map[string]func(in *mailbox, v int) error{
		"Push":    func(in *mailbox, v int) error { return in.Push(v) },
		"PushAll": func(in *mailbox, v int) error { return in.PushAll([]int{v}) },
		"Pushed":  func(in *mailbox, v int) error { in.Pushed(in.q.Push(v), 1); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
				for lazyBefore := range 3 {
					for lazyAfter := range 3 {
						lazy := func(in *mailbox, from, to int) {
							for v := from; v < to; v++ {
								require.NoError(t, in.PushLazy(v))
							}
						}
						total := lazyBefore + 1 + lazyAfter
						// Before the call.
						in := newMailbox(t, newQueue())
						lazy(in, 0, lazyBefore)
						require.NoError(t, push(in, lazyBefore))
						lazy(in, lazyBefore+1, total)
						require.Equal(t, batch{vs: seq(0, total)}, in.recv(t.Context(), 10, 9, 0))
						// While it sleeps.
						done := in.receive(t.Context(), 10, 9, 0)
						lazy(in, 0, lazyBefore)
						require.True(t, asleep(done))
						require.NoError(t, push(in, lazyBefore))
						require.Equal(t, batch{vs: seq(0, lazyBefore+1)}, <-done)
						// Neither leaves a mark behind that makes the next receive return early: each was met by its own.
						done = in.receive(t.Context(), 10, 2, 0)
						lazy(in, 0, 1)
						require.True(t, asleep(done))
						lazy(in, 1, 2)
						require.Equal(t, batch{vs: seq(0, 2)}, <-done)
					}
				}
			})
		})
	}
}

// TestRecvBatchForcedStaysForced: dst is smaller than what is queued. The forced entry is still in there, so the receive after
// that returns at once, however high its minimum; and so on until it has been handed out.
func TestRecvBatchForcedStaysForced(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for dst := 1; dst <= 3; dst++ {
			for position := range 8 {
				for _, how := range []string{"RecvBatch", "TryRecv"} {
					in := newMailbox(t, newQueue())
					for v := range 8 {
						if v == position {
							require.NoError(t, in.Push(v))
						} else {
							require.NoError(t, in.PushLazy(v))
						}
					}
					var got []int
					for len(got) <= position {
						if how == "TryRecv" && len(got)%2 == 0 {
							v, ok := in.TryRecv()
							require.True(t, ok)
							got = append(got, v)
							continue
						}
						b := in.recv(t.Context(), dst, 1, 0)
						require.NoError(t, b.err)
						got = append(got, b.vs...)
						if len(got) <= position {
							b = in.recv(t.Context(), 9, 9, 0) // would wait for ever without a mark
							require.NoError(t, b.err)
							got = append(got, b.vs...)
						}
					}
					require.Equal(t, seq(0, len(got)), got, "dst %d, position %d", dst, position)
				}
			}
		}
	})
}

// TestRecvBatchMarkAndHalfPush: a receive meets the mark of a forced entry that is hidden behind half a push, and ctx ends. The
// next receive still knows that something is due.
func TestRecvBatchMarkAndHalfPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		finish := in.q.pushHalf(1)
		require.NoError(t, in.Push(2))
		for range 3 {
			require.Equal(t, batch{vs: []int{}, err: context.Canceled}, in.recv(ended(), 9, 9, 0))
		}
		done := in.receive(t.Context(), 9, 9, 0)
		require.True(t, asleep(done), "it parks rather than look again and again")
		in.PushedLazy(finish(), 1)
		require.Equal(t, []int{1, 2}, (<-done).vs)
	})
}

// TestRecvBatchLinger is (c): the clock runs from the call, entries do not restart it, and when it has run out one entry is
// enough: one that is there, or the first that comes.
func TestRecvBatchLinger(t *testing.T) {
	const ms = time.Millisecond
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, c := range []struct {
			name    string
			at      []time.Duration // when lazy entries come, from the call on
			linger  time.Duration
			took    time.Duration
			entries int
		}{
			{"there before", []time.Duration{0}, 50 * ms, 50 * ms, 1},
			{"comes before it", []time.Duration{20 * ms}, 50 * ms, 50 * ms, 1},
			{"several", []time.Duration{20 * ms, 30 * ms, 49 * ms}, 50 * ms, 50 * ms, 3},
			{"comes after it", []time.Duration{70 * ms}, 50 * ms, 70 * ms, 1},
			{"one of two after it", []time.Duration{70 * ms, 80 * ms}, 50 * ms, 70 * ms, 1},
			{"minimum reached before", []time.Duration{ms, 2 * ms, 3 * ms, 4 * ms}, 50 * ms, 4 * ms, 4},
			{"no linger", []time.Duration{ms, 2 * ms, 3 * ms, 40 * ms}, 0, 40 * ms, 4},
			{"less than none", []time.Duration{ms, 2 * ms, 3 * ms, 40 * ms}, -ms, 40 * ms, 4},
			{"the shortest", []time.Duration{0}, 1, 1, 1},
			{"the longest", []time.Duration{0, ms, 2 * ms, time.Hour}, math.MaxInt64, time.Hour, 4},
		} {
			in := newMailbox(t, newQueue())
			for v, at := range c.at {
				if at == 0 {
					require.NoError(t, in.PushLazy(v))
				} else {
					time.AfterFunc(at, func() { _ = in.PushLazy(v) })
				}
			}
			require.Equal(t, batch{vs: seq(0, c.entries), took: c.took}, in.recv(t.Context(), 10, 4, c.linger), c.name)
			time.Sleep(time.Second) // all timers have fired
		}
	})
}

// TestRecvBatchContext is (d): what it holds and ctx.Err(). One look is always taken first, and if that is enough the error is
// nil.
func TestRecvBatchContext(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		timeout := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			t.Cleanup(cancel)
			return ctx
		}
		// Ended before the call.
		require.Equal(t, batch{vs: []int{}, err: context.Canceled}, in.recv(ended(), 4, 2, 0))
		require.NoError(t, in.PushLazy(1))
		require.Equal(t, batch{vs: []int{1}, err: context.Canceled}, in.recv(ended(), 4, 2, 0), "less than the minimum")
		require.NoError(t, in.PushLazy(1))
		require.NoError(t, in.PushLazy(2))
		require.Equal(t, batch{vs: []int{1, 2}}, in.recv(ended(), 4, 2, 0), "(a) goes first")
		require.NoError(t, in.Push(1))
		require.Equal(t, batch{vs: []int{1}}, in.recv(ended(), 4, 2, 0), "(b) goes first")
		// Ends while it sleeps, with and without entries, before and after linger.
		for held := range 3 {
			for _, linger := range []time.Duration{0, time.Hour} {
				for v := range held {
					require.NoError(t, in.PushLazy(v))
				}
				got := in.recv(timeout(time.Minute), 4, 3, linger)
				require.ErrorIs(t, got.err, context.DeadlineExceeded)
				require.Equal(t, time.Minute, got.took)
				require.Len(t, got.vs, held)
			}
		}
		require.Equal(t, batch{vs: []int{}, err: context.DeadlineExceeded, took: time.Minute},
			in.recv(timeout(time.Minute), 4, 3, time.Second), "linger has run out, and nothing was there")
		// At the same moment as linger: enough goes first.
		require.NoError(t, in.PushLazy(1))
		require.Equal(t, batch{vs: []int{1}, took: time.Minute}, in.recv(timeout(time.Minute), 4, 3, time.Minute), "(c) goes first")
		require.Empty(t, in.cancelled)
	})
}

// TestRecvBatchClosed is (e), and that it goes before (d): what is left and a nil error, then 0 and ErrClosed.
func TestRecvBatchClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for left := range 6 {
			for _, ctx := range []context.Context{t.Context(), ended()} {
				in := newMailbox(t, newQueue())
				for v := range left {
					require.NoError(t, in.PushLazy(v))
				}
				in.Close()
				var got []int
				for len(got) < left {
					b := in.recv(ctx, 3, 3, time.Hour)
					require.NoError(t, b.err)
					require.NotEmpty(t, b.vs)
					require.Zero(t, b.took)
					got = append(got, b.vs...)
				}
				require.Equal(t, seq(0, left), got)
				for range 2 {
					require.Equal(t, batch{vs: []int{}, err: taskwork.ErrClosed}, in.recv(ctx, 3, 3, time.Hour))
				}
			}
		}
	})
}

// TestRecvBatchClosedOverHalfPush: a half push is an entry that will come, so the end is not told, nor is the entry cancelled.
func TestRecvBatchClosedOverHalfPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		finish := in.q.pushHalf(1)
		require.NoError(t, in.PushLazy(2))
		in.Close()
		done := in.receive(t.Context(), 9, 9, 0)
		require.True(t, asleep(done))
		require.Empty(t, in.cancelled)
		in.PushedLazy(finish(), 1)
		require.Equal(t, batch{vs: []int{1, 2}}, <-done)
		require.ErrorIs(t, in.recv(t.Context(), 9, 9, 0).err, taskwork.ErrClosed)
	})
}

// TestRecvBatchEmptyDst: the only way to get 0 and nil, in whatever state the Inbox is; and it changes nothing.
func TestRecvBatchEmptyDst(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		none := func(what string) {
			t.Helper()
			for _, dst := range [][]int{nil, {}, make([]int, 0, 8)} {
				for _, atLeast := range []int{-1, 0, 1, math.MaxInt} {
					n, err := in.RecvBatch(ended(), dst, atLeast, time.Second)
					require.Equal(t, "0 <nil>", fmt.Sprint(n, err), what)
				}
			}
		}
		none("empty")
		require.NoError(t, in.Push(1))
		none("a forced entry is queued")
		require.Equal(t, batch{vs: []int{1}}, in.recv(t.Context(), 9, 9, 0), "which is still forced")
		require.NoError(t, in.Push(2))
		in.Close()
		none("closed")
		require.Equal(t, batch{vs: []int{2}}, in.recv(t.Context(), 9, 9, 0))
		none("drained")
		require.ErrorIs(t, in.recv(t.Context(), 9, 9, 0).err, taskwork.ErrClosed)
		none("after ErrClosed")
		require.Equal(t, int64(3), in.Totals().Runs, "that was no receive")
	})
}

// TestRecvBatchStaleMark: a mark whose entry has been received already makes a later receive return early, but not with
// nothing.
func TestRecvBatchStaleMark(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		wake := in.q.Push(1) // published, and its producer has not come to the wake decision
		require.Equal(t, batch{vs: []int{1}}, in.recv(t.Context(), 4, 1, 0))
		in.Pushed(wake, 1)
		done := in.receive(t.Context(), 4, 2, 0)
		require.True(t, asleep(done), "there is no entry")
		require.NoError(t, in.PushLazy(2))
		require.True(t, asleep(done), "and none that is due")
		in.PushedLazy(false, 1)
		require.True(t, asleep(done), "not even to one that is awake: the queue has been empty since the mark was met")
		require.NoError(t, in.PushLazy(3))
		require.Equal(t, batch{vs: []int{2, 3}}, <-done)
		// With a lazy entry queued it may return early, as it does here.
		wake = in.q.Push(4)
		_, ok := in.TryRecv()
		require.True(t, ok)
		require.NoError(t, in.PushLazy(5))
		in.Pushed(wake, 1)
		require.Equal(t, batch{vs: []int{5}}, in.recv(t.Context(), 4, 2, 0))
	})
}

// TestRecvBatchHugeMinimum: more than the sleeper's word can count, in a dst that needs no memory.
func TestRecvBatchHugeMinimum(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no slice is so long")
	}
	guard(t)
	each(t, func(t *testing.T, q queueOf[struct{}]) {
		in := taskwork.NewInbox(q.new(), taskwork.InboxConfig[struct{}]{})
		huge := math.MaxInt32
		dst := make([]struct{}, huge+2)
		require.NoError(t, in.PushLazy(struct{}{}))
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		n, err := in.RecvBatch(ctx, dst, math.MaxInt, 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, n)
		require.NoError(t, in.Push(struct{}{}))
		n, err = in.RecvBatch(context.Background(), dst, math.MaxInt, 0)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
}
