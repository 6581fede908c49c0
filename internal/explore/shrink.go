package explore

import (
	"fmt"
	"time"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// explain turns what the machine found into a report: the shortest schedule that can be found, replayed with a trace.
func (c *checker) explain(f *sched.Failure) {
	out := &Failure{Kind: f.Kind, Message: f.Message, Stack: f.Stack}
	c.res.Failure = out
	if f.Kind == "nondeterminism" {
		return
	}
	out.Schedule = schedule(c.x)
	if c.cfg.ShrinkTime > 0 {
		if s := c.shorter(f.Kind); s != "" {
			out.Schedule = s
		}
	}
	c.trace(out)
}

// trace replays the failure's schedule and fills in the table. A schedule that does not fail again shows that the body is not
// deterministic.
func (c *checker) trace(out *Failure) {
	steps, err := parse(out.Schedule)
	if err != nil {
		*out = Failure{Kind: "replay", Message: err.Error()}
		return
	}
	r := &replay{steps: steps}
	c.x.Await(false)
	c.x.Trace(true)
	f := c.x.Run(r, c.body)
	c.x.Trace(false)
	switch {
	case r.problem != "":
		*out = Failure{Kind: "nondeterminism", Message: "the body is not deterministic: replaying the failure (" + out.Kind + ": " +
			out.Message + "), " + r.problem, Schedule: out.Schedule}
	case f == nil || f.Kind != out.Kind:
		*out = Failure{Kind: "nondeterminism", Message: "the body is not deterministic: the failure (" + out.Kind + ": " +
			out.Message + ") does not come back on replay", Schedule: out.Schedule}
	default:
		out.Message, out.Stack = f.Message, f.Stack
	}
	out.Steps, out.Preemptions = c.x.Steps(), r.preemptions
	out.Trace = c.x.Table()
}

// shorter looks for a schedule with the same kind of failure among those with no preemption, then with one, and so on; among
// those with the fewest preemptions that it has time for, it takes the one with the fewest steps.
func (c *checker) shorter(kind string) string {
	begin := time.Now()
	end := begin.Add(c.cfg.ShrinkTime)
	for bound := 0; bound < 8; bound++ {
		best, length := "", 0
		s := c.dfs(bound, "")
		for n := 0; ; n++ {
			f := c.x.Run(s, c.body)
			if f != nil && f.Kind == kind && (best == "" || c.x.Len() < length) {
				best, length = schedule(c.x), c.x.Len()
			}
			late := n%16 == 15 && time.Now().After(end)
			if s.diverged() || late || !s.end() {
				if best == "" && late {
					return ""
				}
				break
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// replayOnly runs one schedule, for a person who reads the table.
func (c *checker) replayOnly(s string) {
	c.res.Mode = "replay"
	steps, err := parse(s)
	if err != nil {
		c.res.Failure = &Failure{Kind: "replay", Message: err.Error()}
		return
	}
	r := &replay{steps: steps}
	c.x.Await(false)
	c.x.Trace(true)
	f := c.x.Run(r, c.body)
	c.x.Trace(false)
	c.res.Executions, c.res.Steps = 1, c.x.Steps()
	out := &Failure{Schedule: s, Steps: c.x.Steps(), Preemptions: r.preemptions, Trace: c.x.Table()}
	switch {
	case r.problem != "":
		out.Kind, out.Message = "replay", fmt.Sprintf("%s: this schedule is of another test or another version", r.problem)
	case f == nil:
		out.Kind, out.Message = "replay", "nothing went wrong in this schedule"
	default:
		out.Kind, out.Message, out.Stack = f.Kind, f.Message, f.Stack
	}
	c.res.Failure = out
}
