package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/taskwork/taskwork"
)

// Model compares the queue with a slice and a flag, through random sequences of calls. Each sequence is one goroutine's, so
// every answer is determined, and the order is one producer's.
var Model = sequential("Model", func(s *scene) {
	for seed := range s.Seeds {
		m := &model{
			scene: s, q: s.queue(), rng: rand.New(rand.NewPCG(uint64(seed), 1)), seed: seed,
			inUse: map[int]*taskwork.Node[int]{},
		}
		m.nq, _ = m.q.(taskwork.NodeQueue[int])
		for range 60 {
			m.step()
		}
		m.finish()
	}
})

// model is one sequence, and the state that the queue must be in.
type model struct {
	*scene
	q    taskwork.Queue[int]
	nq   taskwork.NodeQueue[int] // nil if q takes no nodes
	rng  *rand.Rand
	seed int

	queued []int // oldest first
	active bool
	last   int // the value pushed last; they count up from 1
	free   []*taskwork.Node[int]
	inUse  map[int]*taskwork.Node[int] // by value, from push to pop
	log    []call
}

// call is a call that was made, for the explanation of a breach.
type call struct {
	what string
	n    int // argument or result
	ok   bool
}

func (c call) String() string { return fmt.Sprintf("%s %d %t", c.what, c.n, c.ok) }

// breach fails the check with the calls that led here.
func (m *model) breach(clause, format string, args ...any) {
	m.fail(clause, "%s\n\tseed %d, after %v\n\tthe model is active: %t, and has queued: %v",
		fmt.Sprintf(format, args...), m.seed, m.log[max(0, len(m.log)-30):], m.active, m.queued)
}

func (m *model) note(what string, n int, ok bool) {
	m.log = append(m.log, call{what, n, ok})
}

// pushed notes what a push of n new values has reported, which must be what the state demands.
func (m *model) pushed(wake bool, n int, what string) {
	m.note(what, n, wake)
	expected := n > 0 && !m.active
	for range n {
		m.last++
		m.queued = append(m.queued, m.last)
		m.active = true
	}
	if wake != expected {
		clause := Wake
		if n == 0 {
			clause = Slices
			if what == "PushChain" {
				clause = Chains
			}
		}
		m.breach(clause, "%s of %d values reported wake == %t", what, n, wake)
	}
}

// node returns a free node with the value that comes i-th from now, often one that was in the queue before.
func (m *model) node(i int) *taskwork.Node[int] {
	var n *taskwork.Node[int]
	if len(m.free) > 0 && m.rng.IntN(4) > 0 {
		at := m.rng.IntN(len(m.free))
		n = m.free[at]
		m.free = slices.Delete(m.free, at, at+1)
	} else {
		n = new(taskwork.Node[int])
	}
	n.Value = m.last + i
	m.inUse[n.Value] = n
	return n
}

// popped notes what a Pop has given.
func (m *model) popped(v int, ok bool) {
	m.note("Pop", v, ok)
	switch {
	case !ok && len(m.queued) > 0:
		m.breach(PopFalse, "Pop found nothing")
	case !ok:
		if v != 0 {
			m.breach(PopFalse, "Pop found nothing, but returned a value with it: %d", v)
		}
		return
	case len(m.queued) == 0 || !slices.Contains(m.queued, v):
		m.breach(NoLostWork, "Pop handed out %d, which is not queued", v)
	case m.queued[0] != v:
		m.breach(Order, "Pop handed out %d before %d", v, m.queued[0])
	}
	m.queued = m.queued[1:]
	if n := m.inUse[v]; n != nil {
		delete(m.inUse, v)
		if n.Value != 0 {
			m.breach(Nodes, "Pop has left %d in the node's Value", n.Value)
		}
		m.free = append(m.free, n)
	}
}

// step makes one call and judges the answer.
func (m *model) step() {
	if m.rng.IntN(6) == 0 {
		resting := m.q.Resting()
		m.note("Resting", 0, resting)
		if resting == m.active {
			m.breach(Resting, "Resting is %t", resting)
		}
	}
	choice := m.rng.IntN(16)
	if m.nq == nil && (choice == 2 || choice == 3) {
		choice -= 2
	}
	switch choice {
	case 0:
		m.pushed(m.q.Push(m.last+1), 1, "Push")
	case 1:
		vs := make([]int, m.rng.IntN(6))
		for i := range vs {
			vs[i] = m.last + 1 + i
		}
		wake := m.q.PushAll(vs)
		clear(vs)
		m.pushed(wake, len(vs), "PushAll")
	case 2:
		m.pushed(m.nq.PushNode(m.node(1)), 1, "PushNode")
	case 3:
		var c taskwork.Chain[int]
		n := m.rng.IntN(6)
		for i := range n {
			c.Append(m.node(i + 1))
		}
		m.pushed(m.nq.PushChain(&c), n, "PushChain")
		if c.Len() != 0 {
			m.breach(Chains, "PushChain has left %d nodes in the chain", c.Len())
		}
	case 4:
		m.run()
	case 5:
		m.drain()
	case 6, 7, 8:
		empty := m.q.Empty()
		m.note("Empty", 0, empty)
		if empty != (len(m.queued) == 0) {
			m.breach(Empty, "Empty is %t", empty)
		}
	case 9, 10:
		m.idle()
	default:
		if !m.active && m.rng.IntN(4) > 0 {
			return // at rest, a Pop now and then is enough
		}
		m.popped(m.q.Pop())
	}
}

// idle calls Idle, which must panic at rest.
func (m *model) idle() {
	if !m.active {
		m.note("Idle at rest", 0, false)
		panicked, _ := m.apart(func() { m.q.Idle() })
		if panicked == nil {
			m.breach(AtRest, "Idle at rest did not panic")
		}
		return
	}
	idle := m.q.Idle()
	m.note("Idle", 0, idle)
	if idle != (len(m.queued) == 0) {
		m.breach(Idle, "Idle returned %t", idle)
	}
	m.active = !idle
}

// run is a capped Run, whose handler pushes now and then. It stops handing out if the queue does not.
func (m *model) run() {
	if !m.active {
		return
	}
	budget := m.rng.IntN(6)
	m.note("Run", budget, true)
	handed := 0
	st := taskwork.Run(m.q, budget, func(v int) {
		handed++
		m.popped(v, true)
		if m.rng.IntN(5) == 0 {
			m.pushed(m.q.Push(m.last+1), 1, "Push inside the handler")
		}
	})
	more := len(m.queued) > 0
	m.active = more
	if st.Count != handed || st.More != more || (budget > 0 && handed > budget) || (budget == 0 && more) {
		m.breach(Capped, "Run(%d) handed out %d and returned %+v", budget, handed, st)
	}
}

// drain is a loop over Drain that is left somewhere.
func (m *model) drain() {
	if !m.active {
		return
	}
	left := m.rng.IntN(6)
	m.note("Drain", left, true)
	for v := range taskwork.Drain(m.q) {
		m.popped(v, true)
		if left--; left < 0 {
			return
		}
	}
	if len(m.queued) > 0 {
		m.breach(Idle, "Drain ended with entries queued")
	}
	m.active = false
}

// finish takes out the rest.
func (m *model) finish() {
	for len(m.queued) > 0 {
		m.popped(m.q.Pop())
	}
	if m.active {
		m.idle()
	}
	if !m.q.Resting() {
		m.breach(Resting, "Resting is false at the end")
	}
}
