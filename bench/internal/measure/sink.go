package measure

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync/atomic"
)

// Entry is the payload of every queue: the producer in the upper bits, and its sequence number from 0 below.
type Entry = uint64

const (
	producerShift = 56
	// MaxProducers is how many there may be.
	MaxProducers = 1 << (64 - producerShift)
	// AckEvery is after how many entries of one producer the consumer tells that producer. It must be a power of two.
	AckEvery = 256
)

// first returns the first entry of producer p.
func first(p int) Entry { return Entry(p) << producerShift }

// Sequence returns e's number among its producer's.
func Sequence(e Entry) uint64 { return e & (1<<producerShift - 1) }

// Sink is the consumer's work, the same for every subject: it checks that no entry is missing, doubled or out of its producer's
// order, and acknowledges blocks of entries to their producer. It belongs to the consumer, which may move from goroutine to
// goroutine as the subject's does.
type Sink struct {
	left int                 // entries still to come
	next [MaxProducers]Entry // for each producer, the entry that is due
	acks []ack
	// halt is set by the harness when a round hangs: a consumer that polls gives up.
	halt atomic.Bool
	// Kicks is for subjects that count how often a push had to start the consumer. Producers add.
	Kicks atomic.Int64

	faults int
	fault  string // the first

	mark    int // left at the end of the last batch
	batches Batches
}

// Batches counts runs of entries that a consumer took without finding its queue dry. Element i counts those of 2^(i-1) up to
// 2^i - 1 entries.
type Batches [32]int64

// ack is how many entries of a producer have been handled, in steps of AckEvery. The consumer stores, the producer loads; the
// padding keeps the producers' loads apart.
type ack struct {
	handled atomic.Uint64
	_       [120]byte
}

func newSink(producers, each int) *Sink {
	s := &Sink{left: producers * each, mark: producers * each, acks: make([]ack, producers)}
	for p := range s.next {
		s.next[p] = first(p)
	}
	return s
}

// Take handles one entry. It costs about two nanoseconds.
func (s *Sink) Take(e Entry) {
	if next := &s.next[e>>producerShift]; *next == e && e%AckEvery != AckEvery-1 {
		*next = e + 1
		s.left--
		return
	}
	s.special(e)
}

// special handles an entry that ends a block, which is acknowledged to its producer, and one that was not due: then one is
// missing, doubled, overtaken, or was never pushed.
func (s *Sink) special(e Entry) {
	s.left--
	p, seq := int(e>>producerShift), Sequence(e)
	if due := s.next[p]; e != due {
		s.note(fmt.Sprintf("producer %d: entry %d, expected %d", p, seq, due-first(p)))
	}
	s.next[p] = e + 1
	if e%AckEvery == AckEvery-1 && p < len(s.acks) {
		s.acks[p].handled.Store(seq + 1)
	}
}

// note counts a fault, and keeps what the first was.
func (s *Sink) note(fault string) {
	s.faults++
	if s.fault == "" {
		s.fault = fault
	}
}

// acked returns how many entries have been acknowledged. Any goroutine may call it.
func (s *Sink) acked() (n uint64) {
	for p := range s.acks {
		n += s.acks[p].handled.Load()
	}
	return n
}

// TakeAll handles entries in order.
func (s *Sink) TakeAll(es []Entry) {
	for _, e := range es {
		s.Take(e)
	}
}

// Done tells whether everything has been handled.
func (s *Sink) Done() bool { return s.left <= 0 }

// Dry is for a consumer that polls and has found nothing: it notes how long the batch was that has just ended, and yields the
// processor. It returns true if the consumer is to give up.
func (s *Sink) Dry() (stop bool) {
	s.Pause()
	runtime.Gosched()
	return s.halt.Load()
}

// Pause notes the end of a batch: the consumer has found nothing, and is about to sleep.
func (s *Sink) Pause() {
	if n := s.mark - s.left; n > 0 {
		s.batches[bits.Len(uint(n))]++
		s.mark = s.left
	}
}
