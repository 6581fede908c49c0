package taskwork_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// The faults around a push that is half done (C1, C4, C5), as a Runner or an Inbox sees it: it hides what is behind it, and yet
// the queue is not empty.

// TestCase_C1_RunnerHalfPush: half a push onto an empty queue; nobody can be handed anything. Everything is handled once its
// producer goes on, without a new push.
func TestCase_C1_RunnerHalfPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		// At rest: the half push has the wake, and so nobody is at work.
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		finish := a.q.pushHalf(1)
		require.NoError(t, a.Push(2))
		synctest.Wait()
		require.Empty(t, a.handled)
		require.Zero(t, a.q.pops.Load())
		a.Pushed(finish())
		synctest.Wait()
		require.Equal(t, []int{1, 2}, a.handled)

		// Active: the run comes to it, looks again and again, yields in between, and does not go to rest.
		for _, budget := range []int{1, 2, 1000} {
			var log statsLog
			a = newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget, Trace: &taskwork.Trace{Run: log.add}})
			pops := int64(0)
			a.during = func(v int) {
				if v == 0 {
					finish = a.q.pushHalf(1)
					require.NoError(t, a.Push(2))
					pops = a.q.pops.Load()
				}
			}
			looks := 0
			a.q.onStep(func() {
				if pops > 0 && a.q.half.Load() {
					if looks++; looks == 200 {
						a.Pushed(finish())
					}
				}
			})
			require.NoError(t, a.Push(0))
			synctest.Wait()
			require.Equal(t, []int{0, 1, 2}, a.handled)
			runs, loops := 0, 0
			for _, s := range log.get() {
				runs++
				loops += s.Loops
			}
			require.Equal(t, int64(1), a.Totals().Wakes)
			require.Greater(t, loops, 200/5, "each look that was in vain is a loop: two steps of Pop, two of Idle")
			require.LessOrEqual(t, loops, 200)
			require.LessOrEqual(t, runs, 200)
		}
	})
}

// TestCase_C1_InboxHalfPush: the same for a receiver, which parks instead of looking again.
func TestCase_C1_InboxHalfPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, atLeast := range []int{1, 2, 3} {
			for _, forced := range []bool{false, true} {
				in := newMailbox(t, newQueue())
				finish := in.q.pushHalf(1)
				done := in.receive(context.Background(), 4, atLeast, 0)
				require.True(t, asleep(done))
				require.LessOrEqual(t, in.q.pops.Load(), int64(5), "it does not look again and again")
				if forced {
					in.Pushed(finish(), 1)
				} else {
					in.PushedLazy(finish(), 1)
					for v := 2; v <= atLeast; v++ {
						require.True(t, asleep(done), "one entry is not enough")
						require.NoError(t, in.PushLazy(v))
					}
				}
				require.False(t, asleep(done))
				got := <-done
				require.Equal(t, seq(1, len(got.vs)+1), got.vs)
			}
		}
	})
}

// TestCase_C4_OwnPushIsNeverEmpty: a push has returned, another is stuck half way in front of it. Whoever asks is not told that
// there is nothing: Shutdown waits, and a receiver is not told that this is the end.
func TestCase_C4_OwnPushIsNeverEmpty(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		finish := a.q.pushHalf(1)
		require.NoError(t, a.Push(2))
		done := a.shutdown(context.Background())
		require.True(t, waits(done))
		a.Pushed(finish())
		require.NoError(t, <-done)
		require.Equal(t, []int{1, 2}, a.handled)

		for _, lazy := range []bool{false, true} {
			in := newMailbox(t, newQueue())
			finish = in.q.pushHalf(1)
			if lazy {
				require.NoError(t, in.PushLazy(2))
			} else {
				require.NoError(t, in.Push(2))
			}
			in.Close()
			require.ErrorIs(t, in.recv(ended(), 4, 4, 0).err, context.Canceled, "not ErrClosed")
			received := in.receive(context.Background(), 4, 4, 0)
			require.True(t, asleep(received))
			in.PushedLazy(finish(), 1)
			require.Equal(t, batch{vs: []int{1, 2}}, <-received)
			require.ErrorIs(t, in.recv(ended(), 4, 4, 0).err, taskwork.ErrClosed)
			require.Empty(t, in.cancelled)
		}
	})
}

// TestCase_C5_RunnerGivesWay: on one processor, a push is stuck half way, and an unrelated goroutine is at work. The run gives
// way to it at every look; a receiver sleeps.
func TestCase_C5_RunnerGivesWay(t *testing.T) {
	const turns = 200
	guard(t)
	setProcs(t, 1)
	each(t, func(t *testing.T, row queueOf[int]) {
		q := hook(row.new())
		var handled atomic.Int64
		r := taskwork.NewRunner[int](q, taskwork.RunnerConfig[int]{Handle: func(int) { handled.Add(1) }})
		// Two pushes: the first makes the queue active and starts the run, the second is stuck.
		wake := q.Queue.Push(1)
		finish := q.pushHalf(2)
		r.Pushed(wake)
		pops := q.pops.Load()
		for range turns {
			runtime.Gosched() // the unrelated goroutine
		}
		pops = q.pops.Load() - pops
		require.Zero(t, handled.Load(), "both are hidden")
		require.LessOrEqual(t, pops, int64(10*turns), "looks of the run while another goroutine had %d turns", turns)
		require.Positive(t, pops)
		r.Pushed(finish())
		require.NoError(t, r.Shutdown(context.Background()))
		require.Equal(t, int64(2), handled.Load())
	})
}
