package taskwork_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/spinlist"
)

// Storms: Runners and Inboxes under random loads, with handlers that fail, contexts that end, lingers and closes at random
// times. They check conservation at the end: what was accepted was disposed of, once, in the order of each producer. A storm is
// a number of rounds, each from a seed that a failure prints; the scheduler adds what it likes.

// storm runs rounds over all queues for some time.
func storm(t *testing.T, round func(t *testing.T, row queueOf[packet], rng *rand.Rand)) {
	guard(t)
	total := 2 * time.Second
	if testing.Short() {
		total /= 5
	}
	if *stressFor > 0 {
		total = *stressFor / 5 // there are two storms
	}
	each(t, func(t *testing.T, row queueOf[packet]) {
		first := rand.Uint64()
		if *stressFor == 0 {
			first = 1
		}
		rounds := uint64(0)
		for end := time.Now().Add(total / time.Duration(len(queues[packet]()))); time.Now().Before(end); rounds++ {
			seed := first + rounds
			round(t, row, rand.New(rand.NewPCG(seed, 1)))
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		t.Logf("%d rounds from seed %d", rounds, first)
	})
}

// packet is an entry of a storm.
type packet struct {
	producer, seq int
}

// books are kept by the consumer of a storm and balanced at the end. Everything but accepted is plain memory that is handed on
// along with the consumer side.
type books struct {
	t *testing.T
	// next is, for each producer, which of its packets must come next.
	next []int
	out  int
	// accepted is how many packets each producer has got rid of. It is that producer's.
	accepted []int
}

// dispose notes that a packet was handled, received or cancelled.
func (b *books) dispose(p packet) {
	if p.seq != b.next[p.producer] {
		b.t.Errorf("producer %d: packet %d instead of %d", p.producer, p.seq, b.next[p.producer])
	}
	b.next[p.producer] = p.seq + 1
	b.out++
}

// balance checks the books when all is over.
func (b *books) balance(totals taskwork.Totals) {
	b.t.Helper()
	sum := 0
	for p, n := range b.accepted {
		sum += n
		if b.next[p] != n {
			b.t.Errorf("producer %d: %d packets were accepted, %d disposed of", p, n, b.next[p])
		}
	}
	if out := totals.Handled + totals.Cancelled; sum != b.out || int64(sum) != out {
		b.t.Errorf("%d packets were accepted, %d disposed of; Totals say %d", sum, b.out, out)
	}
}

// sink is a consumer as a producer sees it.
type sink struct {
	q       taskwork.Queue[packet]
	push    func(p packet) error
	pushAll func(ps []packet) error
	// pushed is told of a push of n packets that went to q itself. Such a push is not refused.
	pushed func(wake bool, n int)
}

// produce pushes n packets in forms chosen at random, as far as they keep the producer's order, until it is refused.
func (s sink) produce(b *books, producer, n int, rng *rand.Rand) {
	seq := 0
	take := func(k int) (ps []packet) {
		for range min(k, n-seq) {
			ps = append(ps, packet{producer, seq})
			seq++
		}
		return ps
	}
	accept := func(k int, err error) bool {
		if err == nil {
			b.accepted[producer] += k
		} else if !errors.Is(err, taskwork.ErrClosed) {
			b.t.Error(err)
		}
		return err == nil
	}
	forms := []func() bool{
		func() bool { return accept(1, s.push(take(1)[0])) },
		func() bool { ps := take(1 + rng.IntN(10)); return accept(len(ps), s.pushAll(ps)) },
		func() bool { s.pushed(s.q.Push(take(1)[0]), 1); return accept(1, nil) },
	}
	if nq, ok := s.q.(taskwork.NodeQueue[packet]); ok {
		batch := taskwork.NewBatch(nq, 1+rng.IntN(10))
		forms = append(forms,
			func() bool {
				s.pushed(nq.PushNode(&taskwork.Node[packet]{Value: take(1)[0]}), 1)
				return accept(1, nil)
			},
			func() bool {
				var c taskwork.Chain[packet]
				for _, p := range take(1 + rng.IntN(10)) {
					c.Append(&taskwork.Node[packet]{Value: p})
				}
				k := c.Len()
				s.pushed(nq.PushChain(&c), k)
				return accept(k, nil)
			},
			func() bool {
				for _, p := range take(1 + rng.IntN(20)) {
					held := batch.Len() + 1
					if wake := batch.Push(p); batch.Len() == 0 {
						s.pushed(wake, held)
						accept(held, nil)
					}
				}
				held := batch.Len()
				s.pushed(batch.Flush(), held)
				return accept(held, nil)
			})
	}
	// Some producers have an order of their own: urgent packets, or those of a handle.
	if sq, ok := s.q.(*spinlist.Queue[packet]); ok && producer%4 == 3 {
		forms = []func() bool{
			func() bool { s.pushed(sq.PushUrgent(take(1)[0]), 1); return accept(1, nil) },
			func() bool {
				s.pushed(sq.PushUrgentNode(&taskwork.Node[packet]{Value: take(1)[0]}), 1)
				return accept(1, nil)
			},
		}
	}
	if lq, ok := s.q.(*lanes.Queue[packet]); ok && producer%2 == 1 {
		p := lq.Producer()
		defer p.Close()
		forms = []func() bool{
			func() bool { s.pushed(p.Push(take(1)[0]), 1); return accept(1, nil) },
			func() bool {
				ps := take(1 + rng.IntN(10))
				s.pushed(p.PushAll(ps), len(ps))
				return accept(len(ps), nil)
			},
		}
	}
	for seq < n && forms[rng.IntN(len(forms))]() {
		if rng.IntN(20) == 0 {
			runtime.Gosched()
		}
	}
}

// start starts some producers.
func (s sink) start(b *books, wg *sync.WaitGroup, rng *rand.Rand) {
	for p := range b.accepted {
		n, own := 1+rng.IntN(300), rand.New(rand.NewPCG(rng.Uint64(), 2))
		wg.Go(func() { s.produce(b, p, n, own) })
	}
}

func newBooks(t *testing.T, rng *rand.Rand) *books {
	producers := 1 + rng.IntN(8)
	return &books{t: t, next: make([]int, producers), accepted: make([]int, producers)}
}
