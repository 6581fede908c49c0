package taskwork_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// The faults that real queues have had, as far as they concern an Inbox: how a receiver sleeps and is woken. The windows inside
// of a producer's wake decision (A1, D1, D6, D9) are in inbox_internal_test.go.

const ms = time.Millisecond

// TestCase_A3_LingerThenPush: RecvBatch(min 4, linger 50 ms), and the first entry comes at 80 ms, or just when linger runs out.
// It returns then, with that entry, and not when ctx ends.
func TestCase_A3_LingerThenPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for name, push := range map[string]func(in *mailbox) error{
			"forced": func(in *mailbox) error { return in.Push(1) },
			"lazy":   func(in *mailbox) error { return in.PushLazy(1) },
		} {
			for _, at := range []time.Duration{80 * ms, 50*ms + 1, 50 * ms, 50*ms - 1} {
				in := newMailbox(t, newQueue())
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				time.AfterFunc(at, func() { _ = push(in) })
				got := in.recv(ctx, 8, 4, 50*ms)
				took := max(at, 50*ms)
				if name == "forced" {
					took = at
				}
				require.Equal(t, batch{vs: []int{1}, took: took}, got, "%s at %v", name, at)
			}
		}
	})
}

// TestCase_A5_EntriesDoNotRestartTheClock: min 100, linger 100 ms, a lazy push every 20 ms; also if each of them wakes the
// receiver, which then goes back to sleep.
func TestCase_A5_EntriesDoNotRestartTheClock(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, count := range []int{1, 1000} {
			in := newMailbox(t, newQueue())
			stop := make(chan struct{})
			go func() {
				tick := time.NewTicker(20 * ms)
				defer tick.Stop()
				for v := 0; ; v++ {
					select {
					case <-tick.C:
						in.PushedLazy(in.q.Push(v), count)
					case <-stop:
						return
					}
				}
			}()
			got := in.recv(t.Context(), 200, 100, 100*ms)
			require.NoError(t, got.err)
			require.Equal(t, 100*ms, got.took)
			require.Contains(t, []int{4, 5}, len(got.vs), "the fifth comes at the very moment")
			if count > 1 {
				require.GreaterOrEqual(t, in.wakes.Load(), int64(4))
			}
			close(stop)
		}
	})
}

// TestCase_B2_InboxPushBeforeSleep: a push between the receiver's look and its sleep, at each of its steps; 5,000 rounds.
func TestCase_B2_InboxPushBeforeSleep(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		for round := range 5000 {
			lazy := round%2 == 0
			happened := in.q.atStep([]int{round % 10}, []func(){func() {
				if lazy {
					_ = in.PushLazy(round)
				} else {
					_ = in.Push(round)
				}
			}})
			done := make(chan batch, 1)
			go func() { done <- in.recv(context.Background(), 3, 1, 0) }()
			synctest.Wait()
			in.q.onStep(nil)
			if happened() == 0 { // it sleeps
				_ = in.PushLazy(round)
			}
			require.Equal(t, batch{vs: []int{round}}, <-done)
		}
	})
}

// TestCase_B6_InboxWakes: which push wakes a sleeper is the same in every build and over every queue.
func TestCase_B6_InboxWakes(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, c := range []struct {
			atLeast int
			pushes  string // l: lazy, f: forced, a: PushAll of two, 3: three lazy ones at a time
			wakes   string // how many wakes there have been after each
		}{
			{1, "l", "1"},
			{1, "f", "1"},
			{2, "ll", "01"},
			{2, "lf", "01"},
			{2, "fl", "11"},
			{3, "lll", "001"},
			{3, "3", "1"},
			{3, "l3", "01"},
			{4, "3f", "01"},
			{4, "a", "1"},
			{4, "la", "01"},
			{9, "llllllllf", "000000001"},
			{9, "333", "001"},
		} {
			in := newMailbox(t, newQueue())
			done := in.receive(context.Background(), 10, c.atLeast, 0)
			for i, push := range c.pushes {
				switch push {
				case 'l':
					require.NoError(t, in.PushLazy(1))
				case 'f':
					require.NoError(t, in.Push(1))
				case 'a':
					require.NoError(t, in.PushAll([]int{1, 1}))
				case '3':
					in.PushedLazy(in.q.PushAll([]int{1, 1, 1}), 3)
				}
				require.Equal(t, int64(c.wakes[i]-'0'), in.wakes.Load(), "%+v, push %d", c, i)
				require.Equal(t, c.wakes[i] == '0', asleep(done), "%+v, push %d", c, i)
			}
		}
	})
}

// TestCase_B7_InboxSleeps: entries that are not enough, or half pushed, do not keep a receiver busy. The test goes on only when
// it sleeps; it makes as many calls of the queue as there are reasons to look.
func TestCase_B7_InboxSleeps(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		in := newMailbox(t, newQueue())
		for v := range 5 {
			require.NoError(t, in.PushLazy(v))
		}
		done := in.receive(context.Background(), 20, 10, 0)
		pops := in.q.pops.Load()
		require.LessOrEqual(t, pops, int64(15), "five entries, and a few looks")
		time.Sleep(time.Hour)
		for v := range 4 {
			require.NoError(t, in.PushLazy(v))
		}
		time.Sleep(time.Hour)
		require.True(t, asleep(done))
		require.Equal(t, pops, in.q.pops.Load(), "nobody has woken it")

		finish := in.q.pushHalf(9)
		in.PushedLazy(false, 20) // it is woken, and finds nothing but half a push
		require.Equal(t, int64(1), in.wakes.Load())
		require.True(t, asleep(done))
		require.LessOrEqual(t, in.q.pops.Load(), pops+15)
		in.PushedLazy(finish(), 1)
		require.False(t, asleep(done))
		require.LessOrEqual(t, in.q.pops.Load(), pops+30)
	})
}

