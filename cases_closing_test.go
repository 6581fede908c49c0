package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// The faults around closing (F1 to F8): every push either returns ErrClosed, and the entry was not taken, or returns nil, and
// the entry is handled or cancelled, once.

// disposal counts, for each entry, how often it was handed to a handler, a receiver or Cancel. All of these are one consumer's at a
// time, so plain memory is right, and the race detector sees if it is not.
type disposal [closingProducers * closingEntries]int32

// closingProducers push until they are refused, closingEntries at most, each.
const closingProducers, closingEntries = 32, 500

func (d *disposal) add(v int) { d[v]++ }

// check fails the test unless the accepted entries were disposed of once, and no others.
func (d *disposal) check(t *testing.T, accepted []int, what string, args ...any) {
	t.Helper()
	left := len(accepted)
	for _, v := range accepted {
		if d[v] != 1 {
			t.Fatalf("%s: accepted entry %d was disposed of %d times", fmt.Sprintf(what, args...), v, d[v])
		}
	}
	for v, n := range d {
		if left -= int(n); left < 0 {
			t.Fatalf("%s: entry %d was disposed of, and not accepted", fmt.Sprintf(what, args...), v)
		}
	}
}

// produceUntilClosed starts producers that push until that is refused, and returns a function that waits for them and says what was
// accepted.
func produceUntilClosed(t *testing.T, push func(v int) error) (accepted func() []int) {
	var counts [closingProducers]int
	var wg sync.WaitGroup
	for p := range counts {
		wg.Go(func() {
			for i := range closingEntries {
				if err := push(p*closingEntries + i); err != nil {
					if !errors.Is(err, taskwork.ErrClosed) {
						t.Error(err)
					}
					return
				}
				counts[p]++
			}
		})
	}
	return func() (vs []int) {
		wg.Wait()
		for p, n := range counts {
			vs = append(vs, seq(p*closingEntries, p*closingEntries+n)...)
		}
		return vs
	}
}

// TestCase_F1_RunnerCloseAgainstPushes: 32 producers against Close and Shutdown, in a loop.
func TestCase_F1_RunnerCloseAgainstPushes(t *testing.T) {
	guard(t)
	rounds := 60
	if testing.Short() || raceEnabled {
		rounds /= 5
	}
	each(t, func(t *testing.T, q queueOf[int]) {
		for round := range rounds {
			d := new(disposal)
			var r *taskwork.Runner[int]
			handled := 0
			r = taskwork.NewRunner(q.new(), taskwork.RunnerConfig[int]{
				Budget: 1 + round%7,
				Handle: func(v int) {
					d.add(v)
					if handled++; handled == round && round%4 == 1 {
						_ = r.Close()
					}
				},
				Cancel: d.add,
			})
			accepted := produceUntilClosed(t, r.Push)
			switch round % 4 {
			case 0, 1:
				_ = r.Shutdown(context.Background())
			case 2:
				_ = r.Shutdown(ended())
			case 3:
				_ = r.Close()
			}
			all := accepted()
			require.NoError(t, r.Shutdown(context.Background()))
			d.check(t, all, "round %d", round)
			totals := r.Totals()
			require.Equal(t, int64(len(all)), totals.Handled+totals.Cancelled)
		}
	})
}

