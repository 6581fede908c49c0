package explore

import "github.com/taskwork/taskwork/internal/explore/sched"

// look walks back through the object's history: what event e depends on becomes part of its clock, what it races with is noted.
func (d *dpor) look(x *sched.Exec, e *sched.Event, a *sched.Access, n *node, pre *clock) {
	waits := e.Op.Waits()
	for j := a.Prev; j >= 0; {
		m := &d.nodes[j]
		b := x.Event(int(j)).On(a.Obj)
		at := j
		j = b.Prev
		if pre[m.thread] >= m.local { // ordered already, and with it all that a write is ordered after
			if b.Effect == sched.Write {
				return
			}
			continue
		}
		if !sched.Dependent(a.Effect, b.Effect) {
			continue
		}
		n.clock.join(&m.clock)
		if !waits || d.open(x, e, int(at)) {
			d.races = append(d.races, at)
		} else {
			continue
		}
		if b.Effect == sched.Write {
			return
		}
	}
}

// shadowed tells whether race k is ordered before another one: turning that one round comes first.
func (d *dpor) shadowed(r, k int) bool {
	n := &d.nodes[r]
	for l, s := range d.races {
		if l != k && int(s) != r && d.nodes[s].clock[n.thread] >= n.local {
			return true
		}
		if l < k && int(s) == r {
			return true
		}
	}
	return false
}

// after tells whether event j, which came later than i, happened because of it.
func (d *dpor) after(i, j int) bool {
	return d.nodes[j].clock[d.nodes[i].thread] >= d.nodes[i].local
}

// open tells whether the waiting operation e would be enabled before event r, with only what happened independently of r done.
func (d *dpor) open(x *sched.Exec, e *sched.Event, r int) bool {
	for k := range e.Accesses {
		a := &e.Accesses[k]
		open := x.Initial(a.Obj)
		for j := a.Prev; j >= 0; {
			b := x.Event(int(j)).On(a.Obj)
			if int(j) < r || int(j) != r && !d.after(r, int(j)) {
				if e.Op != sched.Yield {
					open = b.Open
					break
				}
				if b.Changed && j >= a.Since {
					return true
				}
			}
			j = b.Prev
		}
		if e.Op != sched.Yield && open {
			return true
		}
	}
	return false
}

// reverse makes sure that some future of the state before event r begins as one in which event i does not wait for it.
func (d *dpor) reverse(x *sched.Exec, r, i int, pre *clock) {
	var first clock
	var initial uint32
	for j := r + 1; j <= i; j++ {
		n := &d.nodes[j]
		if n.n > 0 || first[n.thread] != 0 || j < i && d.after(r, j) {
			continue
		}
		c := &n.clock
		if j == i {
			own := d.clockWithout(x, r, i, pre)
			c = &own
		}
		free := true
		for t := range first {
			if first[t] != 0 && c[t] >= first[t] {
				free = false
				break
			}
		}
		first[n.thread] = n.local
		if free {
			initial |= 1 << n.thread
		}
	}
	n := &d.nodes[r]
	if initial&(n.backtrack|n.sleep) != 0 {
		return
	}
	initial &= n.enabled
	switch q := uint32(1) << d.nodes[i].thread; {
	case initial&q != 0:
		n.backtrack |= q
	case initial != 0:
		n.backtrack |= initial & -initial
	default:
		n.backtrack |= n.enabled // does not happen as far as we know; sound if it does
		unexpected++
	}
}

// unexpected counts the races that could be reversed only by trying everything, for a test that there are none.
var unexpected int

// clockWithout is the clock of event i if event r and all that it caused had not happened yet.
func (d *dpor) clockWithout(x *sched.Exec, r, i int, pre *clock) clock {
	c := *pre
	e := x.Event(i)
	for k := range e.Accesses {
		a := &e.Accesses[k]
		for j := a.Prev; int(j) > r; {
			b := x.Event(int(j)).On(a.Obj)
			if sched.Dependent(a.Effect, b.Effect) && !d.after(r, int(j)) {
				c.join(&d.nodes[j].clock)
			}
			j = b.Prev
		}
	}
	return c
}
