package contract

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/taskwork/taskwork"
)

// consumer is the active consumer's memory, handed from one run to the next along with the duty. All of it is plain: where the
// queue fails to order two runs, the race detector sees that here.
type consumer struct {
	r   *round
	rng *rand.Rand

	// active is true from the start of a run to its Idle, apart from the goroutine's own look at itself; busy while a handler is
	// at work.
	active, busy bool

	count    int      // entries handed out
	next     []int    // by producer: the number that comes next; the last one is the handlers'
	seen     [][]bool // by producer and number; the last one grows
	got      []uint32 // by producer: how many of its entries were handed out
	disorder string   // the first entry that came out of order
	handed   []int    // all entries in the order in which they were handed out, in rounds with a clock
	moments  moments  // of the handlers' pushes
	echoes   int      // pushed by handlers
}

func newConsumer(r *round, rng *rand.Rand) *consumer {
	n := r.shape.Producers + 1
	c := &consumer{r: r, rng: rng, next: make([]int, n), seen: make([][]bool, n), got: make([]uint32, n)}
	for p := range r.shape.Producers {
		c.seen[p] = make([]bool, r.shape.Entries)
	}
	return c
}

// run begins a consumer's duty. It is a goroutine for each wake.
func (c *consumer) run() {
	if c.active || c.busy {
		c.r.fail(OneConsumer, "a push reported wake, and the run that it started met another one: in a handler: %t", c.busy)
		c.r.alive.Done()
		return
	}
	c.active = true
	c.serve()
}

// serve runs the consumer until the queue is at rest, or the duty has passed to another goroutine.
func (c *consumer) serve() {
	r := c.r
	rested := false
	defer r.alive.Done()
	defer func() {
		v := recover()
		switch {
		case rested:
			r.rests.Add(1)
		case r.stop.Load():
		case v == nil || v == any(errFault):
			// A handler's panic or Goexit, or a budget used up: still active. This goroutine may be ending, so another takes over.
			r.alive.Add(1)
			go c.serve()
		default:
			r.fail(OnlyMisuse, "a call of the active consumer panicked: %v\n\n%s", v, stacks())
		}
	}()
	for !r.stop.Load() {
		if s := r.cfg.Consume(view{r.q, c}, r.shape.Budget, c.handle); !s.More {
			// At rest: nothing of c may be touched any more.
			rested = true
			return
		}
		if r.shape.HandOver {
			return
		}
	}
}

// handle is the handler.
func (c *consumer) handle(v int) {
	r := c.r
	if c.busy {
		r.fail(OneConsumer, "two handlers overlap")
		runtime.Goexit()
	}
	c.busy = true
	c.note(v)
	r.jitter(c.rng)
	if r.shape.Echo {
		c.echo(v)
	}
	c.busy = false
	if p, _ := ofEntry(v); r.shape.Tempo == lockstep && p < r.shape.Producers {
		r.producers[p].acked.Store(c.got[p])
	}
	if r.shape.Faulty {
		switch c.rng.IntN(64) {
		case 0:
			panic(errFault)
		case 1:
			runtime.Goexit()
		}
	}
}

// note checks and notes one entry.
func (c *consumer) note(v int) {
	r := c.r
	p, seq := ofEntry(v)
	switch {
	case p < 0 || p > r.shape.Producers || seq < 0 || seq >= len(c.seen[p]):
		r.fail(NoLostWork, "a value was handed out that nobody has pushed: %#x", v)
		runtime.Goexit()
	case c.seen[p][seq]:
		r.fail(NoLostWork, "%s was handed out twice", entryName(p, seq))
		runtime.Goexit()
	case seq != c.next[p] && c.disorder == "":
		// Whether entries are missing or only late is seen at the end.
		c.disorder = fmt.Sprintf("%s was handed out in place of number %d", entryName(p, seq), c.next[p])
	}
	c.seen[p][seq] = true
	c.next[p] = seq + 1
	c.got[p]++
	c.count++
	if r.shape.Clock {
		c.handed = append(c.handed, v)
	}
	if c.count%32 == 0 {
		r.handled.Store(uint32(c.count))
	}
}

// echo pushes from inside the handler now and then: a new entry, or the very node that was handed out.
func (c *consumer) echo(v int) {
	r := c.r
	p, seq := ofEntry(v)
	if p == r.shape.Producers || c.rng.IntN(4) > 0 {
		return
	}
	e := entryOf(r.shape.Producers, c.echoes)
	c.echoes++
	c.seen[r.shape.Producers] = append(c.seen[r.shape.Producers], false)
	var wake bool
	if r.nq != nil && r.producers[p].byNode[seq] {
		n := &r.producers[p].nodes[seq]
		if n.Value != 0 {
			r.fail(Nodes, "%s has been handed out, and its node still has Value %#x", entryName(p, seq), n.Value)
			runtime.Goexit()
		}
		n.Value = e
		wake = r.push(&c.moments, 1, func() bool { return r.nq.PushNode(n) })
	} else {
		wake = r.push(&c.moments, 1, func() bool { return r.q.Push(e) })
	}
	switch {
	case wake:
		r.fail(Wake, "a push from inside the handler reported wake")
	case r.q.Empty():
		r.fail(Empty, "Empty is true, and the handler has just pushed an entry")
	case c.rng.IntN(4) == 0 && r.q.Idle():
		r.fail(Idle, "Idle returned true, and the handler has just pushed an entry")
	case r.q.Resting():
		r.fail(Resting, "Resting is true inside a handler")
	default:
		return
	}
	runtime.Goexit()
}

// view is the queue as the runs see it.
type view struct {
	taskwork.Queue[int]
	c *consumer
}

// Pop pops, and yields now and then when nothing comes.
func (v view) Pop() (int, bool) {
	v.leave()
	e, ok := v.Queue.Pop()
	if !ok {
		v.c.r.jitter(v.c.rng)
	}
	return e, ok
}

// Idle lets go of the consumer's memory before it lets go of the queue, and takes it back if that fails.
func (v view) Idle() bool {
	v.leave()
	c := v.c
	c.r.jitter(c.rng)
	c.r.handled.Store(uint32(c.count))
	c.active = false
	if v.Queue.Idle() {
		return true
	}
	c.active = true
	return false
}

// leave ends the goroutine if the round is over.
func (v view) leave() {
	if v.c.r.stop.Load() {
		runtime.Goexit()
	}
}