// TestCase_F1_InboxCloseAgainstPushes: the same against the Close of an Inbox.
func TestCase_F1_InboxCloseAgainstPushes(t *testing.T) {
	guard(t)
	rounds := 60
	if testing.Short() || raceEnabled {
		rounds /= 5
	}
	each(t, func(t *testing.T, q queueOf[int]) {
		for round := range rounds {
			d := new(disposal)
			in := taskwork.NewInbox(q.new(), taskwork.InboxConfig[int]{Cancel: d.add})
			var n atomic.Int64
			accepted := produceUntilClosed(t, func(v int) error {
				if n.Add(1)%2 == 0 {
					return in.PushLazy(v)
				}
				return in.Push(v)
			})
			dst, received := make([]int, 64), 0
			for {
				k, err := in.RecvBatch(context.Background(), dst, 1+round%3, 0)
				if err != nil {
					require.ErrorIs(t, err, taskwork.ErrClosed)
					break
				}
				for _, v := range dst[:k] {
					d.add(v)
				}
				before := received
				switch received += k; {
				case before > 10*round || received <= 10*round:
				case round%2 == 0:
					go in.Close()
				default:
					in.Close()
				}
			}
			all := accepted()
			d.check(t, all, "round %d", round)
			totals := in.Totals()
			require.Equal(t, int64(len(all)), totals.Handled+totals.Cancelled)
		}
	})
}

// TestCase_F3_DiscardOnFirstPush: a Shutdown that gives up, or a Close, against the very first push: before it, between its
// steps, and after it. The entry is disposed of once.
func TestCase_F3_DiscardOnFirstPush(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for when := range 4 {
			d := new(disposal)
			var pool later
			q := hook(newQueue())
			r := taskwork.NewRunner[int](q, taskwork.RunnerConfig[int]{Handle: d.add, Cancel: d.add, Spawn: pool.spawn})
			discard := func(now int) {
				if now == when {
					_ = r.Shutdown(ended())
				}
			}
			discard(0)
			q.beforePush = func() { discard(1) }
			var accepted []int
			if when < 2 {
				if r.Push(7) == nil {
					accepted = []int{7}
				}
			} else {
				wake := q.Push(7)
				accepted = []int{7}
				discard(2)
				r.Pushed(wake)
				discard(3)
			}
			for pool.len() > 0 {
				pool.next(t)()
			}
			require.NoError(t, r.Shutdown(context.Background()))
			d.check(t, accepted, "Runner, discard at %d", when)

			d = new(disposal)
			q = hook(newQueue())
			in := taskwork.NewInbox[int](q, taskwork.InboxConfig[int]{Cancel: d.add})
			drain := func(now int) {
				if now == when {
					in.Close()
					for v := range in.All(context.Background()) {
						d.add(v)
					}
				}
			}
			drain(0)
			q.beforePush = func() { drain(1) }
			accepted = nil
			if when < 2 {
				if in.Push(7) == nil {
					accepted = []int{7}
				}
			} else {
				wake := q.Push(7)
				accepted = []int{7}
				drain(2)
				in.Pushed(wake, 1)
				drain(3)
			}
			d.check(t, accepted, "Inbox, close at %d", when)
		}
	})
}

// TestCase_F4_PushAfterClose: ErrClosed, and the queue is not touched: nobody is woken, nothing is linked. A node that was
// pushed around the check is cancelled, and usable elsewhere afterwards.
func TestCase_F4_PushAfterClose(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		wakes := 0
		trace := &taskwork.Trace{Wake: func() { wakes++ }}
		a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Trace: trace})
		require.NoError(t, a.Close())
		in := newMailbox(t, newQueue())
		done := in.receive(context.Background(), 4, 4, 0)
		in.Close()
		require.ErrorIs(t, (<-done).err, taskwork.ErrClosed)
		in.wakes.Store(0)
		for _, push := range []func() error{
			func() error { return a.Push(1) },
			func() error { return a.PushAll([]int{1}) },
			func() error { return a.PushAll(nil) },
			func() error { return in.Push(1) },
			func() error { return in.PushLazy(1) },
			func() error { return in.PushAll([]int{1}) },
			func() error { return in.PushAll(nil) },
		} {
			require.ErrorIs(t, push(), taskwork.ErrClosed)
		}
		require.Zero(t, a.q.pushes.Load()+in.q.pushes.Load())
		require.True(t, a.q.Resting() && in.q.Resting())
		require.Zero(t, int64(wakes)+in.wakes.Load())

		if nq, ok := in.q.Queue.(taskwork.NodeQueue[int]); ok {
			n := &taskwork.Node[int]{Value: 7}
			in.Pushed(nq.PushNode(n), 1)
			require.Equal(t, []int{7}, in.cancelled)
			n.Value = 8
			other := newMailbox(t, newQueue())
			other.Pushed(other.q.Queue.(taskwork.NodeQueue[int]).PushNode(n), 1)
			v, ok := other.TryRecv()
			require.True(t, ok)
			require.Equal(t, 8, v)
		}
	})
}

