package contract

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
)

// Stress lets many producers push at once, in all forms, and starts a goroutine with a run for each wake. It is made of rounds,
// each over a new queue and of another shape; see shape.
//
// It finds lost and doubled entries, overlapping consumers, broken order (of each producer and, by a clock, in total), wakes
// and rests that do not add up, and hangs. A lost wakeup needs no waiting: once no run is under way and no producer has
// anything to push, nothing can change any more.
var Stress = Check{Name: "Stress", run: func(cfg Config) error {
	end := time.Now().Add(cfg.For)
	for n := 0; n < cfg.Rounds || time.Now().Before(end); n++ {
		seed := cfg.Seed + uint64(n)
		r := newRound(cfg, seed)
		if err := r.play(); err != nil {
			err.Detail += fmt.Sprintf("\n\tround with seed %d: %+v", seed, r.shape)
			return err
		}
	}
	return nil
}}

// tempo is how producers pace themselves.
type tempo int

const (
	burst    tempo = iota // without a pause: the queue grows long
	gaps                  // with pauses of random length: the queue comes to rest now and then
	lockstep              // each waits until its entry has been handed out: the queue hovers around empty
)

func (t tempo) String() string { return [...]string{"burst", "gaps", "lockstep"}[t] }

// shape is what a round is like.
type shape struct {
	Producers int
	Entries   int // of each producer
	Budget    int // of each run; 0: none
	Tempo     tempo
	// Jitter yields the processor at the places where races are decided: before and after a publication, between the consumer's
	// last Pop and its Idle, in handlers. Without it, the only disturbance is the machine's.
	Jitter bool
	// Clock notes when each push began and ended. The clock orders producers, so it is not always on.
	Clock bool
	// Nodes mixes PushNode and PushChain in, where the queue has them.
	Nodes bool
	// Echo has handlers push entries of their own; Faulty has them panic and exit; HandOver moves the duty to another goroutine
	// where a run has used up its budget.
	Echo, Faulty, HandOver bool
}

// roundEntries is about how many entries a round has. An echo is pushed when its cause has left the queue, so with all of them
// it stays below MaxQueued.
const roundEntries = 4096

func newShape(rng *rand.Rand, total bool) shape {
	s := shape{
		Producers: []int{1, 2, 2, 3, 4, 4, 8, 16, 64}[rng.IntN(9)],
		Budget:    []int{0, 0, 0, 1, 2, 7, 100}[rng.IntN(7)],
		Tempo:     tempo(rng.IntN(3)),
		Jitter:    rng.IntN(2) == 0,
		Clock:     total && rng.IntN(3) == 0,
		Nodes:     rng.IntN(4) > 0,
		Echo:      rng.IntN(2) == 0,
		Faulty:    rng.IntN(4) == 0,
		HandOver:  rng.IntN(2) == 0,
	}
	s.Entries = roundEntries / s.Producers
	if s.Tempo == lockstep {
		s.Entries = max(s.Entries/4, 16)
	}
	return s
}

// An entry's value names its producer and its number, which is never zero. It fits 32 bits. The producer after the last one
// stands for the handlers.
const seqBits = 24

func entryOf(producer, seq int) int     { return producer<<seqBits | (seq + 1) }
func ofEntry(v int) (producer, seq int) { return v >> seqBits, v&(1<<seqBits-1) - 1 }
func entryName(producer, seq int) string {
	return fmt.Sprintf("entry %d of producer %d", seq, producer)
}

// round is one queue's life.
type round struct {
	cfg   Config
	shape shape

	// q is pushed to as it is: what a wrapper did would come between the queue and its producers. nq is q, or nil.
	q  taskwork.Queue[int]
	nq taskwork.NodeQueue[int]

	producers []*producer
	consumer  *consumer

	// stop ends everything early. It is written once; until then reading it orders nobody.
	stop atomic.Bool
	// handled is how many entries have been handed out, stored by the active consumer now and then.
	handled atomic.Uint32
	// rests counts successful Idles. It is incremented after them, by goroutines that do nothing else afterwards.
	rests atomic.Uint32
	// clock gives moments. Only rounds with a clock touch it.
	clock atomic.Uint32
	// alive counts the producers and runs that have not ended. A WaitGroup orders Done before Wait, and nothing else.
	alive sync.WaitGroup

	// mu guards err, the first failure.
	mu  sync.Mutex
	err *Failure
}

func newRound(cfg Config, seed uint64) *round {
	rng := rand.New(rand.NewPCG(seed, 0))
	r := &round{cfg: cfg, shape: newShape(rng, cfg.TotalOrder), q: cfg.New()}
	if nq, ok := r.q.(taskwork.NodeQueue[int]); ok && r.shape.Nodes {
		r.nq = nq
	}
	r.consumer = newConsumer(r, rng)
	for id := range r.shape.Producers {
		r.producers = append(r.producers, newProducer(r, id, seed))
	}
	return r
}

// fail notes the first failure and ends the round.
func (r *round) fail(clause, format string, args ...any) {
	r.mu.Lock()
	if r.err == nil {
		r.err = failure(clause, format, args...)
	}
	r.mu.Unlock()
	r.stop.Store(true)
}

func (r *round) failed() *Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// play runs the round to its end.
func (r *round) play() *Failure {
	for _, p := range r.producers {
		r.alive.Add(1)
		go p.work()
	}
	ended := make(chan struct{})
	go func() {
		r.alive.Wait()
		close(ended)
	}()
	r.watch(ended)
	if err := r.failed(); err != nil {
		// Those that still run see stop at their next call, unless they hang in the queue.
		select {
		case <-ended:
		case <-time.After(min(r.cfg.Patience, 2*time.Second)):
		}
		return err
	}
	r.judge()
	return r.failed()
}

