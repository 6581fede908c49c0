package sock

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// budget is how many completions the consumer handles before it yields its processor to the readers. It is the same for every
// queue and for the channel, so that "entries per run" compares.
const budget = 256

// ring carries completions from the readers to one consumer. A ring lives for one phase.
type ring interface {
	// sender returns the function with which one reader pushes, and which that reader alone calls.
	sender() func(*request)
	// stop ends the consumer, when everything that was pushed has been handled, and waits for it.
	stop()
	// tally tells what the consumer has done so far. Any goroutine may call it.
	tally() tally
}

// tally is what a ring's consumer has done: runs, those for which a push had to wake it, and entries handled.
type tally struct {
	Runs, Woken, Handled int64
}

// inboxRing is a queue of the library with its sleeping consumer.
type inboxRing struct {
	in     *taskwork.Inbox[*request]
	q      taskwork.Queue[*request]
	handle func(*request)
	// handled is written once a receive, when its entries have been handled.
	handled atomic.Int64
	ended   chan struct{}
}

func newInboxRing(q taskwork.Queue[*request], handle func(*request)) ring {
	r := &inboxRing{
		in: taskwork.NewInbox(q, taskwork.InboxConfig[*request]{}), q: q,
		handle: handle, ended: make(chan struct{}),
	}
	go r.run()
	return r
}

func (r *inboxRing) sender() func(*request) {
	if q, ok := r.q.(taskwork.NodeQueue[*request]); ok {
		return func(req *request) {
			req.node.Value = req
			r.in.Pushed(q.PushNode(&req.node), 1)
		}
	}
	push := ours.Sender(r.q)
	return func(req *request) { r.in.Pushed(push(req), 1) }
}

func (r *inboxRing) run() {
	defer close(r.ended)
	dst := make([]*request, budget)
	for {
		n, err := r.in.RecvBatch(context.Background(), dst, 1, 0)
		if err != nil {
			return // closed, and nothing is left
		}
		for i, req := range dst[:n] {
			dst[i] = nil
			r.handle(req)
		}
		r.handled.Add(int64(n))
		if n == budget {
			runtime.Gosched()
		}
	}
}

func (r *inboxRing) tally() tally {
	t := r.in.Totals()
	return tally{Runs: t.Runs, Woken: t.Wakes, Handled: r.handled.Load()}
}

func (r *inboxRing) stop() {
	r.in.Close()
	<-r.ended
}

// channelRing is the same over a buffered channel, with one goroutine that sleeps in its receive.
type channelRing struct {
	ch     chan *request
	handle func(*request)
	// Written once a run, when its entries have been handled.
	runs, woken, handled atomic.Int64
	ended                chan struct{}
}

// channelCap is the capacity that the whole of bench gives a channel.
const channelCap = 1024

func newChannelRing(handle func(*request)) ring {
	c := &channelRing{ch: make(chan *request, channelCap), handle: handle, ended: make(chan struct{})}
	go c.run()
	return c
}

func (c *channelRing) sender() func(*request) {
	return func(r *request) { c.ch <- r }
}

func (c *channelRing) run() {
	defer close(c.ended)
	for {
		r, ok := c.poll()
		if r == nil && ok {
			if r, ok = <-c.ch; ok {
				c.woken.Add(1)
			}
		}
		if !ok {
			return
		}
		n := int64(0)
		for ; r != nil; r, _ = c.poll() {
			c.handle(r)
			if n++; n == budget {
				break
			}
		}
		c.runs.Add(1)
		c.handled.Add(n)
		if n == budget {
			runtime.Gosched()
		}
	}
}

// poll is a receive that does not wait: nil and true if nothing is there, nil and false once the channel is closed.
func (c *channelRing) poll() (*request, bool) {
	select {
	case r, ok := <-c.ch:
		return r, ok
	default:
		return nil, true
	}
}

func (c *channelRing) tally() tally {
	return tally{Runs: c.runs.Load(), Woken: c.woken.Load(), Handled: c.handled.Load()}
}

func (c *channelRing) stop() {
	close(c.ch)
	<-c.ended
}