// TestCase_F5_SecondLife: a consumer has finished and its queue has been given to another one, while a push to the first is
// still on its way to its wake decision. The late wake is the first life's.
func TestCase_F5_SecondLife(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		q := newQueue()
		first := newMailbox(t, q)
		wake := q.Push(1)
		require.Equal(t, []int{1}, first.recv(t.Context(), 4, 1, 0).vs)
		first.Close()
		require.ErrorIs(t, first.recv(t.Context(), 4, 1, 0).err, taskwork.ErrClosed)
		second := newMailbox(t, q)
		for _, late := range []func(){
			func() { first.Pushed(wake, 1) },
			func() { first.PushedLazy(wake, 1) },
			func() { first.Close() },
		} {
			done := second.receive(context.Background(), 4, 1, 0)
			late()
			require.True(t, asleep(done))
			require.Zero(t, second.wakes.Load())
			require.NoError(t, second.PushLazy(2))
			require.Equal(t, []int{2}, (<-done).vs)
			second.wakes.Store(0)
		}
		second.Close()
		require.ErrorIs(t, second.recv(t.Context(), 4, 1, 0).err, taskwork.ErrClosed)
		require.Empty(t, slices.Concat(first.cancelled, second.cancelled))

		// And a Runner. A push that has the wake keeps the queue from resting, so only one without it can be late.
		r1 := newActor(t, q, taskwork.RunnerConfig[int]{})
		owner := q.Push(1)
		wake = q.Push(2)
		r1.Pushed(owner)
		require.NoError(t, r1.Shutdown(context.Background()))
		r2 := newActor(t, q, taskwork.RunnerConfig[int]{})
		r1.Pushed(wake)
		require.NoError(t, r2.Push(3))
		synctest.Wait()
		require.Equal(t, []int{1, 2}, r1.handled)
		require.Equal(t, []int{3}, r2.handled)
		require.Empty(t, slices.Concat(r1.cancelled, r2.cancelled))
	})
}

// TestCase_F8_CloseFromEverywhere: from ten goroutines and from the handler at a time; what was accepted is disposed of once.
func TestCase_F8_CloseFromEverywhere(t *testing.T) {
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for round := range 20 {
			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: 2})
			a.during = func(v int) {
				if v%2 == 0 {
					require.NoError(t, a.Close())
				}
			}
			require.NoError(t, a.PushAll(seq(0, 10)))
			var wg sync.WaitGroup
			for i := range 10 {
				wg.Go(func() {
					if err := a.Close(); err != nil {
						t.Error(err)
					}
					if i%3 == 0 && round%2 == 0 {
						_ = a.Shutdown(ended())
					}
				})
			}
			wg.Wait()
			require.NoError(t, a.Shutdown(context.Background()))
			require.Equal(t, seq(0, 10), slices.Concat(a.handled, a.cancelled), "in order, each once")
			require.Equal(t, int64(len(a.cancelled)), a.Totals().Cancelled)

			in := newMailbox(t, newQueue())
			require.NoError(t, in.PushAll(seq(0, 10)))
			for range 10 {
				wg.Go(in.Close)
			}
			var got []int
			for v := range in.All(t.Context()) {
				got = append(got, v)
				in.Close()
			}
			wg.Wait()
			require.Equal(t, seq(0, 10), got)
			require.Empty(t, in.cancelled)
		}
	})
}
