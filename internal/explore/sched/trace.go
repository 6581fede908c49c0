package sched

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"text/tabwriter"
)

type name struct {
	ptr  any
	name string
}

type note struct {
	after, thread int
	text          string
}

type row struct {
	event    int
	thread   int
	pcs      []uintptr
	what     string
	obj      any
	old, new any
	op       Op
	effect   Effect
}

// Trace switches the recording of a trace on or off for the executions to come.
func (x *Exec) Trace(on bool) { x.tracing = on }

// Name gives the variable at ptr a name for traces.
//
//go:norace
func (x *Exec) Name(ptr any, text string) {
	if x.tracing && x.nnames < len(x.names) {
		x.names[x.nnames] = name{ptr, text}
		x.nnames++
	}
}

// Notef adds a line to the trace.
//
//go:norace
func (x *Exec) Notef(f string, args ...any) {
	if !x.tracing || x.nnotes == len(x.notes) {
		return
	}
	seq := -1
	if current != nil {
		seq = current.seq
	}
	x.notes[x.nnotes] = note{x.n - 1, seq, format(f, args...)}
	x.nnotes++
}

// record keeps what the trace shows of an event.
func (x *Exec) record(t *Thread, i int) {
	r := row{event: i, thread: t.seq, op: t.op, old: t.old, new: t.new, pcs: t.place}
	e := &x.events[i]
	r.op = e.Op
	r.what = e.Op.String()
	switch {
	case e.Op == Yield || len(e.Accesses) == 0:
	case e.Op == ParkUntil:
		r.obj = x.objs[e.Accesses[0].Obj].addr
		r.what += [...]string{": token", ": done", ": deadline"}[t.taken]
	default:
		r.obj = x.objs[e.Accesses[0].Obj].addr
		r.effect = e.Accesses[0].Effect
		if (e.Op == CAS || e.Op == TryLock) && r.effect == Read {
			r.what += " (failed)"
		}
	}
	x.rows = append(x.rows, r)
}

// Table prints the recorded trace.
func (x *Exec) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "step\tthread\twhere\toperation\tobject\tvalue")
	notes := x.notes[:x.nnotes]
	step := 0
	for _, r := range x.rows {
		for len(notes) > 0 && notes[0].after < r.event {
			fmt.Fprintf(w, "\t%s\t\t# %s\t\t\n", x.threadName(notes[0].thread), notes[0].text)
			notes = notes[1:]
		}
		if r.pcs != nil {
			step++
		}
		obj, value := "", ""
		if r.obj != nil {
			obj = x.label(r.obj)
		}
		if r.old != nil || r.new != nil {
			value = x.value(r.old)
			if r.effect != Read {
				value += " → " + x.value(r.new)
			}
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", step, x.threadName(r.thread), where(r.pcs), r.what, obj, value)
	}
	for _, n := range notes {
		fmt.Fprintf(w, "\t%s\t\t# %s\t\t\n", x.threadName(n.thread), n.text)
	}
	_ = w.Flush()
	return b.String()
}

func (x *Exec) threadName(seq int) string {
	if seq < 0 {
		return "(body)"
	}
	return x.order[seq].name
}

// label is an object's name: the one it was given, or its type and number.
func (x *Exec) label(addr any) string {
	if s := x.named(addr); s != "" {
		return s
	}
	if addr == any(&x.ticks) {
		return "tick"
	}
	s := fmt.Sprintf("%T", addr)
	switch addr.(type) {
	case chan struct{}:
		s = "parker"
	case <-chan struct{}:
		s = "done"
	}
	if i := strings.IndexByte(s, '['); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		s = s[i+1:]
	}
	return fmt.Sprintf("%s#%d", s, x.index[addr])
}

func (x *Exec) named(ptr any) string {
	for _, n := range x.names[:x.nnames] {
		if n.ptr == ptr {
			return n.name
		}
	}
	return ""
}

// value prints a value; pointers by name, or by the order in which they are printed first.
func (x *Exec) value(v any) string {
	if v == nil {
		return "nil"
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.UnsafePointer:
		if r.IsNil() {
			return "nil"
		}
		if s := x.named(v); s != "" {
			return s
		}
		for i := range x.nnames {
			if p := reflect.ValueOf(x.names[i].ptr); p.Kind() == reflect.Pointer && p.Pointer() == r.Pointer() {
				return x.names[i].name
			}
		}
		known := 0
		for _, n := range x.names[:x.nnames] {
			if strings.HasPrefix(n.name, "&") {
				known++
			}
		}
		s := fmt.Sprintf("&%d", known+1)
		if x.nnames < len(x.names) {
			x.names[x.nnames] = name{v, s}
			x.nnames++
		}
		return s
	}
	s := fmt.Sprintf("%v", v)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

func (t *Thread) where() string { return where(t.pcs[:t.npcs]) }

// machinery are the functions whose frames a trace does not show: twins, and the explorer's own operations.
var machinery = []string{
	"internal/explore/atomic.", "internal/explore/sync.", "internal/explore/runtime.", "internal/explore/park.",
	"internal/explore/spin.", "internal/explore/slab.", "internal/explore/sched.", "internal/explore.(*M).",
}

// where is the place in the program under test that performed an operation.
func where(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		inside := false
		for _, m := range machinery {
			inside = inside || strings.Contains(f.Function, m)
		}
		if !inside && f.File != "" {
			return fmt.Sprintf("%s%s:%d", within(f.Function), filepath.Base(f.File), f.Line)
		}
		if !more {
			return "explore"
		}
	}
}

// module is the module that the explorer is part of; places in it are printed relative to its root.
const module = "github.com/taskwork/taskwork"

// within is the directory of a function's package, from the module's root, with a slash at the end unless it is the root.
func within(function string) string {
	dir := strings.LastIndexByte(function, '/') + 1
	if i := strings.IndexByte(function[dir:], '.'); i >= 0 {
		function = function[:dir+i]
	}
	function = strings.TrimSuffix(function, "_test")
	if function == module {
		return ""
	}
	return strings.TrimPrefix(function, module+"/") + "/"
}
