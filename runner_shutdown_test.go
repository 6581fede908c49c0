package taskwork_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// ended returns a ctx that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// shutdown calls Shutdown on a goroutine of its own, and lets it come as far as it can. The channel gets what it returns.
func (a *actor) shutdown(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- a.Shutdown(ctx) }()
	synctest.Wait()
	return done
}

// waits tells whether nothing has come from done.
func waits(done <-chan error) bool { return len(done) == 0 }

func TestRunnerShutdownWaitsForTheHandler(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: 2})
		release := make(chan struct{})
		a.during = func(int) { <-release }
		require.NoError(t, a.PushAll(seq(0, 5)))
		synctest.Wait()
		done := a.shutdown(context.Background())
		require.True(t, waits(done))
		require.ErrorIs(t, a.Push(9), taskwork.ErrClosed)
		require.ErrorIs(t, a.PushAll([]int{9}), taskwork.ErrClosed)
		for range 4 {
			release <- struct{}{}
			synctest.Wait()
			require.True(t, waits(done))
		}
		release <- struct{}{}
		require.NoError(t, <-done)
		require.Equal(t, seq(0, 5), a.handled)
		require.Equal(t, taskwork.Totals{Wakes: 1, Runs: 3, Handled: 5, LongestRun: 2}, a.Totals())
	})
}

// TestRunnerShutdownAtRest: rest is looked at before ctx, and again and again the same.
func TestRunnerShutdownAtRest(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		require.NoError(t, a.Shutdown(ended()), "a new Runner is at rest, whatever ctx says")
		require.NoError(t, a.Shutdown(context.Background()))
		require.NoError(t, a.Close())
		require.NoError(t, a.Shutdown(ended()))
		require.ErrorIs(t, a.Push(1), taskwork.ErrClosed)
		require.Equal(t, taskwork.Totals{}, a.Totals())

		b := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		require.NoError(t, b.Push(1))
		synctest.Wait()
		require.NoError(t, b.Close())
		require.NoError(t, b.Shutdown(ended()))
		require.Equal(t, []int{1}, b.handled)
	})
}

// TestRunnerShutdownPendingRun: ctx ends while a run is waiting to be started. What is left goes to Cancel before Shutdown
// returns, and the run, when it comes at last, does nothing.
func TestRunnerShutdownPendingRun(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for before := range 3 { // so many runs of two entries each before that
			var pool later
			var log statsLog
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{
				Budget: 2, Spawn: pool.spawn, Trace: &taskwork.Trace{Run: log.add},
			})
			require.NoError(t, a.PushAll(seq(0, 7)))
			for range before {
				pool.next(t)()
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			began := time.Now()
			require.ErrorIs(t, a.Shutdown(ctx), context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(began))
			require.Equal(t, seq(2*before, 7), a.cancelled, "already when Shutdown returns")
			require.True(t, a.q.Resting())
			pool.next(t)()
			require.Zero(t, pool.len())
			require.Equal(t, seq(0, 2*before), a.handled)
			require.Len(t, log.get(), before, "what Shutdown does is no run")
			want := taskwork.Totals{Runs: int64(before), Handled: int64(2 * before), Cancelled: int64(7 - 2*before)}
			if before > 0 {
				want.Wakes, want.LongestRun = 1, 2
			}
			require.Equal(t, want, a.Totals())
			require.NoError(t, a.Shutdown(context.Background()), "it rests now")
		}
	})
}

// TestRunnerShutdownRunInProgress: ctx ends while a handler is at work. Shutdown returns at once; the run cancels the rest.
func TestRunnerShutdownRunInProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{1, 2, 1000} {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget})
			release := make(chan struct{})
			a.during = func(v int) {
				if v == 1 {
					<-release
				}
			}
			require.NoError(t, a.PushAll(seq(0, 6)))
			ctx, cancel := context.WithCancel(context.Background())
			first, second := a.shutdown(ctx), a.shutdown(context.Background())
			require.True(t, waits(first) && waits(second))
			cancel()
			require.ErrorIs(t, <-first, context.Canceled)
			synctest.Wait()
			require.True(t, waits(second), "the handler is still at work")
			require.Empty(t, a.cancelled)
			close(release)
			require.NoError(t, <-second)
			require.Equal(t, seq(0, 2), a.handled)
			require.Equal(t, seq(2, 6), a.cancelled)
			require.Equal(t, int64(4), a.Totals().Cancelled)
			require.Equal(t, int64(2), a.Totals().Handled)
		}
	})
}

// TestRunnerShutdownFromHandle: it waits for itself until ctx ends, and what is behind it goes to Cancel.
func TestRunnerShutdownFromHandle(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, budget := range []int{1, 3, 1000} {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: budget})
			var err error
			var took time.Duration
			a.during = func(v int) {
				if v != 2 {
					return
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				began := time.Now()
				err = a.Shutdown(ctx)
				took = time.Since(began)
			}
			require.NoError(t, a.PushAll(seq(0, 5)))
			time.Sleep(time.Hour)
			synctest.Wait()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, time.Minute, took)
			require.Equal(t, seq(0, 3), a.handled)
			require.Equal(t, seq(3, 5), a.cancelled)
			require.NoError(t, a.Shutdown(context.Background()))
		}
	})
}

