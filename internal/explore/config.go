package explore

import (
	"fmt"
	"time"
)

// Mode is a way to enumerate schedules.
type Mode int

const (
	// DPOR enumerates at least one schedule of each class of schedules that differ only in the order of independent operations
	// (source sets with sleep sets). Complete, and by far the cheapest complete mode. The default.
	DPOR Mode = iota
	// DFS enumerates all schedules with at most Config.Preemptions preemptions, without any reduction. Most bugs need no more
	// than two; with Unbounded it is complete, and hopeless beyond a dozen steps.
	DFS
	// Random picks uniformly among the enabled threads at every step, in Config.Executions executions.
	Random
	// PCT gives threads random priorities and lowers them at Config.Depth−1 random steps; a bug that needs depth ordering
	// constraints is found with a known probability. Config.Executions executions.
	PCT
)

// Unbounded, as Config.Preemptions, lifts the bound of the mode DFS.
const Unbounded = -1

// String names the mode as the result table does.
func (m Mode) String() string {
	switch m {
	case DPOR:
		return "dpor"
	case DFS:
		return "dfs"
	case Random:
		return "random"
	case PCT:
		return "pct"
	}
	return fmt.Sprintf("mode(%d)", int(m))
}

// Config says how to explore. The zero value explores exhaustively, within generous limits that fail the test when they are hit.
type Config struct {
	// Name identifies the exploration in the result table; the default is the name of the test. Set it where one test runs
	// several explorations.
	Name string

	Mode Mode
	// Preemptions bounds the mode DFS: how often a thread may be stopped although it could go on. Zero is a bound like any other.
	Preemptions int
	// Depth of the mode PCT; the default is 3.
	Depth int
	// Seed of the modes Random and PCT. Equal seeds give equal schedules.
	Seed uint64

	// Executions limits the number of executions. The default is 50 million for the enumerating modes and 10 000 for the sampling
	// ones, where it is the number wanted rather than a limit.
	Executions int
	// Steps limits one execution; the default is 5000, the most 60 000. An execution that needs more has failed: it spins without
	// yielding, or threads keep each other busy for ever.
	Steps int
	// Time limits the exploration; the default is 2 minutes.
	Time time.Duration
	// Budget says that Executions and Time are a budget to spend: an enumeration that they cut short is reported as not exhausted
	// but does not fail the test. Without it, it does.
	Budget bool
	// Await makes the enumerating modes cheaper for code that spins: a thread that yields right after a read (a load, or a swap
	// that failed) is not woken by a change of what it read, for there is another execution in which it reads after the change and
	// does not yield at all. That holds for loops which only read until they succeed, as those around locks do; it is wrong for a
	// loop that writes something before each fruitless look, or counts them.
	Await bool
	// ShrinkTime bounds the search for a shorter schedule after a failure; the default is a second, a negative value skips it.
	ShrinkTime time.Duration
}

// Result is what an exploration found out.
type Result struct {
	Name string
	// Mode is the mode with its parameters, such as "dpor", "dfs(3)" or "replay".
	Mode string
	// Executions that were run, and of these how many were cut short because a sleep set showed them to be redundant.
	Executions, Redundant int
	// Steps over all executions.
	Steps int
	// Exhausted is true if every schedule that the mode promises was run: all of them for DPOR and unbounded DFS, all within the
	// bound for DFS. Never for the sampling modes, a failed exploration or one that hit a limit.
	Exhausted bool
	// Limit names the limit that cut the exploration short, or is empty.
	Limit    string
	Duration time.Duration
	// Failure is nil if nothing was found.
	Failure *Failure
}

// Failure is one execution that went wrong.
type Failure struct {
	// Kind is one of "assertion", "panic", "deadlock", "livelock", "steps", "nondeterminism", "uninstrumented", "misuse", "replay".
	Kind string
	// Message says what was wrong, without the schedule.
	Message string
	// Stack of a panic or assertion, where there is one.
	Stack string
	// Schedule replays the execution: see the environment variable EXPLORE_REPLAY.
	Schedule string
	// Steps and Preemptions of that schedule.
	Steps, Preemptions int
	// Trace is the schedule as a table of steps.
	Trace string
}

// String is the report that a failed test prints.
func (f *Failure) String() string {
	s := fmt.Sprintf("%s: %s\n", f.Kind, f.Message)
	if f.Trace != "" {
		s += fmt.Sprintf("\n%d steps, %d preemptions:\n\n%s", f.Steps, f.Preemptions, f.Trace)
	}
	if f.Stack != "" {
		s += "\n" + f.Stack
	}
	if f.Schedule != "" {
		s += fmt.Sprintf("\nto replay: EXPLORE_REPLAY='%s'\n", f.Schedule)
	}
	return s
}

func (c Config) withDefaults() Config {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	if c.Mode == Random || c.Mode == PCT {
		def(&c.Executions, 10_000)
	}
	def(&c.Executions, 50_000_000)
	def(&c.Steps, 5000)
	def(&c.Depth, 3)
	if c.Time == 0 {
		c.Time = 2 * time.Minute
	}
	if c.ShrinkTime == 0 {
		c.ShrinkTime = time.Second
	}
	if c.Steps < 0 || c.Steps > 60_000 || c.Executions < 0 || c.Depth < 1 {
		panic("taskwork: explore: a limit in Config is out of range")
	}
	return c
}