// watch returns when all goroutines have ended, or a failure has been noted.
func (r *round) watch(ended <-chan struct{}) {
	const look = time.Millisecond
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	last, still := uint32(0), time.Now()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		if r.failed() != nil {
			return
		}
		if r.stuck() {
			r.lost()
			return
		}
		progress := r.handled.Load() + r.rests.Load()
		for _, p := range r.producers {
			progress += p.pushed.Load()
		}
		if progress != last {
			last, still = progress, time.Now()
		} else if time.Since(still) > r.cfg.Patience {
			r.fail(Progress, "nothing has moved for %v; %s; all goroutines:\n\n%s", r.cfg.Patience, r.counts(), stacks())
			return
		}
	}
}

// stuck tells whether nothing can happen any more, though not all producers have ended: all others wait for their entries, and
// there is no run. That is no guess: producers that wait, seen before and after, have not pushed in between; all runs that they
// have started were seen to have ended in between; so nobody is left who could hand their entries out.
func (r *round) stuck() bool {
	if r.shape.Tempo != lockstep {
		return false
	}
	before, waiting := r.waiting()
	if !waiting {
		return false
	}
	rests, wakes := r.rests.Load(), r.wakes()
	after, waiting := r.waiting()
	return waiting && before == after && rests == wakes
}

// waiting tells whether each producer either has pushed all or waits for its last entry, and one does wait. pushed is the sum
// of what they have pushed.
func (r *round) waiting() (pushed uint32, waiting bool) {
	for _, p := range r.producers {
		n := p.pushed.Load()
		pushed += n
		switch {
		case p.acked.Load() == n:
			if n < uint32(r.shape.Entries) {
				return 0, false
			}
		case !p.waits.Load():
			return 0, false
		default:
			waiting = true
		}
	}
	return pushed, waiting
}

func (r *round) wakes() (n uint32) {
	for _, p := range r.producers {
		n += p.wakes.Load()
	}
	return n
}

func (r *round) counts() string {
	pushed := uint32(0)
	for _, p := range r.producers {
		pushed += p.pushed.Load()
	}
	return fmt.Sprintf("producers have pushed %d entries and were told to wake %d times, %d runs have come to rest, "+
		"Resting() is %t",
		pushed, r.wakes(), r.rests.Load(), r.q.Resting())
}

// lost reports entries that nobody will hand out.
func (r *round) lost() {
	r.fail(NoLostWork, "entries are left that nobody is on duty for: %s", r.counts())
}

// judge looks at what is left after all goroutines have ended, which makes their memory this goroutine's.
func (r *round) judge() {
	c := r.consumer
	want := r.shape.Entries*r.shape.Producers + c.echoes
	switch wakes, rests := r.wakes(), r.rests.Load(); {
	case c.count < want:
		r.fail(NoLostWork, "%d of %d entries were never handed out: %s", want-c.count, want, r.counts())
	case c.disorder != "":
		r.fail(Order, "%s", c.disorder)
	case wakes != rests:
		r.fail(OneConsumer, "wakes and rests do not add up: %s", r.counts())
	case !r.q.Resting():
		r.fail(Resting, "Resting is false after the last run has come to rest")
	case r.shape.Clock:
		r.judgeClock()
	}
	if r.failed() != nil {
		return
	}
	// The queue is as good as new.
	if !r.q.Push(1) {
		r.fail(Wake, "a push on the queue that has come to rest did not report wake")
	} else if v, ok := r.q.Pop(); !ok || v != 1 {
		r.fail(NoLostWork, "the queue came to rest; then 1 was pushed, and Pop gave %d, %t", v, ok)
	} else if !r.q.Idle() {
		r.fail(Idle, "Idle returned false though all has been handed out and all pushes have returned")
	}
}

// judgeClock looks for an entry that was handed out after another one whose push began only when its own had returned.
func (r *round) judgeClock() {
	latest, began := 0, uint32(0) // among the entries handed out so far, the one whose push began last
	for _, v := range r.consumer.handed {
		p, seq := ofEntry(v)
		if r.moments(p).end[seq] < began {
			lp, lseq := ofEntry(latest)
			r.fail(TotalOrder, "%s was handed out after %s, whose push began when that of the first had returned",
				entryName(p, seq), entryName(lp, lseq))
			return
		}
		if b := r.moments(p).begin[seq]; b > began {
			latest, began = v, b
		}
	}
}

func (r *round) moments(producer int) *moments {
	if producer == r.shape.Producers {
		return &r.consumer.moments
	}
	return &r.producers[producer].moments
}

// moments are when the pushes of a producer's entries began and ended, by the round's clock; empty without one. They belong to
// the producer.
type moments struct {
	begin, end []uint32
}

// push calls f, which pushes n entries, and notes when.
func (r *round) push(m *moments, n int, f func() (wake bool)) (wake bool) {
	if !r.shape.Clock {
		return f()
	}
	begin := r.clock.Add(1)
	wake = f()
	end := r.clock.Add(1)
	for range n {
		m.begin = append(m.begin, begin)
		m.end = append(m.end, end)
	}
	return wake
}

// jitter yields the processor now and then.
func (r *round) jitter(rng *rand.Rand) {
	if r.shape.Jitter && rng.IntN(3) == 0 {
		runtime.Gosched()
	}
}
