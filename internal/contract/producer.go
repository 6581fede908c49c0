package contract

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/pad"
)

// producer pushes one producer's entries.
type producer struct {
	// These are the producer's. A node belongs to the handler from the push on; the slab lets the handler find it by number.
	r       *round
	id, seq int
	rng     *rand.Rand
	nodes   []taskwork.Node[int] // nil in rounds without
	byNode  []bool               // which entries were pushed by their node
	buf     []int
	moments moments
	_       [pad.Line]byte

	// The producer stores these for whoever waits for the round's end: entries pushed, wakes reported, whether it waits for its
	// last entry.
	pushed, wakes atomic.Uint32
	waits         atomic.Bool
	_             [pad.Line]byte

	// acked is how many of the entries have been handed out. In lockstep, and only then, the handler stores it, and the producer
	// loads it.
	acked atomic.Uint32
}

func newProducer(r *round, id int, seed uint64) *producer {
	p := &producer{r: r, id: id, rng: rand.New(rand.NewPCG(seed, uint64(id)+1))}
	if r.nq != nil {
		p.nodes = make([]taskwork.Node[int], r.shape.Entries)
		p.byNode = make([]bool, r.shape.Entries)
	}
	return p
}

func (p *producer) work() {
	r := p.r
	defer r.alive.Done()
	defer func() {
		if v := recover(); v != nil {
			r.fail(OnlyMisuse, "a push of producer %d panicked: %v", p.id, v)
		}
	}()
	for p.seq < r.shape.Entries && !r.stop.Load() {
		p.pause()
		r.jitter(p.rng)
		wake := p.push()
		if wake {
			// Nobody else may be woken before this goroutine has done its duty.
			if r.q.Resting() {
				r.fail(Resting, "Resting is true though a push has just reported wake and its caller has not started the consumer")
				return
			}
			r.jitter(p.rng)
			p.wakes.Store(p.wakes.Load() + 1)
			r.alive.Add(1)
			go r.consumer.run()
		}
		p.pushed.Store(uint32(p.seq))
		if r.shape.Tempo == lockstep {
			early := !wake && r.q.Resting() && int(p.acked.Load()) != p.seq
			p.await()
			if early && !r.stop.Load() {
				r.fail(NoLostWork, "Resting was true before %s, whose push had found the queue active, was handed out: the consumer "+
					"that was on duty has left it to one that another push woke", entryName(p.id, p.seq-1))
				return
			}
		}
	}
}

// pause waits for as long as the tempo says.
func (p *producer) pause() {
	if p.r.shape.Tempo != gaps {
		return
	}
	switch n := p.rng.IntN(16); {
	case n < 4:
		runtime.Gosched()
	case n < 8:
		for range p.rng.IntN(300) {
			_ = p.r.stop.Load() // a nanosecond or so
		}
	case n == 8:
		// Long enough for any run to come to rest.
		for range 20 {
			runtime.Gosched()
		}
	}
}

// await waits until all that was pushed has been handed out.
func (p *producer) await() {
	if int(p.acked.Load()) == p.seq {
		return
	}
	p.waits.Store(true)
	for int(p.acked.Load()) != p.seq && !p.r.stop.Load() {
		runtime.Gosched()
	}
	p.waits.Store(false)
}

// push pushes one or several entries in one form.
func (p *producer) push() (wake bool) {
	r := p.r
	n := min(1+p.rng.IntN(8), r.shape.Entries-p.seq)
	if p.rng.IntN(4) == 0 {
		n = 1 + p.rng.IntN(min(64, r.shape.Entries-p.seq))
	}
	form := p.rng.IntN(8)
	if r.nq == nil {
		form /= 2
	}
	switch {
	case form < 3:
		v := entryOf(p.id, p.seq)
		p.seq++
		return r.push(&p.moments, 1, func() bool { return r.q.Push(v) })
	case form == 3:
		p.buf = p.buf[:0]
		for range n {
			p.buf = append(p.buf, entryOf(p.id, p.seq))
			p.seq++
		}
		wake = r.push(&p.moments, n, func() bool { return r.q.PushAll(p.buf) })
		clear(p.buf) // a queue that has kept the slice will hand out zeros
		if p.rng.IntN(8) == 0 && r.q.PushAll(nil) {
			r.fail(Slices, "PushAll of an empty slice reported wake")
		}
		return wake
	case form < 6:
		node := p.node()
		return r.push(&p.moments, 1, func() bool { return r.nq.PushNode(node) })
	default:
		var c taskwork.Chain[int]
		for range n {
			c.Append(p.node())
		}
		return r.push(&p.moments, n, func() bool { return r.nq.PushChain(&c) })
	}
}

// node makes the next entry's node.
func (p *producer) node() *taskwork.Node[int] {
	n := &p.nodes[p.seq]
	n.Value = entryOf(p.id, p.seq)
	p.byNode[p.seq] = true
	p.seq++
	return n
}
