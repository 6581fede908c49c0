package sched

import (
	"fmt"
	"runtime"
)

// Go starts a thread: see explore.M.
//
//go:norace
func (x *Exec) Go(name string, fn func()) {
	if x.aborting {
		return
	}
	parent, rank := 0, &x.roots
	if t := current; t != nil {
		parent, rank = t.id+1, &t.children
	} else if !passive || x.begun > 0 {
		panic("taskwork: explore: a thread is started outside of the body and the threads")
	}
	if *rank == MaxThreads || x.norder == MaxThreads || x.kids[parent][*rank] == nil && x.nthreads == MaxThreads {
		panic("taskwork: explore: more than 32 threads")
	}
	t := x.kids[parent][*rank]
	if t == nil {
		t = &Thread{x: x, id: x.nthreads}
		x.threads[x.nthreads] = t
		x.nthreads++
		x.kids[parent][*rank] = t
	}
	*rank++
	t.name, t.fn, t.seq, t.status = name, fn, x.norder, born
	t.base, t.local, t.children, t.escape = -1, 0, 0, 0
	t.asking, t.told, t.op = false, false, 0
	t.reads = t.reads[:0]
	t.spun.obj = -1
	if current != nil {
		t.base = current.base
		if x.busy >= 0 {
			t.base = int32(x.busy)
		}
	}
	raceRelease(&t.token)
	x.order[x.norder] = t
	x.norder++
}

// Choose returns each number below n in some execution.
//
//go:norace
func (x *Exec) Choose(n int) int {
	if n <= 0 {
		panic("taskwork: explore: Choose of nothing")
	}
	t := current
	switch {
	case x.aborting || n == 1:
		return 0
	case t == nil || !raceEnabled:
		return x.choose(t, n)
	}
	t.choice, t.asking = n, true
	t.worker.pause()
	return t.choice
}

func (x *Exec) choose(t *Thread, n int) int {
	e := x.slot()
	e.Thread, e.Seq = -1, -1
	if t != nil {
		e.Thread, e.Seq = t.id, t.seq
	}
	e.Op, e.N, e.Accesses = Choice, n, e.Accesses[:0]
	x.n--
	e.Value = x.strategy.Choose(x, n)
	x.n++
	if x.tracing {
		x.rows = append(x.rows, row{event: x.n - 1, thread: e.Seq, what: fmt.Sprintf("choose %d of 0…%d", e.Value, n-1)})
	}
	return e.Value
}

// Choose lets code without an Exec at hand choose; outside of a thread it is zero.
//
//go:norace
func Choose(n int) int {
	if t := current; t != nil {
		return t.x.Choose(n)
	}
	return 0
}

// Fail ends the execution as failed and does not return, unless the execution is being unwound already.
//
//go:norace
func (x *Exec) Fail(kind, message string) {
	if x.aborting {
		return
	}
	x.report(Failure{Kind: kind, Message: message})
	if current != nil {
		raceAcquire(&x.token)
		runtime.Goexit()
	}
	panic(failed{})
}

// Final registers a final check.
func (x *Exec) Final(fn func()) {
	if current != nil {
		panic("taskwork: explore: Final is for the body")
	}
	x.final = append(x.final, fn)
}

// Blocked registers a description for reports of deadlock.
func (x *Exec) Blocked(fn func() string) {
	if current != nil {
		panic("taskwork: explore: Blocked is for the body")
	}
	x.blocked = append(x.blocked, fn)
}

// Step is the number of operations so far.
//
//go:norace
func (x *Exec) Step() int { return x.steps }

// Tick is an operation that depends on all its like.
//
//go:norace
func (x *Exec) Tick() int {
	if t := Enter(&x.ticks, Tick); t != nil {
		t.Values(x.ticks, x.ticks+1)
		t.Leave(Write, true)
	}
	x.ticks++
	return x.ticks
}

// stuck describes an execution in which no thread is enabled but some are left.
func (x *Exec) stuck() Failure {
	kind, text := "livelock", "every thread that is left yields for ever"
	list := ""
	for _, t := range x.order[:x.norder] {
		if t.status != live {
			continue
		}
		what := ""
		if t.op != Yield {
			kind, text = "deadlock", "no thread can go on"
			what = " on"
			for _, w := range t.waits[:t.nwait] {
				if w >= 0 {
					what += " " + x.label(x.objs[w].addr)
				}
			}
		}
		list += fmt.Sprintf("\n\t%s waits in %s%s", t.name, t.op, what)
		if x.tracing {
			list += " at " + t.where()
		}
	}
	passive = true
	held := current
	current = nil
	for _, f := range x.blocked {
		list += "\n\t" + f()
	}
	current, passive = held, false
	return Failure{Kind: kind, Message: text + list}
}

// format is fmt.Sprintf, in a function of its own because deferred functions on the threads' side must not be instrumented.
func format(f string, args ...any) string { return fmt.Sprintf(f, args...) }
