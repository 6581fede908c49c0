// Package measure times queues side by side, and does not believe them: every entry of every round is checked.
package measure

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Kind is what a round does.
type Kind string

const (
	Flow Kind = "flow" // producers push while a consumer takes: the time until the last entry is handled
	Fill Kind = "push" // producers push, nobody takes: the time until the last push has returned
	Pair Kind = "pair" // one goroutine pushes an entry and takes it, again and again
)

// Column is one way to measure every subject.
type Column struct {
	Kind      Kind
	Policy    Policy
	Producers int
	Chunk     int // entries a publication; 0: singly
	Procs     int // GOMAXPROCS; 0: as it is
}

// Sample is one round.
type Sample struct {
	Entries int
	Elapsed time.Duration
	Allocs  uint64 // objects and
	Bytes   uint64 // bytes that were allocated meanwhile
	Batches Batches
	Kicks   int64 // how often a push had to start the consumer, where the subject counts it
}

// NsPerEntry is the round's figure.
func (s Sample) NsPerEntry() float64 {
	return float64(s.Elapsed.Nanoseconds()) / float64(s.Entries)
}

// ErrCannot says that a subject has no such column.
var ErrCannot = errors.New("not possible with this queue")

// Fault says that a subject lost, doubled or disordered entries, or hung. It is not to be timed.
type Fault struct{ Subject, What string }

func (f *Fault) Error() string { return f.Subject + ": " + f.What }

const (
	// inFlight is how many entries may be on their way in all, and minRoom how many of them at least for one producer. Without
	// a bound, an unbounded queue in a race with its consumer measures page faults; with it, the same bound holds for
	// everybody. It is far above what any consumer here leaves behind in steady state.
	inFlight = 16384
	minRoom  = 2 * AckEvery
	// patience is how long a round may make no progress before it counts as hung.
	patience = 10 * time.Second
)

// room is how many entries each of so many producers may have on the way.
func room(producers int) int {
	return max(minRoom, inFlight/producers/AckEvery*AckEvery)
}

// Each is how many entries each producer pushes, so that together they push about n.
func Each(n, producers int) int {
	return max(AckEvery, n/producers/AckEvery*AckEvery)
}

// Round measures subject in column c once, on an instance of its own, with about n entries. An earlier, shorter round on the same
// instance warms it up, untimed.
func Round(subject Subject, c Column, n int) (Sample, error) {
	return roundWithin(subject, c, n, patience)
}

func roundWithin(subject Subject, c Column, n int, patience time.Duration) (Sample, error) {
	if c.Procs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Procs))
	}
	each := Each(n, c.Producers)
	setup := Setup{Kind: c.Kind, Policy: c.Policy, Producers: c.Producers, Room: room(c.Producers), Chunk: max(1, c.Chunk)}
	if c.Kind == Fill {
		setup.Room = each
	}
	inst := subject.New(setup)
	if inst == nil || c.Kind == Pair && inst.Pair == nil {
		return Sample{}, ErrCannot
	}
	r := &round{subject: subject, inst: inst, kind: c.Kind, setup: setup, patience: patience}
	warm := each
	if c.Kind != Fill {
		warm = min(each, max(setup.Room, Each(n/8, c.Producers)))
	}
	if _, err := r.once(warm); err != nil {
		return Sample{}, err
	}
	sample, err := r.once(each)
	if err == nil && inst.Close != nil {
		inst.Close()
	}
	return sample, err
}

// round is one instance in the hands of the harness.
type round struct {
	subject  Subject
	inst     *Instance
	kind     Kind
	setup    Setup
	patience time.Duration
}

// once pushes and handles each entries for each producer.
func (r *round) once(each int) (Sample, error) {
	s := newSink(r.setup.Producers, each)
	if r.inst.Start != nil {
		r.inst.Start(s)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	ended := make(chan time.Time, 1) // by whichever goroutine knows
	go func() {
		switch r.kind {
		case Flow:
			producers := r.produce(s, each)
			r.inst.Consume(s)
			ended <- time.Now()
			producers.Wait()
		case Fill:
			r.produce(s, each).Wait()
			ended <- time.Now()
			r.inst.Consume(s)
		case Pair:
			r.inst.Pair(s, first(0), each)
			ended <- time.Now()
		}
		close(ended)
	}()
	sample := Sample{Entries: each * r.setup.Producers}
	watchdog := time.NewTicker(r.patience)
	defer watchdog.Stop()
	for progress := uint64(0); ; {
		select {
		case end, open := <-ended:
			if open {
				sample.Elapsed = end.Sub(start)
				runtime.ReadMemStats(&after)
				sample.Allocs, sample.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
				continue
			}
		case <-watchdog.C:
			if now := s.acked(); now != progress {
				progress = now
				continue
			}
			s.halt.Store(true)
			return sample, r.hung(s, ended)
		}
		break
	}
	if s.faults > 0 {
		return sample, &Fault{r.subject.Name, fmt.Sprintf("%d entries out of order, doubled or lost; first: %s", s.faults, s.fault)}
	}
	if !s.Done() {
		return sample, &Fault{r.subject.Name, fmt.Sprintf("loses entries: %d of %d never came", s.left, sample.Entries)}
	}
	sample.Batches, sample.Kicks = s.batches, s.Kicks.Load()
	return sample, nil
}

// produce starts the producers.
func (r *round) produce(s *Sink, each int) *sync.WaitGroup {
	var producers sync.WaitGroup
	for p := range r.setup.Producers {
		producers.Go(func() {
			handled := &s.acks[p].handled
			for n := 0; n < each; n += AckEvery {
				for n+AckEvery > int(handled.Load())+r.setup.Room {
					if s.halt.Load() {
						return
					}
					runtime.Gosched()
				}
				r.inst.Push(p, first(p)+Entry(n), AckEvery)
			}
		})
	}
	return &producers
}

// hung describes a round that was given up. It waits a little for goroutines that poll to notice; others stay behind for good.
func (r *round) hung(s *Sink, ended <-chan time.Time) error {
	gone := time.NewTimer(time.Second)
	defer gone.Stop()
	for {
		select {
		case _, open := <-ended:
			if open {
				continue
			}
			return &Fault{r.subject.Name, fmt.Sprintf("loses entries: %d never came", s.left)}
		case <-gone.C:
			return &Fault{r.subject.Name, fmt.Sprintf("hangs: nothing more came within %v", r.patience)}
		}
	}
}
