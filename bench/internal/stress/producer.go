package stress

import (
	"fmt"
	"runtime"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/lanes"
)

// item is an entry: the number of a stream, within which order is kept, and a sequence number.
type item struct{ stream, seq uint32 }

// ledger is the consumer's book: what has come of each stream. The consumer side of the queue owns it.
type ledger struct {
	next map[uint32]uint32
	n    int64
	err  error
}

func newLedger() *ledger { return &ledger{next: map[uint32]uint32{}} }

// enter books an entry that was handed out.
func (l *ledger) enter(it item) {
	if due := l.next[it.stream]; it.seq != due && l.err == nil {
		l.err = fmt.Errorf("stream %d: entry %d came, %d was due", it.stream, it.seq, due)
	}
	l.next[it.stream] = it.seq + 1
	l.n++
}

// newQueue makes the episode's queue.
func newQueue[T any](e *env) taskwork.Queue[T] {
	for _, q := range ours.All[T]() {
		if q.Name == e.queue {
			return q.New()
		}
	}
	panic("no queue " + e.queue)
}

// producer pushes in every form that its queue knows, and keeps count. One goroutine uses it.
type producer struct {
	*env
	q      taskwork.Queue[item]
	stream func() uint32 // returns the number of a new stream
	pushed func(wake bool, n int)

	now   uint32 // the stream
	seq   uint32
	count int64
	batch *taskwork.Batch[item]
	lane  *lanes.Producer[item]
}

// newProducer returns a producer with a random source of its own.
func newProducer(e *env, q taskwork.Queue[item], stream func() uint32, pushed func(bool, int)) *producer {
	own := *e
	own.Rand = fork(e)
	return &producer{env: &own, q: q, stream: stream, pushed: pushed, now: stream()}
}

func (p *producer) item() item {
	it := item{p.now, p.seq}
	p.seq++
	p.count++
	return it
}

func (p *producer) items(n int) []item {
	some := make([]item, n)
	for i := range some {
		some[i] = p.item()
	}
	return some
}

// push pushes about n entries.
func (p *producer) push(n int) {
	for end := p.count + int64(n); p.count < end; {
		switch q := p.q.(type) {
		case *lanes.Queue[item]:
			p.pushLane(q)
		case taskwork.NodeQueue[item]:
			p.pushNodes(q)
		default:
			p.pushed(q.Push(p.item()), 1)
		}
		if p.IntN(50) == 0 {
			runtime.Gosched()
		}
	}
	p.flush()
}

// pushNodes pushes once in one of the forms of a queue of nodes.
func (p *producer) pushNodes(q taskwork.NodeQueue[item]) {
	if p.batch == nil {
		p.batch = taskwork.NewBatch(q, 1+p.IntN(20))
	}
	form := p.IntN(5)
	if form != 4 {
		p.flush() // what is held back comes first
	}
	switch form {
	case 0:
		p.pushed(q.Push(p.item()), 1)
	case 1:
		n := p.IntN(4)
		p.pushed(q.PushAll(p.items(n)), n)
	case 2:
		p.pushed(q.PushNode(&taskwork.Node[item]{Value: p.item()}), 1)
	case 3:
		var c taskwork.Chain[item]
		n := p.IntN(4)
		for range n {
			c.Append(&taskwork.Node[item]{Value: p.item()})
		}
		p.pushed(q.PushChain(&c), n)
	case 4:
		for range 1 + p.IntN(30) {
			held := p.batch.Len()
			wake := p.batch.Push(p.item())
			if p.batch.Len() == 0 {
				p.pushed(wake, held+1)
			}
		}
	}
}

// flush publishes what the batch holds back.
func (p *producer) flush() {
	if p.batch != nil {
		n := p.batch.Len()
		p.pushed(p.batch.Flush(), n)
	}
}

// pushLane pushes once, with or without a handle. A change of handle is the start of a new stream: order ends with it.
func (p *producer) pushLane(q *lanes.Queue[item]) {
	if p.IntN(100) == 0 {
		if p.lane != nil {
			p.lane.Close()
			p.lane = nil
		} else {
			p.lane = q.Producer()
		}
		p.now, p.seq = p.stream(), 0
	}
	n := p.IntN(4)
	switch {
	case p.lane == nil && n == 0:
		p.pushed(q.Push(p.item()), 1)
	case p.lane == nil:
		p.pushed(q.PushAll(p.items(n)), n)
	case n == 0:
		p.pushed(p.lane.Push(p.item()), 1)
	default:
		p.pushed(p.lane.PushAll(p.items(n)), n)
	}
}

// end lets go of a handle.
func (p *producer) end() {
	if p.lane != nil {
		p.lane.Close()
	}
}
