package sched

import "fmt"

// decide is called when thread t has announced an operation or ended. It leaves the thread that runs next in x.next.
func (x *Exec) decide(t *Thread) *Thread {
	if x.busy >= 0 {
		x.finish()
	}
	x.next = nil
	if x.aborting {
		return nil
	}
	if t != nil && t.status == live {
		x.lookup(t)
	}
	if x.begun < x.norder {
		x.next = x.order[x.begun]
		x.next.status = live
		x.next.told = false
		x.begun++
		return x.next
	}
	enabled, left := x.enabled()
	if enabled == 0 {
		switch {
		case left && x.fruitless():
			x.aborting, x.cut = true, true
		case left:
			x.report(x.stuck())
		}
		return nil
	}
	if x.steps >= x.maxSteps {
		x.report(Failure{Kind: "steps", Message: fmt.Sprintf("no end after %d steps: a thread spins without yielding, "+
			"or threads keep each other busy for ever", x.steps)})
		return nil
	}
	id := x.strategy.Pick(x, enabled, x.prev)
	if id < 0 || x.aborting {
		x.aborting = true
		return nil
	}
	x.grant(x.threads[id])
	return x.next
}

func (x *Exec) enabled() (set uint32, left bool) {
	for _, t := range x.order[:x.norder] {
		if t.status != live {
			continue
		}
		left = true
		if x.ready(t) {
			set |= 1 << t.id
		}
	}
	return set, left
}

func (x *Exec) ready(t *Thread) bool {
	if t.op == Yield {
		if len(t.reads) == 0 {
			return true
		}
		for _, r := range t.reads {
			if x.objs[r.obj].version != r.version && x.wakes(t, r.obj) {
				return true
			}
		}
		return false
	}
	if !t.op.waits() {
		return true
	}
	for _, w := range t.waits[:t.nwait] {
		if w >= 0 && x.objs[w].open {
			return true
		}
	}
	return false
}

// grant makes t the thread that runs next.
func (x *Exec) grant(t *Thread) {
	e := x.slot()
	e.Thread, e.Seq, e.Op = t.id, t.seq, t.op
	x.busy = x.n - 1
	x.steps++
	x.prev = t.id
	x.next = t
	if x.tracing {
		t.place = append([]uintptr(nil), t.pcs[:t.npcs]...)
	}
}

// slot returns the next event, with its old contents.
func (x *Exec) slot() *Event {
	if x.n == len(x.events) {
		x.events = append(x.events, Event{})
	}
	x.n++
	return &x.events[x.n-1]
}

// lookup numbers the objects of t's announcement.
func (x *Exec) lookup(t *Thread) {
	if t.told {
		return
	}
	t.told = true
	t.nwait = t.naddr
	for i := range t.nwait {
		if t.addrs[i] == nil {
			t.waits[i] = -1
			continue
		}
		t.waits[i] = x.object(t.addrs[i], t.opens[i])
	}
	t.obj = t.waits[0]
}

func (x *Exec) object(addr any, open bool) int32 {
	if i, ok := x.index[addr]; ok {
		return i
	}
	i := int32(len(x.objs))
	x.objs = append(x.objs, object{addr: addr, open: open, initial: open, last: -1})
	x.index[addr] = i
	return i
}
