package main

import (
	"fmt"
	"math"
	"time"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/memory"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/stats"
	"github.com/taskwork/taskwork/bench/internal/wake"
)

// target is one cell: what was promised, and what was measured.
type target struct {
	Row, Column string
	Unit        string // "× channel", "× mutex+slices", "ms", …; the measured figure is in it
	Limit       float64
	Measured    float64
	Low, High   float64 // 10 and 90 %, where it is a ratio
}

// Pass tells whether the target is met.
func (t target) Pass() bool { return t.Measured <= t.Limit }

// The subjects that targets speak of.
var (
	fakenodeNodes = ours.Name("fakenode", ours.Nodes)
	mpscqNodes    = ours.Name("mpscq", ours.Nodes)
	spinlistNodes = ours.Name("spinlist", ours.Nodes)
	lanesHandles  = ours.Name("lanes", ours.Handle)
	fakenodeBatch = ours.Name("fakenode", ours.Batch)
	fakenodePlain = ours.Name("fakenode", ours.Values)
)

const mutexSlices = "mutex+slices"

// promise is a ratio that is to be reached: a subject in a column against another subject in its column, in the same group.
type promise struct {
	row, against string
	column, base measure.Column
	heading      string
	limit        float64
}

// byProducers are the targets end to end: multiples of the channel's time with 1, 2, 4, 8 and 64 producers.
var byProducers = []struct {
	subject string
	against string
	policy  measure.Policy
	limits  map[int]float64
}{
	{fakenodeNodes, measure.Channel, measure.Poll, map[int]float64{1: 0.45, 2: 0.45, 4: 0.30, 8: 0.25, 64: 0.25}},
	{lanesHandles, measure.Channel, measure.Poll, map[int]float64{1: 0.35, 2: 0.30, 4: 0.15, 8: 0.13, 64: 0.13}},
	{lanesHandles, mutexSlices, measure.Poll, map[int]float64{1: 1.0, 2: 0.8}},
	{fakenodeBatch, measure.Channel, measure.Poll, map[int]float64{1: 0.40, 2: 0.35, 4: 0.20, 8: 0.15, 64: 0.15}},
	{fakenodePlain, measure.Channel, measure.Poll, map[int]float64{1: 1.0, 2: 1.0, 4: 0.6, 8: 0.6, 64: 0.6}},
	{mpscqNodes, measure.Channel, measure.Poll, map[int]float64{1: 1.2, 2: 1.2, 4: 0.8, 8: 0.7, 64: 0.6}},
	{spinlistNodes, measure.Channel, measure.Poll, map[int]float64{1: 1.2, 2: 1.2, 4: 0.7, 8: 0.5, 64: 0.4}},
	{fakenodeNodes, measure.Channel, measure.Block, map[int]float64{4: 0.5, 8: 0.5, 64: 0.5}},
}

// producerCounts are those of the table.
var producerCounts = []int{1, 2, 4, 8, 64}

// promises returns every ratio that is to be reached.
func promises() []promise {
	var all []promise
	flow := func(policy measure.Policy, producers, procs int) measure.Column {
		return measure.Column{Kind: measure.Flow, Policy: policy, Producers: producers, Procs: procs}
	}
	for _, t := range byProducers {
		for _, p := range producerCounts {
			limit, ok := t.limits[p]
			if !ok {
				continue
			}
			// The channel and the mutex with its Cond have the consumer asleep when there is nothing, as everybody uses them.
			all = append(all, promise{
				row: t.subject, against: t.against, limit: limit, heading: headingOf(t.policy, p),
				column: flow(t.policy, p, 0), base: flow(measure.Block, p, 0),
			})
		}
	}
	fill := measure.Column{Kind: measure.Fill, Policy: measure.Poll, Producers: 2}
	pair := measure.Column{Kind: measure.Pair, Policy: measure.Poll, Producers: 1}
	all = append(all,
		promise{row: fakenodeNodes, against: measure.Channel, limit: 0.4, heading: "push only, 2 producers", column: fill, base: fill},
		promise{row: lanesHandles, against: measure.Channel, limit: 0.15, heading: "push only, 2 producers", column: fill, base: fill},
		promise{row: fakenodeNodes, against: spinlistNodes, limit: 0.8, heading: "contended adds, 2 producers", column: fill, base: fill},
		promise{row: fakenodeNodes, against: measure.Channel, limit: 0.5, heading: "one goroutine", column: pair, base: pair},
		promise{row: lanesHandles, against: measure.Channel, limit: 0.35, heading: "one goroutine", column: pair, base: pair},
	)
	for _, s := range []string{spinlistNodes, fakenodeNodes, mpscqNodes, lanesHandles} {
		all = append(all, promise{
			row: s, against: measure.Channel, limit: 0.6, heading: "GOMAXPROCS=1, 4 producers",
			column: flow(measure.Poll, 4, 1), base: flow(measure.Block, 4, 1),
		})
	}
	return all
}

