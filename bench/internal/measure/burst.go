package measure

import (
	"errors"
	"fmt"
)

// Burst fills and empties a queue step by step, in one goroutine.
type Burst struct {
	inst   *Instance
	s      *Sink
	pushed int
	taken  int
}

// NewBurst returns a new queue of subject with room for n entries, or nil if subject cannot be filled while nobody takes.
func NewBurst(subject Subject, n int) *Burst {
	room := Each(n, 1)
	if room < n {
		room += AckEvery
	}
	inst := subject.New(Setup{Kind: Fill, Policy: Poll, Producers: 1, Room: room, Chunk: 1})
	if inst == nil {
		return nil
	}
	return &Burst{inst: inst, s: newSink(1, 0)}
}

// Push pushes n entries.
func (b *Burst) Push(n int) {
	for end := b.pushed + n; b.pushed < end; {
		// Own nodes lie in blocks that a push must not cross.
		step := min(end-b.pushed, AckEvery-b.pushed%AckEvery)
		b.inst.Push(0, first(0)+Entry(b.pushed), step)
		b.pushed += step
	}
}

// Take takes n entries, or more where the queue hands out everything at once.
func (b *Burst) Take(n int) {
	b.s.left += n
	if !b.s.Done() {
		b.inst.Consume(b.s)
	}
	b.taken += n
}

// Queued returns how many entries are in the queue.
func (b *Burst) Queued() int { return b.pushed - b.taken + b.s.left }

// Close ends the burst. It returns an error if an entry was lost, doubled or out of order, or is left.
func (b *Burst) Close() error {
	if b.inst.Close != nil {
		b.inst.Close()
	}
	if b.s.faults > 0 {
		return errors.New(b.s.fault)
	}
	if b.Queued() != 0 {
		return fmt.Errorf("%d entries were not taken", b.Queued())
	}
	return nil
}