// TestCase_D3_PushAfterTheDeadline: the deadline fires, and the receiver stops before its last look; a push; the receiver goes
// on. It gets that entry, or the deadline with the entry still queued. Then 1,000 clean rounds.
func TestCase_D3_PushAfterTheDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, atLeast := range []int{1, 2} {
			for _, lazy := range []bool{false, true} {
				for step := range 10 {
					in := newMailbox(t, newQueue())
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					defer cancel()
					done := in.receive(ctx, 4, atLeast, 0)
					require.True(t, asleep(done))
					happened := in.q.atStep([]int{step}, []func(){func() {
						if lazy {
							_ = in.PushLazy(1)
						} else {
							_ = in.Push(1)
						}
					}})
					time.Sleep(time.Second)
					got := <-done
					in.q.onStep(nil)
					switch {
					case happened() == 0: // it had returned before
						require.Equal(t, batch{vs: []int{}, err: context.DeadlineExceeded, took: time.Second}, got)
					case got.err != nil:
						require.ErrorIs(t, got.err, context.DeadlineExceeded)
						if len(got.vs) == 0 {
							v, ok := in.TryRecv()
							require.True(t, ok, "the entry is still queued")
							got.vs = []int{v}
						}
						require.Equal(t, []int{1}, got.vs)
					default:
						require.Equal(t, []int{1}, got.vs)
					}
					for round := range 1000 / 10 {
						done := in.receive(context.Background(), 4, 1, 0)
						require.True(t, asleep(done), "the rounds are clean: no mark, no token, no entry is left")
						require.NoError(t, in.PushLazy(round))
						require.Equal(t, []int{round}, (<-done).vs)
					}
				}
			}
		}
	})
}

// TestCase_D4_BetweenLookAndSleep: the receiver is anywhere between "nothing there" and parking. ctx ends, or Close, or a push
// comes; it returns without a further event.
func TestCase_D4_BetweenLookAndSleep(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for name, c := range map[string]struct {
			event func(in *mailbox, cancel func())
			want  batch
		}{
			"cancel":   {func(_ *mailbox, cancel func()) { cancel() }, batch{vs: []int{}, err: context.Canceled}},
			"close":    {func(in *mailbox, _ func()) { in.Close() }, batch{vs: []int{}, err: taskwork.ErrClosed}},
			"push":     {func(in *mailbox, _ func()) { _ = in.Push(1) }, batch{vs: []int{1}}},
			"push all": {func(in *mailbox, _ func()) { _ = in.PushAll([]int{1, 2}) }, batch{vs: []int{1, 2}}},
			"lazy":     {func(in *mailbox, _ func()) { in.PushedLazy(in.q.Queue.PushAll(seq(1, 4)), 3) }, batch{vs: seq(1, 4)}},
		} {
			schedules(1, func(steps []int) int {
				in := newMailbox(t, newQueue())
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				event := func() { c.event(in, cancel) }
				happened := in.q.atStep(steps, []func(){event})
				done := in.receive(ctx, 4, 3, 0)
				n := happened()
				in.q.onStep(nil)
				if n == 0 {
					event() // while it is parked
				}
				require.False(t, asleep(done), "%s at step %d", name, steps[0])
				require.Equal(t, c.want, <-done)
				return n
			})
		}
	})
}

// TestCase_D8_WaitsThatTimeOut: 10,000 waits that time out at 1 µs, then a push. It does not block, and its entry is delivered;
// and the waits have left nothing behind.
func TestCase_D8_WaitsThatTimeOut(t *testing.T) {
	const waits = 10_000
	objects := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapObjects
	}
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		lingers := []time.Duration{0, 1, time.Hour}
		if testing.Short() || raceEnabled {
			lingers = lingers[:1]
		}
		for _, linger := range lingers {
			in := newMailbox(t, newQueue())
			in.Inbox = taskwork.NewInbox(newQueue(), taskwork.InboxConfig[int]{}) // without the hooks, which keep a log
			began, goroutines := objects(), runtime.NumGoroutine()
			for range waits {
				ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond)
				got := in.recv(ctx, 4, 2, linger)
				cancel()
				if got.err != context.DeadlineExceeded || got.took != time.Microsecond {
					t.Fatalf("%+v", got)
				}
			}
			require.Less(t, int64(objects())-int64(began), int64(waits/10), "objects on the heap")
			require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
			require.NoError(t, in.Push(1))
			require.Equal(t, []int{1}, in.recv(context.Background(), 4, 2, linger).vs)
		}
	})
}

// TestCase_E1_InboxDst: pushes without pause, one at each of the receiver's steps. It returns when dst is full and says More.
func TestCase_E1_InboxDst(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for dst := 1; dst <= 10; dst++ {
			in := newMailbox(t, newQueue())
			pushed, popped := 0, 0
			in.q.onStep(func() {
				_ = in.Push(pushed)
				pushed++
			})
			for round := range 20 {
				got := in.recv(context.Background(), dst, 1, 0)
				require.NoError(t, got.err)
				require.Equal(t, seq(popped, popped+dst), got.vs)
				popped += dst
				last := in.receives.get()[round]
				require.Equal(t, taskwork.Stats{Count: dst, Loops: last.Loops, More: true}, last)
			}
			in.q.onStep(nil)
			in.Close()
			for v := range in.All(context.Background()) {
				require.Equal(t, popped, v)
				popped++
			}
			require.Equal(t, pushed, popped)
		}
	})
}
