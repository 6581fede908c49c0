package explore

import (
	"math/bits"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// clock is a vector clock: by thread, the number of its events that happened before or are.
type clock [sched.MaxThreads]uint16

func (c *clock) join(d *clock) {
	for i, v := range d {
		c[i] = max(c[i], v)
	}
}

// node is one event of the current execution and what is known about the state before it.
type node struct {
	// The event: thread, its local number, its vector clock. A choice has no thread and no clock.
	thread int8
	local  uint16
	clock  clock
	// signature of the event, for the check that the body is deterministic.
	signature uint64
	// value and n of a choice.
	value, n int
	// enabled threads; those to explore from here; those explored; those that need not be, since what they do next was explored
	// from an earlier state and nothing since then depends on it.
	enabled, backtrack, done, sleep uint32
	// of sleep and done: the threads whose next operation is known to be a Read.
	readonly uint32
}

// dpor explores by source sets and sleep sets (Abdulla, Aronsson, Jonsson, Sagonas: Optimal dynamic partial order reduction).
//
// An execution is run to its end. For every event e' it is asked which earlier events e it races with: dependent, by another
// thread, and not ordered by anything in between. What happened after e but not because of it, followed by e', is another
// future of the state before e; one of the threads that can begin it must be explored from there:
//
//	… ─── e ─── a ─── b ─── e'        b happened after e, a did not
//	  └── a ─── e'                    a may begin; e' too, if it does not depend on a
//
// Three things go beyond the paper. A thread that waits (for a lock, a token, or in a yield) is not enabled before an event
// that ends its wait, so e' may not be possible before e; then the next earlier event is asked (open). A choice is an event of
// nobody, and all its values are explored. And effects need not be known in advance: a compare-and-swap is what it turned out
// to be when it was performed, a read if it failed.
type dpor struct {
	nodes []node
	// kept is the number of nodes that the next execution repeats; events from fresh on are to be examined for races. They differ
	// where an event is repeated but may turn out differently, because a choice in it has changed.
	kept, fresh int
	redundant   int
	cut         bool // this execution was
	diverged    bool
	races       []int32
}

func (d *dpor) begin() {
	d.cut = false
}

// Pick follows the nodes that are kept, then prefers the thread that ran last.
func (d *dpor) Pick(x *sched.Exec, enabled uint32, prev int) int {
	i := x.Len()
	if i < d.kept {
		n := &d.nodes[i]
		if n.n > 0 || n.enabled != enabled {
			d.diverged = true
			return -1
		}
		return int(n.thread)
	}
	n := d.push(i)
	n.enabled = enabled
	n.sleep, n.readonly = d.asleep(x, i)
	free := enabled &^ n.sleep
	if free == 0 {
		d.nodes = d.nodes[:i]
		d.cut = true
		return -1
	}
	t := bits.TrailingZeros32(free)
	if prev >= 0 && free&(1<<prev) != 0 {
		t = prev
	}
	n.thread = int8(t)
	n.backtrack = 1 << t
	return t
}

func (d *dpor) push(i int) *node {
	if i < cap(d.nodes) {
		d.nodes = d.nodes[:i+1]
	} else {
		d.nodes = append(d.nodes[:i], node{})
	}
	n := &d.nodes[i]
	n.n, n.value, n.done, n.backtrack, n.sleep, n.readonly, n.signature = 0, 0, 0, 0, 0, 0, 0
	return n
}

// asleep computes the sleep set after the last event: who was asleep or done before it, and is not affected by it.
func (d *dpor) asleep(x *sched.Exec, i int) (sleep, readonly uint32) {
	for i--; i >= 0 && d.nodes[i].n > 0; i-- {
	}
	if i < 0 {
		return 0, 0
	}
	n := &d.nodes[i]
	e := x.Event(i)
	for set := (n.sleep | n.done) &^ (1 << n.thread); set != 0; set &= set - 1 {
		t := bits.TrailingZeros32(set)
		ro := n.readonly&(1<<t) != 0
		if !x.Affects(e, t, ro) {
			sleep |= 1 << t
			if ro {
				readonly |= 1 << t
			}
		}
	}
	return sleep, readonly
}

// Choose takes all values in turn.
func (d *dpor) Choose(x *sched.Exec, n int) int {
	i := x.Len()
	if i < d.kept {
		if d.nodes[i].n != n {
			d.diverged = true
			return 0
		}
		return d.nodes[i].value
	}
	m := d.push(i)
	m.n, m.thread = n, -1
	return 0
}

// Completed computes the event's clock and looks for races, unless that was done in an earlier execution.
func (d *dpor) Completed(x *sched.Exec, i int) {
	e := x.Event(i)
	n := &d.nodes[i]
	sig := signature(e)
	if i < d.fresh {
		if sig != n.signature {
			d.diverged = true
		}
		return
	}
	n.signature = sig
	n.local = e.Local
	pre := clock{}
	if e.Base >= 0 {
		pre = d.nodes[e.Base].clock
	}
	n.clock = pre
	n.clock[n.thread] = n.local
	d.races = d.races[:0]
	for k := range e.Accesses {
		d.look(x, e, &e.Accesses[k], n, &pre)
	}
	if len(e.Accesses) == 1 && e.Accesses[0].Effect == sched.Read {
		n.readonly |= 1 << n.thread
	} else {
		n.readonly &^= 1 << n.thread
	}
	for k, r := range d.races {
		if !d.shadowed(int(r), k) {
			d.reverse(x, int(r), i, &pre)
		}
	}
}

// end prepares the next execution; it returns false if there is none.
func (d *dpor) end() bool {
	if d.cut {
		d.redundant++
	}
	for i := len(d.nodes) - 1; i >= 0; i-- {
		n := &d.nodes[i]
		if n.n > 0 {
			if n.value++; n.value < n.n {
				d.keep(i)
				return true
			}
			continue
		}
		n.done |= 1 << n.thread
		if next := n.backtrack &^ n.done &^ n.sleep; next != 0 {
			n.thread = int8(bits.TrailingZeros32(next))
			d.keep(i)
			d.fresh = i
			return true
		}
	}
	return false
}

func (d *dpor) keep(i int) {
	d.nodes = d.nodes[:i+1]
	d.kept, d.fresh = i+1, i
	for d.fresh > 0 && d.nodes[d.fresh].n > 0 {
		d.fresh--
	}
}

func signature(e *sched.Event) uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) { h = (h ^ v) * 1099511628211 }
	mix(uint64(e.Thread))
	mix(uint64(e.Op))
	for i := range e.Accesses {
		a := &e.Accesses[i]
		mix(uint64(a.Obj)<<8 | uint64(a.Effect))
	}
	return h
}
