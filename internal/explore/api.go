package explore

import (
	"context"
	"fmt"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// TB is the part of *testing.T that Run needs.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Run explores body and fails the test if anything is found, if a limit cut the exploration short without Config.Budget, or if
// the body performs no instrumented operation. It logs one line that cmd/explore collects into its table.
//
// With EXPLORE_REPLAY set it runs just that schedule and logs its table. One exploration runs at a time in a process, and no
// other goroutine may use instrumented code meanwhile: do not call it from parallel tests.
func Run(t TB, cfg Config, body func(m *M)) Result {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name = t.Name()
	}
	res := Check(cfg, body)
	t.Logf("%s", res.line())
	switch {
	case res.Failure != nil:
		t.Fatalf("explore: %s failed in execution %d of mode %s\n%s", res.Name, res.Executions, res.Mode, res.Failure)
	case res.Limit != "" && !cfg.Budget:
		t.Fatalf("explore: %s is not exhausted: stopped by its limit of %s after %d executions; "+
			"raise the limit, or set Config.Budget if a part is what you want", res.Name, res.Limit, res.Executions)
	}
	return res
}

// M is one exploration as its body and its threads see it. It is valid for the execution that it was handed to.
type M struct {
	x *sched.Exec
}

// Go starts a thread. The body's threads start when the body returns, in order; those of a thread at that thread's next
// operation. At most 32 threads may exist in an exploration, clocks and events included.
func (m *M) Go(name string, fn func()) {
	m.x.Go(name, fn)
}

// Event starts a thread that happens at any moment or not at all: both are explored.
func (m *M) Event(name string, fn func()) {
	m.x.Go(name, func() {
		if m.x.Choose(2) == 1 {
			fn()
		}
	})
}

// Choose returns each of 0 … n−1 in some executions: all of them are explored, at the price of as many explorations.
func (m *M) Choose(n int) int {
	return m.x.Choose(n)
}

// Name gives the variable at ptr (or the node that pointers point to) a name for traces.
func (m *M) Name(ptr any, name string) {
	m.x.Name(ptr, name)
}

// Assert ends the execution as failed unless cond is true.
func (m *M) Assert(cond bool, format string, args ...any) {
	if !cond {
		m.x.Fail("assertion", fmt.Sprintf(format, args...))
	}
}

// Fatalf ends the execution as failed. The calling thread does not return from it; its deferred functions run.
func (m *M) Fatalf(format string, args ...any) {
	m.x.Fail("assertion", fmt.Sprintf(format, args...))
}

// Final registers a check to run when all threads have ended. Checks run in order, outside of the schedule: they may use the
// code under test freely but must not wait.
func (m *M) Final(fn func()) {
	m.x.Final(fn)
}

// Blocked registers a description of the state for reports of deadlock, such as how many entries are still queued.
func (m *M) Blocked(fn func() string) {
	m.x.Blocked(fn)
}

// Notef adds a line to the trace, for what happens between operations. It costs nothing unless a failure is being printed.
func (m *M) Notef(format string, args ...any) {
	m.x.Notef(format, args...)
}

// Step numbers the moments of an execution: it grows with every operation that any thread performs. Two calls in different
// threads are ordered by it in this schedule only; see Tick.
func (m *M) Step() int {
	return m.x.Step()
}

// Tick is an instrumented operation that depends on every other Tick and returns their count: a clock for histories whose
// real-time order matters, at the price of exploring every order of the ticks.
func (m *M) Tick() int {
	return m.x.Tick()
}

// Context returns a context that is canceled by the function alone. Done, Err and cancel are instrumented operations, and the
// park twin's ParkUntil knows when Done is closed. Contexts from elsewhere must not be waited for in an exploration.
func (m *M) Context() (ctx context.Context, cancel func()) {
	return m.x.Context()
}