// TestRunnerShutdownConcurrently: many at a time, some of which give up.
func TestRunnerShutdownConcurrently(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		release := make(chan struct{})
		a.during = func(int) { <-release }
		require.NoError(t, a.PushAll(seq(0, 3)))
		synctest.Wait()
		patient := make(chan error, 10)
		hasty := make(chan error, 10)
		for i := range 10 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i+1)*time.Second)
			defer cancel()
			go func() { hasty <- a.Shutdown(ctx) }()
			go func() { patient <- a.Shutdown(context.Background()) }()
		}
		time.Sleep(4*time.Second + 1)
		require.Len(t, hasty, 4, "each gives up at its own time")
		require.Empty(t, patient)
		close(release)
		synctest.Wait()
		require.Len(t, hasty, 10)
		require.Len(t, patient, 10)
		for i := range 10 {
			require.NoError(t, <-patient)
			if err := <-hasty; i < 4 {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			} else {
				require.NoError(t, err)
			}
		}
		require.Equal(t, []int{0}, a.handled)
		require.Equal(t, []int{1, 2}, a.cancelled)
	})
}

// TestRunnerShutdownWhilePushIsOnItsWay: the push that made the queue active has yet to start the run, and another push has
// returned nil. Shutdown waits for the run that will come; it does not cancel what it has promised.
func TestRunnerShutdownWhilePushIsOnItsWay(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
		wake := a.q.Push(1)
		require.True(t, wake)
		require.NoError(t, a.Push(2))
		done := a.shutdown(context.Background())
		require.True(t, waits(done))
		a.Pushed(wake)
		require.NoError(t, <-done)
		require.Equal(t, []int{1, 2}, a.handled)
		require.Empty(t, a.cancelled)
	})
}

// TestRunnerShutdownGivesUpOnPushOnItsWay: the same, but ctx ends first. There is no run to claim, so Shutdown leaves the
// entries to the push, which cancels them on its own goroutine.
func TestRunnerShutdownGivesUpOnPushOnItsWay(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: func(func()) error {
			t.Error("no run should be started")
			return nil
		}})
		wake := a.q.Push(1)
		require.NoError(t, a.Push(2))
		require.ErrorIs(t, a.Shutdown(ended()), context.Canceled)
		require.Empty(t, a.cancelled)
		patient := a.shutdown(context.Background())
		require.True(t, waits(patient))
		a.Pushed(wake)
		require.Equal(t, []int{1, 2}, a.cancelled, "before Pushed returns")
		require.NoError(t, <-patient)
		require.Empty(t, a.handled)
		require.Equal(t, taskwork.Totals{Cancelled: 2}, a.Totals())
	})
}

// TestRunnerShutdownLooksTwice: a push comes between Shutdown's look at the queue, which is at rest, and its making that final. The push
// has seen nothing of that and starts a run; so Shutdown waits for it.
func TestRunnerShutdownLooksTwice(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: pool.spawn})
		a.q.rested = func() {
			a.q.rested = nil
			a.Pushed(a.q.Queue.Push(1))
		}
		done := a.shutdown(context.Background())
		require.True(t, waits(done))
		pool.next(t)()
		require.NoError(t, <-done)
		require.Equal(t, []int{1}, a.handled)
	})
}

// TestRunnerShutdownNeedsNoSpawn: once a Shutdown has given up, the goroutines behind Spawn may be gone. A run whose budget is used up then
// cancels the rest itself, and so does a push that has decided to start a run just before.
func TestRunnerShutdownNeedsNoSpawn(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		var pool later
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Spawn: pool.spawn, Budget: 1})
		a.during = func(int) { require.ErrorIs(t, a.Shutdown(ended()), context.Canceled) }
		require.NoError(t, a.PushAll(seq(0, 4)))
		pool.next(t)()
		require.Zero(t, pool.len())
		require.Equal(t, []int{0}, a.handled)
		require.Equal(t, seq(1, 4), a.cancelled)
		require.True(t, a.q.Resting())
	})
}

// TestRunnerLatePush: a push passes the check for closed, and publishes after Shutdown has returned nil. Its entry goes to
// Cancel, on its goroutine, and Handle is not called.
func TestRunnerLatePush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, all := range []bool{false, true} {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{})
			require.NoError(t, a.Push(1))
			a.q.beforePush = func() { require.NoError(t, a.Shutdown(context.Background())) }
			want := []int{7}
			if all {
				want = []int{7, 8, 9}
				require.NoError(t, a.PushAll(want))
			} else {
				require.NoError(t, a.Push(7))
			}
			require.Equal(t, []int{1}, a.handled)
			require.Equal(t, want, a.cancelled, "before the push returns")
			require.True(t, a.q.Resting())
			require.Equal(t, int64(len(want)), a.Totals().Cancelled)
			require.Equal(t, int64(1), a.Totals().Runs, "that was no run")
			// One after the other, any number of times: each finds the queue at rest again.
			a.Pushed(a.q.Queue.Push(10))
			a.Pushed(a.q.Queue.Push(11))
			require.Equal(t, append(want, 10, 11), a.cancelled)
			require.NoError(t, a.Shutdown(context.Background()))
		}
	})
}

// TestRunnerCancelIsOptional: entries that nobody wants are dropped, and counted.
func TestRunnerCancelIsOptional(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		q := newQueue()
		r := taskwork.NewRunner(q, taskwork.RunnerConfig[int]{Handle: func(int) {}, Spawn: new(later).spawn})
		require.NoError(t, r.PushAll([]int{1, 2, 3}))
		require.ErrorIs(t, r.Shutdown(ended()), context.Canceled)
		require.True(t, q.Resting())
		r.Pushed(q.Push(4))
		require.True(t, q.Resting())
		require.Equal(t, taskwork.Totals{Cancelled: 4}, r.Totals())
	})
}
