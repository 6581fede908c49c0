package taskwork

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// The windows inside of a producer's wake decision, between its atomic steps on the sleeper's word and the wake itself. The
// test does the first half of a push, lets something else happen, and then does the other half: what force and countDown do, by
// hand.

// overQueues runs a test in a bubble of package synctest over every queue; there, a missed wakeup fails the test at once.
func overQueues(t *testing.T, test func(t *testing.T, q Queue[int])) {
	for name, q := range map[string]func() Queue[int]{
		"spinlist": func() Queue[int] { return new(spinlist.Queue[int]) },
		"fakenode": func() Queue[int] { return new(fakenode.Queue[int]) },
		"mpscq":    func() Queue[int] { return new(mpscq.Queue[int]) },
		"lanes":    func() Queue[int] { return new(lanes.Queue[int]) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, q()) })
		})
	}
}

// received is what a receive returned.
type received struct {
	vs  []int
	err error
}

// receiver starts a receive on a goroutine of its own, and lets it come as far as it can.
func receiver(in *Inbox[int], ctx context.Context, dst, atLeast int) <-chan received {
	done := make(chan received, 1)
	go func() {
		vs := make([]int, dst)
		n, err := in.RecvBatch(ctx, vs, atLeast, 0)
		done <- received{vs[:n], err}
	}()
	synctest.Wait()
	return done
}

// sleeps tells, when nobody can go on, whether the receive has not returned.
func sleeps(done <-chan received) bool {
	synctest.Wait()
	return len(done) == 0
}

// TestCase_A1_ForcedPushLosesNoRace: the receiver has armed 2 (and more); a forced push has looked at the count and stops; lazy
// pushes count it down; the forced push goes on. There is exactly one wake, and the receiver gets all. A forced push that took
// a changed count for somebody else's claim would leave it asleep.
func TestCase_A1_ForcedPushLosesNoRace(t *testing.T) {
	overQueues(t, func(t *testing.T, q Queue[int]) {
		var wakes atomic.Int64
		in := NewInbox(q, InboxConfig[int]{Trace: &Trace{Wake: func() { wakes.Add(1) }}})
		for armed := 2; armed <= 5; armed++ {
			for lazy := 1; lazy <= armed; lazy++ {
				wakes.Store(0)
				done := receiver(in, context.Background(), 10, armed)
				require.False(t, q.Push(0))
				seen := in.word.Load() // the first half of force
				require.Equal(t, int32(armed), seen)
				for v := range lazy {
					require.NoError(t, in.PushLazy(v+1))
				}
				require.Equal(t, lazy < armed, wakes.Load() == 0)
				if lazy < armed {
					require.True(t, sleeps(done), "the forced push has yet to claim the wake")
					require.Equal(t, int32(armed-lazy), in.word.Load())
				}
				if in.word.Swap(urgent) > 0 { // the second half
					in.wake()
				}
				got := <-done
				require.NoError(t, got.err)
				require.Len(t, got.vs, lazy+1)
				require.Equal(t, int64(1), wakes.Load())
				// If the lazy pushes were enough, the mark is a stale one.
				next := receiver(in, context.Background(), 10, 2)
				require.True(t, sleeps(next))
				in.Pushed(q.Push(7), 1)
				require.Equal(t, []int{7}, (<-next).vs)
			}
		}
	})
}

// TestCase_A1_Racing: the same with goroutines that really race: while one counts down as fast as it can, the other forces. (The room for
// entries without a size costs nothing, so the count can be as high as it needs to be to last.)
func TestCase_A1_Racing(t *testing.T) {
	const armed = 1 << 30
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	synctest.Test(t, func(t *testing.T) {
		in := NewInbox[struct{}](new(fakenode.Queue[struct{}]), InboxConfig[struct{}]{})
		dst := make([]struct{}, armed)
		for range rounds {
			done := make(chan int)
			go func() {
				n, _ := in.RecvBatch(context.Background(), dst, armed, 0)
				done <- n
			}()
			synctest.Wait()
			var stop atomic.Bool
			go func() {
				for !stop.Load() {
					in.PushedLazy(false, 1)
				}
			}()
			for in.word.Load() == armed {
				runtime.Gosched() // until the counting has begun
			}
			require.NoError(t, in.Push(struct{}{}))
			stop.Store(true)
			require.Equal(t, 1, <-done) // a missed wakeup ends here
		}
	})
}

// TestCase_D1_WakeComesAfterTheWait: a push stops after it has decided to wake. The receiver's ctx ends, it takes the entry and
// waits again; the push goes on. Neither hangs, and the stale wake returns nothing.
func TestCase_D1_WakeComesAfterTheWait(t *testing.T) {
	overQueues(t, func(t *testing.T, q Queue[int]) {
		for _, lazy := range []bool{false, true} {
			in := NewInbox(q, InboxConfig[int]{})
			ctx, cancel := context.WithCancel(context.Background())
			done := receiver(in, ctx, 10, 1)
			require.False(t, q.Push(1))
			if lazy {
				require.True(t, in.word.CompareAndSwap(1, 0))
			} else {
				require.Equal(t, int32(1), in.word.Swap(urgent))
			}
			cancel()
			require.Equal(t, received{vs: []int{1}}, <-done)
			second := receiver(in, context.Background(), 10, 1)
			require.True(t, sleeps(second))
			in.wake()
			require.True(t, sleeps(second), "a token without an entry")
			require.NoError(t, in.Push(2))
			require.Equal(t, received{vs: []int{2}}, <-second)

			in.Close()
			third := receiver(in, context.Background(), 10, 1)
			require.Equal(t, ErrClosed, (<-third).err)
			// The queue is at rest again: the next round makes another Inbox of it.
		}
	})
}

