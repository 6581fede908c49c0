package ours

import (
	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/lanes"
)

// pushLoop pushes the n entries from first on as producer p.
type pushLoop = func(p int, first entry, n int)

// form is one way to bring entries to a queue.
type form struct {
	name string
	// fits tells whether the queue can be used so, with publications of so many entries.
	fits func(q taskwork.Queue[entry], chunk int) bool
	// push makes the producers' loop. What each publication reports goes to duty.
	push func(q taskwork.Queue[entry], set setup, d duty) pushLoop
	// pair pushes and pops single entries in one goroutine; nil: push serves.
	pair func(q taskwork.Queue[entry], s *sink, first entry, n int)
}

// Names of the forms.
const (
	Nodes  = "own nodes"
	Values = "values"
	Handle = "handles"
	Batch  = "Batch(64)"
)

func forms() []form {
	return []form{
		{Nodes, takesNodes, pushNodes, pairNodes},
		{Batch, func(q taskwork.Queue[entry], chunk int) bool { return takesNodes(q, chunk) && chunk == 1 }, pushBatch, nil},
		{Handle, hasHandles, pushHandles, pairHandles},
		{Values, func(taskwork.Queue[entry], int) bool { return true }, pushValues, pairValues},
	}
}

// duty is where a producer reports what its push has reported: to the Inbox or Runner, or to nobody, where the harness itself is
// the consumer of a queue that never rests.
type duty struct {
	in *taskwork.Inbox[entry]
	r  *taskwork.Runner[entry]
}

// report hands over the result of a push that carried n entries.
func (d duty) report(wake bool, n int) {
	if d.in != nil {
		d.in.Pushed(wake, n)
	} else if wake {
		d.r.Pushed(true)
	}
}

func takesNodes(q taskwork.Queue[entry], _ int) bool {
	_, ok := q.(taskwork.NodeQueue[entry])
	return ok
}

// pushNodes pushes nodes that each producer owns: as many as it may have on the way, used in turn.
func pushNodes(queue taskwork.Queue[entry], set setup, d duty) pushLoop {
	q := queue.(taskwork.NodeQueue[entry])
	nodes := make([][]taskwork.Node[entry], set.Producers)
	for p := range nodes {
		nodes[p] = make([]taskwork.Node[entry], set.Room)
	}
	if set.Chunk > 1 {
		chains := make([]taskwork.Chain[entry], set.Producers)
		return func(p int, first entry, n int) {
			for block := ring(nodes[p], first, n); len(block) > 0; block = block[set.Chunk:] {
				for i := range set.Chunk {
					block[i].Value = first
					first++
					chains[p].Append(&block[i])
				}
				d.report(q.PushChain(&chains[p]), set.Chunk)
			}
		}
	}
	return func(p int, first entry, n int) {
		block := ring(nodes[p], first, n)
		for i := range block {
			block[i].Value = first
			first++
			d.report(q.PushNode(&block[i]), 1)
		}
	}
}

// ring returns the nodes for the n entries from first on. Rooms are multiples of a block, so they lie side by side.
func ring(nodes []taskwork.Node[entry], first entry, n int) []taskwork.Node[entry] {
	at := int(measure.Sequence(first) % uint64(len(nodes)))
	return nodes[at : at+n]
}

func pairNodes(queue taskwork.Queue[entry], s *sink, first entry, n int) {
	q := queue.(taskwork.NodeQueue[entry])
	var node taskwork.Node[entry]
	for e := first; e < first+entry(n); e++ {
		node.Value = e
		q.PushNode(&node)
		if got, ok := q.Pop(); ok {
			s.Take(got)
		}
	}
}

// pushValues pushes plain values, for which the queue finds memory itself.
func pushValues(q taskwork.Queue[entry], set setup, d duty) pushLoop {
	if set.Chunk > 1 {
		return pushAll(set.Chunk, func(_ int, es []entry) { d.report(q.PushAll(es), len(es)) })
	}
	return func(_ int, first entry, n int) {
		for e := first; e < first+entry(n); e++ {
			d.report(q.Push(e), 1)
		}
	}
}

func pairValues(q taskwork.Queue[entry], s *sink, first entry, n int) {
	for e := first; e < first+entry(n); e++ {
		q.Push(e)
		if got, ok := q.Pop(); ok {
			s.Take(got)
		}
	}
}

// batchSize is how many entries a Batch holds back.
const batchSize = 64

// pushBatch pushes plain values into a Batch for each producer, which publishes them by the 64.
func pushBatch(queue taskwork.Queue[entry], set setup, d duty) pushLoop {
	batches := make([]*taskwork.Batch[entry], set.Producers)
	for p := range batches {
		batches[p] = taskwork.NewBatch(queue.(taskwork.NodeQueue[entry]), batchSize)
	}
	return func(p int, first entry, n int) {
		b := batches[p]
		for e := first; e < first+entry(n); e++ {
			if wake := b.Push(e); b.Len() == 0 {
				d.report(wake, batchSize)
			}
		}
	}
}

func hasHandles(q taskwork.Queue[entry], _ int) bool {
	_, ok := q.(*lanes.Queue[entry])
	return ok
}

// pushHandles pushes plain values through a handle for each producer.
func pushHandles(queue taskwork.Queue[entry], set setup, d duty) pushLoop {
	handles := make([]*lanes.Producer[entry], set.Producers)
	for p := range handles {
		handles[p] = queue.(*lanes.Queue[entry]).Producer()
	}
	if set.Chunk > 1 {
		return pushAll(set.Chunk, func(p int, es []entry) { d.report(handles[p].PushAll(es), len(es)) })
	}
	return func(p int, first entry, n int) {
		h := handles[p]
		for e := first; e < first+entry(n); e++ {
			d.report(h.Push(e), 1)
		}
	}
}

func pairHandles(q taskwork.Queue[entry], s *sink, first entry, n int) {
	h := q.(*lanes.Queue[entry]).Producer()
	for e := first; e < first+entry(n); e++ {
		h.Push(e)
		if got, ok := q.Pop(); ok {
			s.Take(got)
		}
	}
	h.Close()
}

// pushAll makes chunks of entries and hands each to push.
func pushAll(chunk int, push func(p int, es []entry)) pushLoop {
	return func(p int, first entry, n int) {
		es := make([]entry, 0, measure.AckEvery)
		for e := first; e < first+entry(n); e++ {
			if es = append(es, e); len(es) == chunk {
				push(p, es)
				es = es[:0]
			}
		}
	}
}