func headingOf(policy measure.Policy, producers int) string {
	s := fmt.Sprintf("%d producers", producers)
	if producers == 1 {
		s = "1 producer"
	}
	if policy == measure.Block {
		s += ", Inbox"
	}
	return s
}

// targetRows returns what has to be measured for the promises, each once; what is compared lies side by side.
func targetRows(all []promise) []*measure.Row {
	subjects := map[string]measure.Subject{}
	for _, s := range allSubjects() {
		subjects[s.Name] = s
	}
	var rows []*measure.Row
	have := map[string]bool{}
	add := func(name string, c measure.Column, group string) {
		key := fmt.Sprint(name, c)
		if !have[key] {
			have[key] = true
			rows = append(rows, &measure.Row{Subject: subjects[name], Column: c, Group: group})
		}
	}
	for _, p := range all {
		group := fmt.Sprint(p.column.Kind, p.column.Producers, p.column.Procs)
		add(p.against, p.base, group)
		add(p.row, p.column, group)
	}
	return rows
}

// kept compares the figures with the promises.
func kept(all []promise, out *measure.Outcome) []target {
	row := func(name string, c measure.Column) *measure.Row {
		for _, r := range out.Rows {
			if r.Subject.Name == name && r.Column == c {
				return r
			}
		}
		return nil
	}
	var targets []target
	for _, p := range all {
		r, base := row(p.row, p.column), row(p.against, p.base)
		if r == nil || base == nil {
			continue // interrupted
		}
		ratio := stats.Compare(r.Ns(), base.Ns())
		targets = append(targets, target{
			Row: p.row, Column: p.heading, Unit: "× " + p.against, Limit: p.limit,
			Measured: ratio.Value, Low: ratio.Low, High: ratio.High,
		})
	}
	return targets
}

// allocationTargets are about what a push allocates in steady state.
func allocationTargets(out *measure.Outcome) []target {
	limits := map[string]float64{
		fakenodeNodes: 0, mpscqNodes: 0, spinlistNodes: 0, lanesHandles: 0, fakenodeBatch: 1.0 / 64,
	}
	var targets []target
	for _, f := range out.Figures() {
		limit, ok := limits[f.Subject]
		if !ok || f.Column.Kind != measure.Flow || f.Column.Policy != measure.Poll || f.Column.Procs != 0 || f.Column.Producers != 4 {
			continue
		}
		// The harness starts a few goroutines a round, so zero is what rounds to it; a lane's chunks come from nowhere else
		// but the first round's.
		targets = append(targets, target{
			Row: f.Subject, Column: "allocations, 4 producers", Unit: "an entry", Limit: limit,
			Measured: math.Floor(f.Allocs*1000) / 1000,
		})
	}
	return targets
}

// wakeTarget is about the time that it takes to wake a sleeping Inbox.
func wakeTarget(rounds, trips int) target {
	var inbox, channel []float64
	for range rounds {
		channel = append(channel, float64(wake.PingPong(wake.Channel, trips).Nanoseconds()))
		inbox = append(inbox, float64(wake.PingPong("fakenode", trips).Nanoseconds()))
	}
	r := stats.Compare(inbox, channel)
	return target{
		Row: "Inbox over fakenode", Column: "wake-up of a sleeper", Unit: "× channel", Limit: 1.1,
		Measured: r.Value, Low: r.Low, High: r.High,
	}
}

// memoryTargets are about the collector, the heap after a burst, and the size at rest.
func memoryTargets(quick bool, progress func(string)) ([]target, error) {
	queued, burst := 2_000_000, 10_000_000
	if quick {
		burst = 1_000_000
	}
	var targets []target
	subjects := map[string]measure.Subject{}
	for _, s := range ours.Subjects() {
		subjects[s.Name] = s
	}
	progress("time to mark")
	mark, err := memory.MarkTime(subjects[lanesHandles], queued)
	if err != nil {
		return nil, err
	}
	targets = append(targets, target{
		Row: lanesHandles, Column: "collector's time for 2 million queued", Unit: "ms", Limit: 5,
		Measured: max(0, float64(mark)/float64(time.Millisecond)),
	})
	for _, name := range []string{ours.Name("spinlist", ours.Values), fakenodePlain, ours.Name("mpscq", ours.Values), lanesHandles} {
		progress("burst into " + name)
		points, err := memory.Burst(subjects[name], burst, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		targets = append(targets, target{
			Row: name, Column: fmt.Sprintf("heap after a burst of %d million", burst/1_000_000), Unit: "MB", Limit: 1,
			Measured: max(0, float64(points[len(points)-1].Bytes)/1e6),
		})
	}
	for _, s := range memory.Sizes() {
		targets = append(targets, target{
			Row: s.What, Column: "size at rest", Unit: "bytes", Limit: float64(s.Limit), Measured: float64(s.Bytes),
		})
	}
	return targets, nil
}
