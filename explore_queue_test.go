//go:build explore

package taskwork_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// explored are the queues whose nodes the explorations share; lanes has explorations of its own beside its source.
var explored = []struct {
	name string
	new  func() taskwork.NodeQueue[int]
}{
	{"spinlist", func() taskwork.NodeQueue[int] { return new(spinlist.Queue[int]) }},
	{"fakenode", func() taskwork.NodeQueue[int] { return new(fakenode.Queue[int]) }},
	{"mpscq", func() taskwork.NodeQueue[int] { return new(mpscq.Queue[int]) }},
}

// kickScene is the kick protocol: the pusher that sees wake runs the consumer on its own thread.
type kickScene struct {
	producers, each int
	budget          int  // of a run; it is called again while it says More
	chain           int  // producer 0 pushes a chain of so many nodes instead of single ones
	repush          int  // so many times a handler pushes the node that it was given again
	drain           bool // Drain instead of Run
}

func (s kickScene) String() string {
	name := fmt.Sprintf("%dx%d", s.producers, s.each)
	for _, f := range []struct {
		name string
		n    int
	}{{"budget", s.budget}, {"chain", s.chain}, {"repush", s.repush}} {
		if f.n > 0 {
			name += fmt.Sprintf("/%s=%d", f.name, f.n)
		}
	}
	if s.drain {
		name += "/drain"
	}
	return name
}

// body checks: nothing lost or doubled, no two consumers, order of each producer, as many rests as wakes, at rest in the end.
func (s kickScene) body(newQueue func() taskwork.NodeQueue[int]) func(m *explore.M) {
	return func(m *explore.M) {
		var (
			q            = newQueue()
			nodes        = make([][]taskwork.Node[int], s.producers)
			got          []int
			busy         bool
			wakes, rests = make([]int, s.producers), make([]int, s.producers)
			repushes     = s.repush
		)
		m.Blocked(func() string { return fmt.Sprintf("handed out %v, resting %v", got, q.Resting()) })
		handle := func(v int) {
			got = append(got, v)
			if repushes > 0 {
				repushes--
				// The node is free as soon as its value is out.
				n := &nodes[v/100][v%10]
				m.Assert(n.Value == 0, "the value stayed in its node")
				n.Value = v + 10
				m.Assert(!q.PushNode(n), "the handler's own push reports wake")
			}
		}
		consume := func(p int, wake bool) {
			if !wake {
				return
			}
			wakes[p]++
			m.Assert(!busy, "two consumers")
			busy = true
			// busy must be false again before the queue rests, and only the consumer knows when that is about to happen.
			watched := idleWatch{NodeQueue: q, before: func() { busy = false }, failed: func() { busy = true }}
			if s.drain {
				for v := range taskwork.Drain[int](watched) {
					handle(v)
				}
			} else {
				for taskwork.Run(watched, s.budget, handle).More {
				}
			}
			rests[p]++
		}
		total := 0
		for p := range s.producers {
			each := s.each
			if p == 0 && s.chain > 0 {
				each = s.chain
			}
			nodes[p] = make([]taskwork.Node[int], each)
			for i := range nodes[p] {
				nodes[p][i].Value = 100*p + i
			}
			total += each
			m.Go(fmt.Sprint("p", p), func() {
				if p == 0 && s.chain > 0 {
					var c taskwork.Chain[int]
					for i := range nodes[p] {
						c.Append(&nodes[p][i])
					}
					consume(p, q.PushChain(&c))
					return
				}
				for i := range nodes[p] {
					consume(p, q.PushNode(&nodes[p][i]))
				}
			})
		}
		m.Final(func() {
			m.Assert(len(got) == total+s.repush, "%d entries handed out of %d: %v", len(got), total+s.repush, got)
			sorted := slices.Sorted(slices.Values(got))
			m.Assert(len(slices.Compact(sorted)) == len(got), "an entry came twice: %v", got)
			last := map[int]int{}
			for _, v := range got {
				if v%100 < 10 { // re-pushed ones have a place of their own
					m.Assert(v%100 >= last[v/100], "order of producer %d: %v", v/100, got)
					last[v/100] = v%100 + 1
				}
			}
			m.Assert(slices.Equal(wakes, rests), "%d wakes and %d rests", wakes, rests)
			m.Assert(q.Resting() && q.Empty(), "not at rest in the end")
		})
	}
}

// idleWatch tells its test when a consumer tries to go to rest.
type idleWatch struct {
	taskwork.NodeQueue[int]
	before, failed func()
}

func (w idleWatch) Idle() bool {
	w.before()
	rest := w.NodeQueue.Idle()
	if !rest {
		w.failed()
	}
	return rest
}

