package explore

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// A schedule string is a list of steps, separated by dots: p2 is a step of the third thread to be started, p2*5 is five steps of
// it, c1 is the value 1 of a choice.

// step is one element of a schedule: a thread by rank, or a choice.
type step struct {
	choice bool
	value  int
}

// schedule is the string that replays the execution that x has just run.
func schedule(x *sched.Exec) string {
	var parts []string
	for i := 0; i < x.Len(); {
		e := x.Event(i)
		if e.Op == sched.Choice {
			parts = append(parts, fmt.Sprintf("c%d", e.Value))
			i++
			continue
		}
		run := 1
		for i+run < x.Len() && x.Event(i+run).Seq == e.Seq && x.Event(i+run).Op != sched.Choice {
			run++
		}
		s := fmt.Sprintf("p%d", e.Seq)
		if run > 1 {
			s += fmt.Sprintf("*%d", run)
		}
		parts = append(parts, s)
		i += run
	}
	return strings.Join(parts, ".")
}

func parse(s string) ([]step, error) {
	var steps []step
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ".") {
		head, times, repeated := strings.Cut(part, "*")
		n := 1
		if repeated {
			k, err := strconv.Atoi(times)
			if err != nil || k < 1 || k > 100_000 {
				return nil, fmt.Errorf("schedule: %q is not a step", part)
			}
			n = k
		}
		if head == "" || head[0] != 'p' && head[0] != 'c' {
			return nil, fmt.Errorf("schedule: %q is not a step", part)
		}
		v, err := strconv.Atoi(head[1:])
		if err != nil || v < 0 {
			return nil, fmt.Errorf("schedule: %q is not a step", part)
		}
		for range n {
			steps = append(steps, step{head[0] == 'c', v})
		}
	}
	return steps, nil
}

// replay follows a schedule. When it ends before the execution does, the thread that ran last goes on. It counts preemptions.
type replay struct {
	steps       []step
	problem     string
	preemptions int
}

func (r *replay) Pick(x *sched.Exec, enabled uint32, prev int) int {
	i := x.Len()
	t := bits.TrailingZeros32(enabled)
	switch {
	case i < len(r.steps):
		t = -1
		if s := r.steps[i]; !s.choice {
			t = x.Ranked(s.value)
		}
		if t < 0 || enabled&(1<<t) == 0 {
			r.problem = fmt.Sprintf("step %d of the schedule is not possible", i)
			return -1
		}
	case prev >= 0 && enabled&(1<<prev) != 0:
		t = prev
	}
	if prev >= 0 && t != prev && enabled&(1<<prev) != 0 && !x.Yielding(prev) {
		r.preemptions++
	}
	return t
}

func (r *replay) Choose(x *sched.Exec, n int) int {
	i := x.Len()
	if i >= len(r.steps) {
		return 0
	}
	if s := r.steps[i]; !s.choice || s.value >= n {
		r.problem = fmt.Sprintf("step %d of the schedule is not possible", i)
		return 0
	}
	return r.steps[i].value
}

func (r *replay) Completed(*sched.Exec, int) {}
