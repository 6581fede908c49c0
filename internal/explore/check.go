package explore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// The environment that cmd/explore sets.
const (
	envReplay   = "EXPLORE_REPLAY"   // a schedule: run just that
	envDeadline = "EXPLORE_DEADLINE" // Unix milliseconds: stop then
	envScale    = "EXPLORE_SCALE"    // multiplies the budgets of explorations with Config.Budget
)

// only one exploration at a time: the twins find the running thread in a global.
var only sync.Mutex

// search is a strategy together with what happens between executions.
type search struct {
	sched.Strategy
	begin     func()
	end       func() bool // is there another execution?
	diverged  func() bool
	redundant func() int
	complete  bool // it ends when everything has been run
	label     string
}

// Check is Run for callers that want the failure: explorations that are meant to fail, and mutants.
func Check(cfg Config, body func(m *M)) Result {
	only.Lock()
	defer only.Unlock()
	cfg = cfg.withDefaults()
	x := sched.New(cfg.Steps)
	defer x.Close()
	c := &checker{cfg: cfg, x: x, start: time.Now()}
	c.body = func() { body(&M{x: x}) }
	c.res.Name = cfg.Name
	if s := os.Getenv(envReplay); s != "" {
		c.replayOnly(s)
	} else {
		c.explore()
	}
	c.res.Duration = time.Since(c.start)
	return c.res
}

type checker struct {
	cfg   Config
	x     *sched.Exec
	body  func()
	start time.Time
	res   Result
}

func (c *checker) explore() {
	s := c.search()
	c.res.Mode = s.label
	limit, end := c.limits()
	if !c.steady() {
		return
	}
	c.x.Await(c.cfg.Await && s.complete)
	failure := c.enumerate(s, limit, end, &c.res)
	c.res.Redundant += s.redundant()
	if c.cfg.Await {
		c.res.Mode += "+await"
	}
	if failure != nil {
		c.res.Limit = ""
		c.explain(failure)
		return
	}
	c.res.Exhausted = s.complete && c.res.Limit == ""
}

// enumerate runs executions until one fails, a limit is hit, or none is left.
func (c *checker) enumerate(s *search, executions int, end time.Time, res *Result) *sched.Failure {
	for {
		s.begin()
		f := c.x.Run(s, c.body)
		res.Executions++
		res.Steps += c.x.Steps()
		if s.diverged() {
			return &sched.Failure{Kind: "nondeterminism", Message: "the body is not deterministic: the same schedule led elsewhere"}
		}
		if f != nil {
			return f
		}
		if c.x.Cut() {
			res.Redundant++
		}
		if !s.end() {
			return nil
		}
		switch {
		case res.Executions >= executions:
			if s.complete {
				res.Limit = fmt.Sprintf("%d executions", executions)
			}
			return nil
		case res.Executions%64 == 0 && time.Now().After(end):
			res.Limit = fmt.Sprintf("%s of time", max(end.Sub(c.start), 0).Round(10*time.Millisecond))
			return nil
		}
	}
}

func (c *checker) search() *search {
	never := func() bool { return false }
	none := func() int { return 0 }
	label := c.cfg.Mode.String()
	seed := rand.New(rand.NewPCG(c.cfg.Seed, 0x9e3779b97f4a7c15))
	switch c.cfg.Mode {
	case DPOR:
		d := &dpor{}
		return &search{
			Strategy: d, begin: d.begin, end: d.end, diverged: func() bool { return d.diverged },
			redundant: func() int { return d.redundant }, complete: true, label: label,
		}
	case DFS:
		if c.cfg.Preemptions >= 0 {
			label = fmt.Sprintf("%s(%d)", label, c.cfg.Preemptions)
		}
		return c.dfs(c.cfg.Preemptions, label)
	case Random:
		r := &random{seed}
		return &search{r, r.begin, func() bool { return true }, never, none, false, fmt.Sprintf("%s(seed %d)", label, c.cfg.Seed)}
	case PCT:
		p := &pct{rng: seed, depth: c.cfg.Depth}
		label = fmt.Sprintf("%s(depth %d, seed %d)", label, c.cfg.Depth, c.cfg.Seed)
		return &search{p, p.begin, func() bool { return true }, never, none, false, label}
	}
	panic("taskwork: explore: unknown mode " + label)
}

func (c *checker) dfs(bound int, label string) *search {
	d := &dfs{bound: bound}
	return &search{d, func() {}, d.end, func() bool { return d.diverged }, func() int { return 0 }, true, label}
}

// limits are those of the Config, scaled and cut by the environment.
func (c *checker) limits() (executions int, end time.Time) {
	executions, limit := c.cfg.Executions, c.cfg.Time
	if f, err := strconv.ParseFloat(os.Getenv(envScale), 64); err == nil && f > 0 && (c.cfg.Budget || c.cfg.Mode > DFS) {
		executions = int(float64(executions) * f)
		limit = time.Duration(float64(limit) * f)
	}
	end = c.start.Add(limit)
	if ms, err := strconv.ParseInt(os.Getenv(envDeadline), 10, 64); err == nil {
		if d := time.UnixMilli(ms); d.Before(end) {
			end = d
		}
	}
	return executions, end
}

// steady runs the first execution twice: it must perform instrumented operations, and the same ones.
func (c *checker) steady() bool {
	var sigs [2][]uint64
	for i := range sigs {
		s := &signer{}
		f := c.x.Run(s, c.body)
		if f != nil {
			return true // the search will find it too, or find out that it does not come back
		}
		sigs[i] = s.sigs
	}
	switch {
	case len(sigs[0]) == 0:
		c.res.Failure = &Failure{Kind: "uninstrumented", Message: "no thread performed an instrumented operation: " +
			"is the package under test built with the overlay (go run ./internal/explore/cmd/explore)?"}
	case !equal(sigs[0], sigs[1]):
		c.res.Failure = &Failure{Kind: "nondeterminism", Message: "the body is not deterministic: two runs of the same schedule differ"}
	}
	return c.res.Failure == nil
}

func equal(a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// signer follows the default schedule and remembers what happened.
type signer struct {
	replay
	sigs []uint64
}

func (s *signer) Completed(x *sched.Exec, i int) {
	s.sigs = append(s.sigs, signature(x.Event(i)))
}

// line is what cmd/explore collects.
func (r Result) line() string {
	s := fmt.Sprintf("explore: name=%s mode=%q executions=%d redundant=%d steps=%d seconds=%.3f exhausted=%v",
		r.Name, r.Mode, r.Executions, r.Redundant, r.Steps, r.Duration.Seconds(), r.Exhausted)
	if r.Limit != "" {
		s += fmt.Sprintf(" limit=%q", r.Limit)
	}
	if f := r.Failure; f != nil {
		s += fmt.Sprintf(" failure=%s failsteps=%d preemptions=%d schedule=%s", f.Kind, f.Steps, f.Preemptions, f.Schedule)
	}
	return s
}
