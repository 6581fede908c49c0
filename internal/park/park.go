// Package park is the one place where the module's consumers sleep and from which they start goroutines, and the only one that
// knows about wall-clock time.
//
//	          Park / ParkUntil                       Unpark
//	consumer ───────────────────▶ [ token: 0 or 1 ] ◀─────── any goroutine
//	             takes the token                      puts it
//
// A [Parker] holds at most one token. Unpark puts it there, Park takes it and sleeps while there is none, so an Unpark that
// comes before its Park is not lost, and a second one before the Park is no more than the first. A token may be stale: it was
// meant for a wait that has ended for another reason. Every caller therefore waits in a loop around its own condition.
//
// The package is kept this small because the explorer (internal/explore) replaces it as a whole: blocking, deadlines, new
// goroutines and the spin bound are what a model checker cannot take from the real runtime.
package park

import "time"

// Spins bounds how often a waiter looks again at a word that another goroutine is about to change before it yields its
// processor: about 100 ns, less than the price of one yield, and far from a scheduler's slice even where there is but one
// processor and looking again is futile.
const Spins = 30

// Go starts a goroutine.
func Go(f func()) {
	go f()
}

// Parker is a place for one goroutine to sleep. Make one with [NewParker].
type Parker struct {
	// token has capacity one. The sleeper receives from it; any goroutine puts a token there if there is none.
	token chan struct{}
}

// NewParker returns a Parker without a token.
func NewParker() Parker {
	return Parker{token: make(chan struct{}, 1)}
}

// Park takes the token; while there is none it sleeps. One goroutine at a time may park.
func (p *Parker) Park() {
	<-p.token
}

// ParkUntil is [Parker.Park] that also returns, without a token, once done is closed or d has passed; a nil done is never
// closed, and a nil d never passes. It does not say why it returned: the caller's loop looks at what it waits for anyway.
func (p *Parker) ParkUntil(done <-chan struct{}, d *Deadline) {
	if d == nil {
		if done == nil {
			p.Park()
			return
		}
		select {
		case <-p.token:
		case <-done:
		}
		return
	}
	timer := time.NewTimer(time.Until(d.at))
	defer timer.Stop()
	select {
	case <-p.token:
	case <-done:
	case <-timer.C:
	}
}

// Unpark puts the token unless one is there. It never blocks; any goroutine may call it.
// It synchronizes before the return of the Park that takes the token.
func (p *Parker) Unpark() {
	select {
	case p.token <- struct{}{}:
	default:
	}
}

// Deadline is a moment that passes once and stays passed. It belongs to the goroutine that made it.
type Deadline struct {
	at time.Time
}

// After returns the Deadline that passes d from now.
func After(d time.Duration) *Deadline {
	return &Deadline{at: time.Now().Add(d)}
}

// Passed tells whether the moment has passed.
func (d *Deadline) Passed() bool {
	return !time.Now().Before(d.at)
}
