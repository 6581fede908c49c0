//go:build explore

package lanes

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/explore"
)

// scene is a number of threads that push through handles of their own. A push that wakes starts a consumer on a thread of its
// own if spawn is set, and else runs it itself.
type scene struct {
	handles, each int
	slots         int  // of a chunk; 0: 2
	closes        bool // each handle is closed after its last push
	late          bool // handles are registered by their threads, while others push and consumers settle
	plain         int  // so many threads push each entry without a handle
	all           bool // each handle pushes its entries at once
	spawn         bool
	watch         bool // after each push its thread asks whether the queue rests
	budget        int  // of a run; it is called again while it says More
}

func (s scene) String() string {
	name := fmt.Sprintf("%dx%d", s.handles, s.each)
	if s.plain > 0 {
		name += fmt.Sprintf("/plain=%d", s.plain)
	}
	if s.budget > 0 {
		name += fmt.Sprintf("/budget=%d", s.budget)
	}
	if s.slots > 0 {
		name += fmt.Sprintf("/slots=%d", s.slots)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"closes", s.closes}, {"late", s.late}, {"all", s.all}, {"spawn", s.spawn}, {"watch", s.watch}} {
		if f.set {
			name += "/" + f.name
		}
	}
	return name
}

// body checks: nothing lost or doubled, no two consumers, order of each lane, as many rests as wakes, at rest in the end, and
// closed lanes forgotten.
func (s scene) body(m *explore.M) {
	var (
		q     = &Queue[int]{chunkSlots: cmp.Or(s.slots, 2)}
		got   []int // the consumer's
		busy  bool  // the consumer's
		rests int   // the consumer's
		total = (s.handles + s.plain) * s.each
		wakes = make([]int, s.handles+s.plain)
	)
	m.Name(&q.state, "state")
	m.Name(&q.lanes, "lanes")
	m.Blocked(func() string { return fmt.Sprintf("handed out %v, resting %v", got, q.Resting()) })
	consume := func() {
		m.Assert(!busy, "two consumers")
		busy = true
		watched := idleWatch{
			Queue:  q,
			before: func() { busy = false; rests++ },
			failed: func() { busy = true; rests-- },
		}
		for taskwork.Run[int](watched, s.budget, func(v int) { got = append(got, v) }).More {
		}
	}
	pushed := func(thread, v int, wake bool) {
		if wake {
			wakes[thread]++
		}
		switch {
		case wake && s.spawn:
			m.Go(fmt.Sprintf("c%d.%d", thread, wakes[thread]), consume)
		case wake:
			consume()
		}
		if s.watch && q.Resting() {
			m.Assert(slices.Contains(got, v), "at rest, and the entry %d that was pushed before is not handed out: %v", v, got)
		}
	}
	for no := range s.handles {
		var p *Producer[int]
		if !s.late {
			p = q.Producer()
			m.Name(&p.published, fmt.Sprintf("published %d", no))
		}
		m.Go(fmt.Sprint("p", no), func() {
			if s.late {
				p = q.Producer()
			}
			vs := seq(10*no, 10*no+s.each)
			if s.all {
				pushed(no, vs[len(vs)-1], p.PushAll(vs))
				vs = nil
			}
			for _, v := range vs {
				pushed(no, v, p.Push(v))
			}
			if s.closes {
				p.Close()
			}
		})
	}
	for no := range s.plain {
		no += s.handles
		m.Go(fmt.Sprint("p", no), func() {
			for _, v := range seq(10*no, 10*no+s.each) {
				pushed(no, v, q.Push(v))
			}
		})
	}
	m.Final(func() {
		m.Assert(len(got) == total, "%d entries handed out of %d: %v", len(got), total, got)
		last := map[int]int{}
		for _, v := range got {
			m.Assert(v%10 == last[v/10], "order of lane %d: %v", v/10, got)
			last[v/10]++
		}
		woken := 0
		for _, n := range wakes {
			woken += n
		}
		m.Assert(woken == rests, "%d wakes and %d rests", woken, rests)
		m.Assert(q.Resting() && q.Empty(), "not at rest in the end")
		if s.closes {
			// One more run is sure to come by after the last Close.
			m.Assert(q.Push(99), "a push at rest does not wake")
			m.Assert(slices.Equal(drain(q), []int{99}), "more than was pushed")
			m.Assert(q.Idle(), "does not go to rest")
			m.Assert(len(q.registered()) == 1, "%d lanes are left, of handles that are closed", len(q.registered())-1)
		}
	})
}

// idleWatch tells its test when a consumer tries to go to rest: once Idle has begun, the next consumer may be running.
type idleWatch struct {
	taskwork.Queue[int]
	before, failed func()
}

func (w idleWatch) Idle() bool {
	w.before()
	rest := w.Queue.Idle()
	if !rest {
		w.failed()
	}
	return rest
}

// TestExploreLanes: see docs/verification.md for its table.
func TestExploreLanes(t *testing.T) {
	for _, s := range []scene{
		{handles: 2, each: 1},
		{handles: 2, each: 2},
		{handles: 3, each: 1},
		{handles: 2, each: 1, spawn: true},
		{handles: 1, each: 4, spawn: true},
		{handles: 1, each: 3, slots: 1, spawn: true}, // chunks go round
		{handles: 1, each: 5, all: true, spawn: true},
		{handles: 2, each: 3, all: true},
		{handles: 2, each: 1, closes: true},
		{handles: 2, each: 1, late: true},
		{handles: 2, each: 1, late: true, closes: true},
		{handles: 2, each: 1, late: true, closes: true, spawn: true},
		{handles: 1, each: 2, spawn: true, watch: true},
		{handles: 2, each: 1, spawn: true, watch: true},
		{plain: 2, each: 1},
		{handles: 1, plain: 1, each: 1},
		{handles: 2, each: 2, budget: 1},
	} {
		t.Run(s.String(), func(t *testing.T) {
			explore.Run(t, explore.Config{Time: 10 * time.Minute}, s.body)
		})
	}
	for _, s := range []scene{
		{handles: 3, each: 1, late: true, closes: true},
		{handles: 3, each: 2},
		{handles: 2, each: 5, spawn: true},
	} {
		t.Run(s.String(), func(t *testing.T) {
			explore.Run(t, explore.Config{Mode: explore.DFS, Preemptions: 3, Time: 10 * time.Second, Budget: true}, s.body)
		})
	}
}
