package taskwork_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// What a consumer keeps alive (J2), odd arguments (J5), and calls from inside of its callbacks (J8).

// TestCase_J2_ConsumersLetGo: a big entry that went through a Runner or an Inbox is collected when the handler or the receiver
// has dropped it, while the consumer lives on: at rest, at work on something else, waiting, closed.
func TestCase_J2_ConsumersLetGo(t *testing.T) {
	guard(t)
	each(t, func(t *testing.T, row queueOf[*big]) {
		t.Run("Runner", func(t *testing.T) {
			var c collector
			gate := make(chan struct{})
			handled := make(chan struct{}, 10)
			r := taskwork.NewRunner(row.new(), taskwork.RunnerConfig[*big]{Handle: func(b *big) {
				if b == nil {
					<-gate
				}
				handled <- struct{}{}
			}})
			for range 3 {
				require.NoError(t, r.Push(c.new()))
				<-handled
			}
			c.gone(t, 0, "a Runner at rest")
			require.NoError(t, r.PushAll([]*big{c.new(), c.new(), nil, c.new()}))
			<-handled
			<-handled
			c.gone(t, 1, "a Runner that has something else to do")
			close(gate)
			<-handled
			<-handled
			require.NoError(t, r.Shutdown(context.Background()))
			require.NoError(t, r.Shutdown(ended()))
			c.gone(t, 0, "a Runner that was shut down")
			require.ErrorIs(t, r.Push(c.new()), taskwork.ErrClosed)
			c.gone(t, 0, "a refused entry")
			runtime.KeepAlive(r)
		})
		t.Run("Inbox", func(t *testing.T) {
			var c collector
			in := taskwork.NewInbox(row.new(), taskwork.InboxConfig[*big]{})
			ctx := context.Background()
			require.NoError(t, in.Push(c.new()))
			_, ok := in.TryRecv()
			require.True(t, ok)
			require.NoError(t, in.Push(c.new()))
			_, err := in.Recv(ctx)
			require.NoError(t, err)
			for range in.All(ended()) {
				t.Error("there is nothing")
			}
			c.gone(t, 0, "after TryRecv and Recv")

			// dst is the caller's: what was received is in its front part, and nothing behind that is written.
			dst := make([]*big, 8)
			require.NoError(t, in.PushAll([]*big{c.new(), c.new(), c.new()}))
			n, err := in.RecvBatch(ctx, dst, 1, 0)
			require.NoError(t, err)
			require.Equal(t, 3, n)
			require.Equal(t, make([]*big, 5), dst[n:])
			clear(dst[:n])
			c.gone(t, 0, "after RecvBatch, with dst still there")
			require.NoError(t, in.PushLazy(c.new()))
			n, err = in.RecvBatch(ended(), dst, 5, 0)
			require.NoError(t, err, "the mark of those before is stale, and so one entry is enough")
			require.Equal(t, 1, n)
			clear(dst[:n])
			require.NoError(t, in.PushLazy(c.new()))
			n, err = in.RecvBatch(ended(), dst, 5, 0)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, n)
			clear(dst[:n])
			c.gone(t, 0, "after RecvBatch with an error")
			in.Close()
			_, err = in.Recv(ctx)
			require.ErrorIs(t, err, taskwork.ErrClosed)
			c.gone(t, 0, "closed")
			runtime.KeepAlive(dst)
			runtime.KeepAlive(in)
		})
		t.Run("Cancel", func(t *testing.T) {
			var c collector
			q1, q2 := row.new(), row.new()
			r := taskwork.NewRunner(q1, taskwork.RunnerConfig[*big]{
				Handle: func(*big) {}, Cancel: func(*big) {}, Spawn: new(later).spawn,
			})
			require.NoError(t, r.PushAll([]*big{c.new(), c.new()}))
			require.ErrorIs(t, r.Shutdown(ended()), context.Canceled)
			r.Pushed(q1.Push(c.new()))
			in := taskwork.NewInbox(q2, taskwork.InboxConfig[*big]{})
			in.Close()
			_, err := in.Recv(context.Background())
			require.ErrorIs(t, err, taskwork.ErrClosed)
			in.Pushed(q2.Push(c.new()), 1)
			c.gone(t, 0, "cancelled entries")
			runtime.KeepAlive(r)
			runtime.KeepAlive(in)
		})
	})
}

// TestCase_J5_OddArguments: minimums, counts, budgets and slices that nobody should pass are clamped or have no effect, and
// nothing loops for ever. (TestRecvBatchMinimum, TestRecvBatchEmptyDst and TestRecvBatchHugeMinimum go into the detail of
// each.)
func TestCase_J5_OddArguments(t *testing.T) {
	odd := []int{math.MinInt, -1, 0, 1, math.MaxInt32, math.MaxInt}
	inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
		for _, n := range odd {
			in := newMailbox(t, newQueue())
			in.Pushed(false, n)
			in.PushedLazy(false, n)
			done := in.receive(context.Background(), 2, n, 0)
			require.True(t, asleep(done), "there is nothing to be received")
			in.PushedLazy(false, n)
			in.Pushed(false, n)
			require.True(t, asleep(done), "there still is not")
			in.PushedLazy(in.q.PushAll([]int{1, 2}), n)
			in.PushedLazy(false, 2) // the right count
			require.Equal(t, []int{1, 2}, (<-done).vs)
			got, err := in.RecvBatch(context.Background(), nil, n, -1)
			require.Zero(t, got)
			require.NoError(t, err)

			a := newActor(t, newQueue(), taskwork.RunnerConfig[int]{Budget: n})
			require.NoError(t, a.PushAll(seq(0, 600)))
			require.NoError(t, a.PushAll(nil))
			require.NoError(t, a.PushAll([]int{}))
			require.NoError(t, a.Shutdown(context.Background()))
			require.Equal(t, seq(0, 600), a.handled)
			switch runs := a.Totals().Runs; {
			case n < 1:
				require.Equal(t, int64(3), runs, "of 256")
			case n == 1:
				require.Equal(t, int64(600), runs)
			default:
				require.Equal(t, int64(1), runs)
			}
		}
	})
}

