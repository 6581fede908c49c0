// Package park is the explorer's twin of internal/park: the same API, but who sleeps and for how long is up to the schedule.
//
//	Park       enabled while there is a token
//	ParkUntil  enabled while there is a token, done is closed or the deadline has passed; if several are true, each is explored
//	After      starts a hidden thread, the clock, whose only step makes the deadline pass: at any moment, but in the end for sure
//
// Outside of an exploration it does what the original does.
package park

import (
	"time"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// Spins is zero: looking again before a yield would multiply the schedules and show nothing that the yield does not.
const Spins = 0

// Go starts a goroutine: a thread of the exploration that it is called in.
func Go(f func()) {
	if !sched.GoHere("go", f) {
		go f()
	}
}

// Parker is the twin of park.Parker.
type Parker struct {
	// token is the object that the explorer knows, and does the real work too, which is where the race detector sees the edge
	// from Unpark to Park. Copies of a Parker share it, as those of the original do.
	token chan struct{}
}

// NewParker returns a Parker without a token.
func NewParker() Parker {
	return Parker{token: make(chan struct{}, 1)}
}

// Park takes the token; while there is none it sleeps.
func (p *Parker) Park() {
	t := sched.EnterGate(p.token, sched.Park, len(p.token) > 0)
	if t == nil {
		if sched.Passive() && len(p.token) == 0 {
			sched.Stuck("Park")
			return
		}
		<-p.token
		return
	}
	<-p.token
	t.LeaveGate(sched.Write, true, false)
}

// ParkUntil is Park that also returns, without a token, once done is closed or d has passed.
func (p *Parker) ParkUntil(done <-chan struct{}, d *Deadline) {
	if !sched.Exploring() {
		p.really(done, d)
		return
	}
	var doneAddr, clock any
	closed, passed := false, false
	if done != nil {
		doneAddr, closed = done, sched.Closed(done)
		if !closed && !sched.Passive() && !sched.KnownDone(done) {
			sched.FailHere("misuse", "ParkUntil on a channel that the explorer does not know: use the Context of explore.M")
		}
	}
	if d != nil {
		clock, passed = d, d.passed
	}
	t := sched.EnterUntil(sched.ParkUntil, p.token, doneAddr, clock, len(p.token) > 0, closed, passed)
	if t == nil {
		select {
		case <-p.token:
		default:
			if !(done != nil && sched.Closed(done)) && !(d != nil && d.passed) {
				sched.Stuck("ParkUntil")
			}
		}
		return
	}
	var ready [3]int
	n := 0
	for i, open := range [...]bool{len(p.token) > 0, done != nil && sched.Closed(done), d != nil && d.passed} {
		if open {
			ready[n] = i
			n++
		}
	}
	taken := ready[sched.Choose(n)]
	switch taken {
	case 0:
		<-p.token
	case 1:
		<-done
	}
	t.Took(taken)
}

// Unpark puts the token unless one is there.
func (p *Parker) Unpark() {
	had := len(p.token) > 0
	t := sched.EnterGate(p.token, sched.Unpark, had)
	had = len(p.token) > 0
	select {
	case p.token <- struct{}{}:
	default:
	}
	if t != nil {
		t.LeaveGate(sched.Set, !had, true)
	}
}

func (p *Parker) really(done <-chan struct{}, d *Deadline) {
	var timeout <-chan time.Time
	if d != nil {
		timer := time.NewTimer(time.Until(d.at))
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-p.token:
	case <-done:
	case <-timeout:
	}
}

// Deadline is the twin of park.Deadline.
type Deadline struct {
	at time.Time
	// passed is the state under exploration. The clock writes it, the goroutine that owns the Deadline reads it.
	passed  bool
	virtual bool
}

// After returns the Deadline that passes d from now.
func After(d time.Duration) *Deadline {
	if !sched.Exploring() {
		return &Deadline{at: time.Now().Add(d)}
	}
	x := &Deadline{virtual: true, passed: d <= 0}
	if !x.passed {
		sched.GoHere("clock", x.pass)
	}
	return x
}

// pass is the life of a clock.
//
//go:norace
func (d *Deadline) pass() {
	t := sched.EnterGate(d, sched.Pass, false)
	d.passed = true
	if t != nil {
		t.LeaveGate(sched.Write, true, true)
	}
}

// Passed tells whether the moment has passed.
//
//go:norace
func (d *Deadline) Passed() bool {
	if !d.virtual {
		return !time.Now().Before(d.at)
	}
	if t := sched.EnterGate(d, sched.Passed, d.passed); t != nil {
		t.LeaveGate(sched.Read, false, d.passed)
	}
	return d.passed
}
