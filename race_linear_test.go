package taskwork_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// linearCall is a call of a history. Values count up from 1; handle is the lane's handle, or 0.
type linearCall struct {
	name   string // push, pop, idle, empty, resting
	values []int  // of a push
	handle int
}

type linearAnswer struct {
	flag  bool // wake, ok, or what else the call returns
	value int  // of a pop
	// excused: a pop that found nothing while a push was under way, in a queue where that may be half done.
	excused bool
}

// linearState is the contract in its sequential form. It is immutable.
type linearState struct {
	active bool
	queued string // values as runes, oldest first: porcupine compares states, and strings compare
}

// totalModel is the contract of a queue with one total order, as a model: some order of the calls that agrees with real time
// must explain all answers.
var totalModel = porcupine.Model{
	Init: func() any { return linearState{} },
	Step: func(s, in, out any) (bool, any) {
		return linearStep(s.(linearState), in.(linearCall), out.(linearAnswer))
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
}

func linearStep(s linearState, c linearCall, a linearAnswer) (bool, linearState) {
	empty := s.queued == ""
	switch c.name {
	case "push":
		next := linearState{active: true, queued: s.queued}
		for _, v := range c.values {
			next.queued += string(rune(v))
		}
		return a.flag == !s.active, next
	case "pop":
		if !a.flag {
			return empty || a.excused, s
		}
		rest, ok := strings.CutPrefix(s.queued, string(rune(a.value)))
		return ok && s.active, linearState{active: s.active, queued: rest}
	case "idle":
		return s.active && a.flag == empty, linearState{active: s.active && !a.flag, queued: s.queued}
	case "empty":
		return a.flag == empty, s
	default:
		return a.flag == !s.active, s
	}
}

// laneModel is what a queue of lanes promises of each lane: one at a time, its pushes, and the pops that gave its entries, are
// a queue. Wakes and rests concern all lanes together and are no part of it.
var laneModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		lane := map[int]int{} // by value
		for _, op := range history {
			for _, v := range op.Input.(linearCall).values {
				lane[v] = op.Input.(linearCall).handle
			}
		}
		parts := map[int][]porcupine.Operation{}
		for _, op := range history {
			switch c := op.Input.(linearCall); {
			case c.name == "push":
				parts[c.handle] = append(parts[c.handle], op)
			case c.name == "pop" && op.Output.(linearAnswer).flag:
				parts[lane[op.Output.(linearAnswer).value]] = append(parts[lane[op.Output.(linearAnswer).value]], op)
			}
		}
		var all [][]porcupine.Operation
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() any { return "" },
	Step: func(s, in, out any) (bool, any) {
		queued, c := s.(string), in.(linearCall)
		if c.name == "pop" {
			rest, ok := strings.CutPrefix(queued, string(rune(out.(linearAnswer).value)))
			return ok, rest
		}
		for _, v := range c.values {
			queued += string(rune(v))
		}
		return true, queued
	},
}

// recorder collects a history. Each goroutine keeps its calls and hands them in at its end.
type recorder struct {
	clock atomic.Int64
	mu    sync.Mutex
	all   []porcupine.Operation
}

// client is one goroutine's part of a history.
type client struct {
	r   *recorder
	id  int
	rng *rand.Rand
	ops []porcupine.Operation
}

// call makes a call and notes it. It gives way now and then, within the interval that it notes: others' calls then overlap even
// where there is but one processor to be had.
func (c *client) call(in linearCall, f func() linearAnswer) linearAnswer {
	begin := c.r.clock.Add(1)
	if c.rng.IntN(8) == 0 {
		runtime.Gosched()
	}
	out := f()
	if c.rng.IntN(8) == 0 {
		runtime.Gosched()
	}
	c.ops = append(c.ops, porcupine.Operation{ClientId: c.id, Input: in, Call: begin, Output: out, Return: c.r.clock.Add(1)})
	return out
}

func (c *client) end() {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.r.all = append(c.r.all, c.ops...)
}

// excuse marks the pops that found nothing while a push was under way.
func excuse(history []porcupine.Operation) {
	for i, pop := range history {
		a := pop.Output.(linearAnswer)
		if pop.Input.(linearCall).name != "pop" || a.flag {
			continue
		}
		a.excused = slices.ContainsFunc(history, func(push porcupine.Operation) bool {
			return push.Input.(linearCall).name == "push" && push.Call < pop.Return && pop.Call < push.Return
		})
		history[i].Output = a
	}
}