// TestCase_J8_RunnerCallbacks: from the handler, Spawn, Cancel, OnPanic and every Trace hook, everything may be called that
// does not have to wait for the callback itself.
func TestCase_J8_RunnerCallbacks(t *testing.T) {
	places := []string{"Handle", "Spawn", "Cancel", "OnPanic", "Wake", "Run"}
	calls := map[string]func(a *actor){
		"Push":     func(a *actor) { _ = a.Push(100) },
		"PushAll":  func(a *actor) { _ = a.PushAll([]int{100, 101}) },
		"Pushed":   func(a *actor) { a.Pushed(a.q.Push(100)) },
		"Close":    func(a *actor) { _ = a.Close() },
		"Shutdown": func(a *actor) { _ = a.Shutdown(ended()) },
		"Totals":   func(a *actor) { a.Totals() },
	}
	for _, place := range places {
		for name, call := range calls {
			t.Run(place+"/"+name, func(t *testing.T) {
				inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
					for _, synchronous := range []bool{false, true} {
						var a *actor
						var calls atomic.Int64
						at := func(here string) {
							if here == place && calls.Add(1) <= 5 { // or a push from a hook would go on for ever
								call(a)
							}
						}
						a = &actor{t: t, q: hook(newQueue())}
						a.Runner = taskwork.NewRunner[int](a.q, taskwork.RunnerConfig[int]{
							Budget: 2,
							Handle: func(v int) {
								a.handle(v)
								at("Handle")
								if v == 1 {
									panic("handler")
								}
							},
							Cancel: func(v int) {
								a.cancelled = append(a.cancelled, v)
								at("Cancel")
							},
							OnPanic: func(any) { at("OnPanic") },
							Spawn: func(run func()) error {
								at("Spawn")
								if synchronous {
									run()
								} else {
									go run()
								}
								return nil
							},
							Trace: &taskwork.Trace{Wake: func() { at("Wake") }, Run: func(taskwork.Stats) { at("Run") }},
						})
						_ = a.PushAll(seq(0, 3))
						synctest.Wait()
						_ = a.Shutdown(ended())
						require.NoError(t, a.Shutdown(context.Background()))
						a.Pushed(a.q.Push(50)) // too late
						synctest.Wait()
						require.Positive(t, calls.Load(), "the callback has been called")
						require.True(t, a.q.Resting())
						totals := a.Totals()
						require.Equal(t, int64(len(a.handled)), totals.Handled)
						require.Equal(t, int64(len(a.cancelled)), totals.Cancelled)
						require.GreaterOrEqual(t, len(a.handled)+len(a.cancelled), 4)
					}
				})
			})
		}
	}
}

// TestCase_J8_InboxCallbacks: the same for Cancel and the hooks of an Inbox.
func TestCase_J8_InboxCallbacks(t *testing.T) {
	calls := map[string]func(in *mailbox){
		"Push":     func(in *mailbox) { _ = in.Push(100) },
		"PushLazy": func(in *mailbox) { _ = in.PushLazy(100) },
		"PushAll":  func(in *mailbox) { _ = in.PushAll([]int{100, 101}) },
		"Pushed":   func(in *mailbox) { in.Pushed(in.q.Push(100), 1) },
		"Close":    func(in *mailbox) { in.Close() },
		"Totals":   func(in *mailbox) { in.Totals() },
		"TryRecv":  func(in *mailbox) { in.TryRecv() },
	}
	for _, place := range []string{"Cancel", "Wake", "Run"} {
		for name, call := range calls {
			if name == "TryRecv" && place != "Run" {
				continue // that would not be the receiver
			}
			t.Run(fmt.Sprintf("%s/%s", place, name), func(t *testing.T) {
				inBubble(t, func(t *testing.T, newQueue func() taskwork.Queue[int]) {
					var in *mailbox
					var calls atomic.Int64
					at := func(here string) {
						if here == place && calls.Add(1) <= 5 {
							call(in)
						}
					}
					in = &mailbox{t: t, q: hook(newQueue())}
					in.Inbox = taskwork.NewInbox[int](in.q, taskwork.InboxConfig[int]{
						Cancel: func(v int) {
							in.cancelled = append(in.cancelled, v)
							at("Cancel")
						},
						Trace: &taskwork.Trace{Wake: func() { at("Wake") }, Run: func(taskwork.Stats) { at("Run") }},
					})
					received := 0
					for range 3 {
						done := in.receive(context.Background(), 4, 2, 0)
						in.Pushed(in.q.Push(1), 1)
						b := <-done
						received += len(b.vs)
					}
					in.Close()
					for range in.All(context.Background()) {
						received++
					}
					in.Pushed(in.q.Push(50), 1) // too late
					synctest.Wait()
					require.Positive(t, calls.Load(), "the callback has been called")
					totals := in.Totals()
					require.GreaterOrEqual(t, totals.Handled, int64(received))
					require.Equal(t, int64(len(in.cancelled)), totals.Cancelled)
					require.True(t, in.q.Resting())
				})
			})
		}
	}
}
