package sched

// finish completes the event under way by what its operation turned out to do.
func (x *Exec) finish() {
	i := x.busy
	x.busy = -1
	e := &x.events[i]
	t := x.threads[e.Thread]
	t.local++
	e.Local, e.Base = t.local, t.base
	t.base = int32(i)
	e.Accesses = e.Accesses[:0]
	switch {
	case e.Op == Yield:
		for _, r := range t.reads {
			if !x.wakes(t, r.obj) {
				continue
			}
			x.access(e, i, r.obj, Read, false, x.objs[r.obj].open)
			e.Accesses[len(e.Accesses)-1].Since = r.since
		}
		t.reads = t.reads[:0]
		t.spun.obj = -1
	case e.Op == ParkUntil:
		for k, w := range t.waits[:t.nwait] {
			switch {
			case w < 0:
			case k == 0 && t.taken == 0:
				x.access(e, i, w, Write, true, false)
			default:
				x.access(e, i, w, Read, false, x.objs[w].open)
			}
		}
	default:
		t.spun.obj = -1
		if e.Op.reads() && t.effect == Read {
			t.spun = read{t.obj, int32(i), x.objs[t.obj].version}
		}
		if e.Op.reads() {
			t.learn(t.obj, int32(i), x.objs[t.obj].version)
		}
		x.access(e, i, t.obj, t.effect, t.changed, t.open)
	}
	if x.tracing {
		x.record(t, i)
	}
	x.strategy.Completed(x, i)
}

func (x *Exec) access(e *Event, i int, obj int32, effect Effect, changed, open bool) {
	o := &x.objs[obj]
	e.Accesses = append(e.Accesses, Access{Obj: obj, Effect: effect, Changed: changed, Open: open, Prev: o.last})
	o.last = int32(i)
	o.open = open
	if changed {
		o.version++
	}
}

// fruitless tells whether some thread that waits in a yield was left behind by Await although what it read has changed.
func (x *Exec) fruitless() bool {
	for _, t := range x.order[:x.norder] {
		if x.await && t.status == live && t.op == Yield && t.spun.obj >= 0 && x.objs[t.spun.obj].version != t.spun.version {
			return true
		}
	}
	return false
}

// wakes tells whether a change of the object ends the yield that t has announced, or is in.
func (x *Exec) wakes(t *Thread, obj int32) bool {
	return !x.await || obj != t.spun.obj
}

// learn notes what a later yield waits to see changed. The first look counts: what the thread did may rest on it, and it would
// do something else now if the value has changed since, even by itself.
func (t *Thread) learn(obj, event int32, version uint32) {
	for i := range t.reads {
		if t.reads[i].obj == obj {
			return
		}
	}
	t.reads = append(t.reads, read{obj, event, version})
}

// Len is the number of events so far.
func (x *Exec) Len() int { return x.n }

// Steps is the number of operations so far.
func (x *Exec) Steps() int { return x.steps }

// Event returns the event at index i.
func (x *Exec) Event(i int) *Event { return &x.events[i] }

// Initial tells whether the object could be waited through before the first event.
func (x *Exec) Initial(obj int32) bool { return x.objs[obj].initial }

// Seq returns the thread's rank in this execution.
func (x *Exec) Seq(id int) int { return x.threads[id].seq }

// Ranked returns the stable number of the thread that was created as number seq of this execution, or −1.
func (x *Exec) Ranked(seq int) int {
	if seq >= x.norder {
		return -1
	}
	return x.order[seq].id
}

// Yielding tells whether thread id has announced a yield.
func (x *Exec) Yielding(id int) bool { return x.threads[id].op == Yield }

// Affects tells whether event e changes what thread id, which is not the event's, has announced: its outcome, or whether it is
// enabled. If readonly, the announced operation is known to be a Read.
func (x *Exec) Affects(e *Event, id int, readonly bool) bool {
	t := x.threads[id]
	for i := range e.Accesses {
		a := &e.Accesses[i]
		switch {
		case t.op == Yield:
			for _, r := range t.reads {
				if r.obj == a.Obj && Dependent(a.Effect, Read) && x.wakes(t, r.obj) {
					return true
				}
			}
		case t.op.waits():
			for k, w := range t.waits[:t.nwait] {
				if w == a.Obj && (k == 0 || Dependent(a.Effect, Read)) {
					return true
				}
			}
		case t.obj == a.Obj:
			effect := Write
			switch {
			case readonly:
				effect = Read
			case t.op == Load || t.op == Passed || t.op == Done || t.op == Err:
				effect = Read
			case t.op == Unpark:
				effect = Set
			}
			if Dependent(a.Effect, effect) {
				return true
			}
		}
	}
	return false
}