// recordHistory lets three producers push, in all forms, while whoever is told to wake pops and goes to rest, and returns what
// they have called and been answered.
func recordHistory(q taskwork.Queue[int], seed uint64) []porcupine.Operation {
	const producers, pushes = 3, 4
	var (
		r       recorder
		wg      sync.WaitGroup
		clients atomic.Int64
		value   atomic.Int64
		arrived atomic.Int64
	)
	nq, _ := q.(taskwork.NodeQueue[int])
	lq, _ := q.(*lanes.Queue[int])
	newClient := func(stream uint64) *client {
		return &client{r: &r, id: int(clients.Add(1)) - 1, rng: rand.New(rand.NewPCG(seed, stream))}
	}
	consume := func(stream uint64) {
		c := newClient(stream)
		rng := c.rng
		defer c.end()
		for {
			popped := c.call(linearCall{name: "pop"}, func() linearAnswer {
				v, ok := q.Pop()
				return linearAnswer{flag: ok, value: v}
			})
			if rng.IntN(4) == 0 {
				c.call(linearCall{name: "empty"}, func() linearAnswer { return linearAnswer{flag: q.Empty()} })
			}
			if popped.flag && rng.IntN(4) > 0 {
				continue
			}
			if c.call(linearCall{name: "idle"}, func() linearAnswer { return linearAnswer{flag: q.Idle()} }).flag {
				return
			}
			if !popped.flag {
				runtime.Gosched()
			}
		}
	}
	for p := range producers {
		wg.Go(func() {
			c := newClient(uint64(p))
			rng := c.rng
			defer c.end()
			var lane *lanes.Producer[int]
			handle := 0
			if lq != nil && p > 0 {
				lane, handle = lq.Producer(), p
				defer lane.Close()
			}
			for arrived.Add(1); arrived.Load() < producers; {
				runtime.Gosched() // all start at once
			}
			for range pushes {
				vs := make([]int, 1+rng.IntN(2))
				for i := range vs {
					vs[i] = int(value.Add(1))
				}
				form := rng.IntN(3)
				a := c.call(linearCall{name: "push", values: vs, handle: handle}, func() linearAnswer {
					switch {
					case lane != nil && len(vs) == 1:
						return linearAnswer{flag: lane.Push(vs[0])}
					case lane != nil:
						return linearAnswer{flag: lane.PushAll(vs)}
					case nq != nil && len(vs) == 1 && form > 0:
						return linearAnswer{flag: nq.PushNode(&taskwork.Node[int]{Value: vs[0]})}
					case nq != nil && form > 0:
						var chain taskwork.Chain[int]
						for _, v := range vs {
							chain.Append(&taskwork.Node[int]{Value: v})
						}
						return linearAnswer{flag: nq.PushChain(&chain)}
					case len(vs) == 1:
						return linearAnswer{flag: q.Push(vs[0])}
					default:
						return linearAnswer{flag: q.PushAll(vs)}
					}
				})
				if a.flag {
					wg.Go(func() { consume(100 + uint64(vs[0])) })
				}
				if rng.IntN(3) == 0 {
					c.call(linearCall{name: "resting"}, func() linearAnswer { return linearAnswer{flag: q.Resting()} })
				}
				if rng.IntN(4) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	return r.all
}

// TestLinearizable records histories of short races and has porcupine look for an order that explains them. It goes on for as
// long as a tenth of the stress.
func TestLinearizable(t *testing.T) {
	guard(t)
	histories, end := 400, time.Now()
	if raceEnabled || testing.Short() {
		histories = 100
	}
	each(t, func(t *testing.T, row queueOf[int]) {
		model := laneModel
		if row.total {
			model = totalModel
		}
		end = end.Add(*stressFor / 10 / time.Duration(len(queues[int]())))
		seed, overlaps := uint64(0), 0
		for ; seed < uint64(histories) || time.Now().Before(end); seed++ {
			q := row.new()
			history := recordHistory(q, seed)
			require.True(t, q.Resting())
			if row.halfPush {
				excuse(history)
			}
			overlaps += overlapping(history)
			// No real time limit: a history of this length takes a millisecond, and "unknown" must not pass for "fine".
			if result := porcupine.CheckOperationsTimeout(model, history, time.Minute); result != porcupine.Ok {
				t.Fatalf("seed %d: %s: no order of these calls explains the answers:\n%s", seed, result, describe(history))
			}
		}
		require.Greater(t, overlaps, int(seed), "calls must overlap, or there is nothing to see")
	})
}

// overlapping counts the calls that overlap the next one to begin.
func overlapping(history []porcupine.Operation) (n int) {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for i := 1; i < len(history); i++ {
		if history[i-1].Return > history[i].Call {
			n++
		}
	}
	return n
}

func describe(history []porcupine.Operation) string {
	var b strings.Builder
	for _, op := range history {
		what := totalModel.DescribeOperation(op.Input, op.Output)
		fmt.Fprintf(&b, "%4d–%-4d goroutine %-2d %s\n", op.Call, op.Return, op.ClientId, what)
	}
	return b.String()
}

// TestLinearizableRejects: the models refuse histories that are wrong by one answer.
func TestLinearizableRejects(t *testing.T) {
	at := func(begin, end int64, in linearCall, out linearAnswer) porcupine.Operation {
		return porcupine.Operation{Input: in, Output: out, Call: begin, Return: end}
	}
	push := func(begin, end int64, wake bool, handle int, vs ...int) porcupine.Operation {
		return at(begin, end, linearCall{name: "push", values: vs, handle: handle}, linearAnswer{flag: wake})
	}
	pop := func(begin, end int64, v int) porcupine.Operation {
		return at(begin, end, linearCall{name: "pop"}, linearAnswer{flag: v > 0, value: v})
	}
	other := func(begin, end int64, name string, flag bool) porcupine.Operation {
		return at(begin, end, linearCall{name: name}, linearAnswer{flag: flag})
	}
	for name, c := range map[string]struct {
		model   porcupine.Model
		excuse  bool
		ok      bool
		history []porcupine.Operation
	}{
		"fine": {model: totalModel, ok: true, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 8, false, 0, 2, 3), other(4, 5, "empty", false), pop(6, 7, 1), pop(9, 10, 2), pop(11, 12, 3),
			pop(13, 14, 0), other(15, 16, "idle", true), other(17, 18, "resting", true),
		}},
		"two wakes": {model: totalModel, history: []porcupine.Operation{push(1, 4, true, 0, 1), push(2, 3, true, 0, 2)}},
		"no wake":   {model: totalModel, history: []porcupine.Operation{push(1, 2, false, 0, 1)}},
		"real time": {model: totalModel, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 4, false, 0, 2), pop(5, 6, 2), pop(7, 8, 1),
		}},
		"dry": {model: totalModel, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 6, false, 0, 2), pop(4, 5, 0),
		}},
		"dry beside a push that may be half done": {model: totalModel, excuse: true, ok: true, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 6, false, 0, 2), pop(4, 5, 0),
		}},
		"dry after the pushes": {model: totalModel, excuse: true, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 4, false, 0, 2), pop(5, 6, 0),
		}},
		"rest over an entry": {model: totalModel, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), push(3, 4, false, 0, 2), pop(5, 6, 1), other(7, 8, "idle", true),
		}},
		"resting while active": {model: totalModel, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), other(3, 4, "resting", true),
		}},
		"twice": {model: totalModel, history: []porcupine.Operation{
			push(1, 2, true, 0, 1), pop(3, 4, 1), pop(5, 6, 1),
		}},
		"between lanes there is no order": {model: laneModel, ok: true, history: []porcupine.Operation{
			push(1, 2, true, 1, 1), push(3, 4, false, 2, 2), pop(5, 6, 2), pop(7, 8, 1),
		}},
		"in a lane there is": {model: laneModel, history: []porcupine.Operation{
			push(1, 2, true, 1, 1), push(3, 4, false, 1, 2), pop(5, 6, 2), pop(7, 8, 1),
		}},
		"before its push": {model: laneModel, history: []porcupine.Operation{pop(1, 2, 1), push(3, 4, true, 1, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.excuse {
				excuse(c.history)
			}
			require.Equal(t, c.ok, porcupine.CheckOperations(c.model, c.history))
		})
	}
}