// TestCase_D6_OldToken: a push has claimed the wake of two entries, and the receiver's ctx ends before the token comes. The
// second wait returns at once with the other entry; the old token does not satisfy the third.
func TestCase_D6_OldToken(t *testing.T) {
	overQueues(t, func(t *testing.T, q Queue[int]) {
		for _, when := range []int{1, 2, 3} { // before which wait the token comes
			in := NewInbox(q, InboxConfig[int]{})
			ctx, cancel := context.WithCancel(context.Background())
			done := receiver(in, ctx, 1, 1)
			require.False(t, q.PushAll([]int{1, 2}))
			require.Equal(t, int32(1), in.word.Swap(urgent))
			cancel()
			require.Equal(t, received{vs: []int{1}}, <-done)
			if when == 1 {
				in.wake()
			}
			second := receiver(in, context.Background(), 1, 1)
			require.False(t, sleeps(second), "the entry is there")
			require.Equal(t, received{vs: []int{2}}, <-second)
			if when == 2 {
				in.wake()
			}
			third := receiver(in, context.Background(), 1, 1)
			if when == 3 {
				in.wake()
			}
			require.True(t, sleeps(third))
			require.NoError(t, in.PushLazy(3))
			require.Equal(t, received{vs: []int{3}}, <-third)
			in.Close()
			require.Equal(t, ErrClosed, (<-receiver(in, context.Background(), 1, 1)).err)
		}
	})
}

// TestCase_D9_SpuriousUnparks: a ping-pong that parks every time, while a third goroutine puts tokens that nobody has asked
// for. All waits loop around what they wait for.
func TestCase_D9_SpuriousUnparks(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	overQueues(t, func(t *testing.T, q Queue[int]) {
		var back fakenode.Queue[int]
		there, here := NewInbox(q, InboxConfig[int]{}), NewInbox(&back, InboxConfig[int]{})
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for !stop.Load() {
				there.sleeper.Unpark()
				here.sleeper.Unpark()
				runtime.Gosched()
			}
		})
		wg.Go(func() {
			for v := range rounds {
				n, err := there.RecvBatch(context.Background(), make([]int, 4), 2, 0)
				if n != 2 || err != nil {
					t.Errorf("round %d: %d entries and %v", v, n, err)
				}
				_ = here.Push(v)
			}
		})
		for v := range rounds {
			require.NoError(t, there.PushLazy(v))
			require.NoError(t, there.PushLazy(v))
			got, err := here.Recv(context.Background())
			require.NoError(t, err)
			require.Equal(t, v, got)
		}
		stop.Store(true)
		wg.Wait()
	})
}

// TestInboxWord: the sleeper's word in every state of a receive, and what it is left with.
func TestInboxWord(t *testing.T) {
	overQueues(t, func(t *testing.T, q Queue[int]) {
		in := NewInbox(q, InboxConfig[int]{})
		word := func() int { return int(in.word.Load()) }
		require.Zero(t, word())
		require.NoError(t, in.PushLazy(1))
		require.Zero(t, word(), "nobody waits")
		done := receiver(in, context.Background(), 10, 4)
		require.Equal(t, 3, word(), "one of four is there")
		require.NoError(t, in.PushLazy(2))
		require.Equal(t, 2, word())
		in.PushedLazy(q.PushAll([]int{3, 4, 5}), 3)
		require.Equal(t, received{vs: []int{1, 2, 3, 4, 5}}, <-done)
		require.Zero(t, word(), "claimed")

		require.NoError(t, in.PushAll([]int{1, 2, 3}))
		require.Equal(t, urgent, word())
		require.Equal(t, []int{1}, (<-receiver(in, context.Background(), 1, 1)).vs)
		require.Equal(t, urgent, word(), "whoever finds enough at once leaves it alone")
		require.Equal(t, []int{2, 3}, (<-receiver(in, context.Background(), 9, 3)).vs)
		require.Zero(t, word(), "the mark has been met, and the queue has been seen empty since")

		// Mark met, dst full, something left: the mark goes back.
		require.NoError(t, in.Push(1))
		done = receiver(in, context.Background(), 2, 2)
		require.Equal(t, received{vs: []int{1}}, <-done)
		in.PushedLazy(q.PushAll([]int{2}), 1)
		require.NoError(t, in.Push(3))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		require.Equal(t, received{vs: []int{2, 3}}, <-receiver(in, ctx, 9, 9))
		require.Zero(t, word())

		in.Close()
		require.Equal(t, urgent, word(), "Close is a forced push without an entry")
		require.Equal(t, ErrClosed, (<-receiver(in, context.Background(), 1, 1)).err)
	})
}

// TestInboxConcurrentReceivers: two receivers at a time are a bug of the caller's, seen when the second one wants to sleep,
// too.
func TestInboxConcurrentReceivers(t *testing.T) {
	overQueues(t, func(t *testing.T, q Queue[int]) {
		in := NewInbox(q, InboxConfig[int]{})
		done := receiver(in, context.Background(), 4, 2)
		require.PanicsWithValue(t, "taskwork: concurrent consumer", func() { _, _ = in.Recv(context.Background()) })
		require.True(t, sleeps(done), "the first one is unharmed")
		require.NoError(t, in.Push(1))
		require.Equal(t, []int{1}, (<-done).vs)
	})
}