// TestExploreKick: see docs/verification.md for its table.
func TestExploreKick(t *testing.T) {
	exhaustive := []kickScene{
		{producers: 2, each: 1},
		{producers: 2, each: 2},
		{producers: 3, each: 1},
		{producers: 2, each: 2, budget: 1},
		{producers: 2, each: 1, chain: 2},
		{producers: 2, each: 1, repush: 1},
		{producers: 2, each: 1, drain: true},
	}
	bounded := []kickScene{
		{producers: 3, each: 2},
		{producers: 4, each: 2},
	}
	for _, q := range explored {
		for _, s := range exhaustive {
			t.Run(fmt.Sprintf("%s/%s", q.name, s), func(t *testing.T) {
				explore.Run(t, explore.Config{}, s.body(q.new))
			})
		}
		for _, s := range bounded {
			t.Run(fmt.Sprintf("%s/%s", q.name, s), func(t *testing.T) {
				explore.Run(t, explore.Config{Mode: explore.DFS, Preemptions: 3, Time: 3 * time.Second, Budget: true}, s.body(q.new))
			})
		}
	}
}

// TestExploreEmpty: what Empty, Idle and Resting say while the consumer's own, finished push is still queued, whatever half pushes
// of others stand before it (CASES C1, C4), and what they say at rest.
func TestExploreEmpty(t *testing.T) {
	for _, q := range explored {
		t.Run(q.name, func(t *testing.T) {
			explore.Run(t, explore.Config{}, func(m *explore.M) {
				queue := q.new()
				nodes := make([]taskwork.Node[int], 4)
				for i := range nodes {
					nodes[i].Value = i + 1
				}
				for p := range 2 {
					m.Go(fmt.Sprint("p", p), func() {
						if !queue.PushNode(&nodes[p]) {
							return
						}
						for v := 0; v != p+1; v, _ = queue.Pop() {
							runtime.Gosched()
						}
						// Active: one more of our own, which has to stay visible until it comes out.
						own := p + 3
						m.Assert(!queue.PushNode(&nodes[p+2]), "a push on an active queue reports wake")
						for queued := true; queued; {
							m.Assert(!queue.Empty(), "Empty with a finished push queued")
							m.Assert(!queue.Resting(), "Resting while active")
							v, ok := queue.Pop()
							if !ok {
								m.Assert(!queue.Idle(), "Idle with a finished push queued")
								runtime.Gosched()
							}
							queued = v != own
						}
						for taskwork.Run(queue, 1, func(int) {}).More {
						}
					})
				}
				m.Final(func() {
					_, ok := queue.Pop()
					m.Assert(!ok && queue.Empty() && queue.Resting(), "a queue at rest hands out, or is not empty")
					m.Assert(queue.Push(1), "a push at rest does not wake")
				})
			})
		})
	}
}

// Operations of a history, and what they returned, for porcupine.
type (
	call struct {
		op string // push, pop, idle
		v  int    // of a push
	}
	result struct {
		v  int  // of a pop
		ok bool // wake, ok, or went to rest
	}
	state struct {
		queued string // of runes, so that states can be compared
		active bool
	}
)

// fifo is the contract of a total-order queue as a sequential machine. Pop may say false at any time: see Queue.Pop.
var fifo = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(st, in, out any) (bool, any) {
		s, c, r := st.(state), in.(call), out.(result)
		switch c.op {
		case "push":
			return r.ok == !s.active, state{s.queued + string(rune(c.v)), true}
		case "pop":
			if !r.ok {
				return true, s
			}
			queued := []rune(s.queued)
			if len(queued) == 0 || int(queued[0]) != r.v {
				return false, s
			}
			return true, state{string(queued[1:]), s.active}
		default:
			if !r.ok {
				return s.active, s
			}
			return s.active && s.queued == "", state{}
		}
	},
}

// TestExploreLinearizable checks the history of every execution against a sequential first-in first-out queue. Ticks mark where
// pushes begin and end, so that every real-time order of pushes is explored.
func TestExploreLinearizable(t *testing.T) {
	for _, q := range explored {
		for _, size := range [][2]int{{2, 1}, {3, 1}} {
			t.Run(fmt.Sprintf("%s/%dx%d", q.name, size[0], size[1]), func(t *testing.T) {
				explore.Run(t, explore.Config{Time: 5 * time.Second, Budget: size[0] > 2}, func(m *explore.M) {
					queue := q.new()
					nodes := make([]taskwork.Node[int], size[0])
					history := make([][]porcupine.Operation, size[0]) // each client's own
					do := func(client int, c call, f func() result) result {
						if c.op == "push" {
							m.Tick()
						}
						from := m.Step()
						r := f()
						if c.op == "push" {
							m.Tick()
						}
						history[client] = append(history[client], porcupine.Operation{
							ClientId: client, Input: c, Output: r, Call: int64(from), Return: int64(m.Step()),
						})
						return r
					}
					for p := range nodes {
						nodes[p].Value = p + 'a'
						m.Go(fmt.Sprint("p", p), func() {
							wake := do(p, call{"push", p + 'a'}, func() result { return result{ok: queue.PushNode(&nodes[p])} }).ok
							for wake {
								for do(p, call{op: "pop"}, func() result { v, ok := queue.Pop(); return result{v, ok} }).ok {
								}
								if do(p, call{op: "idle"}, func() result { return result{ok: queue.Idle()} }).ok {
									break
								}
								runtime.Gosched()
							}
						})
					}
					m.Final(func() {
						all := slices.Concat(history...)
						m.Assert(porcupine.CheckOperations(fifo, all), "not linearizable: %+v", all)
					})
				})
			})
		}
	}
}
