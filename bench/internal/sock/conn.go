package sock

import (
	"net"
	"sync/atomic"

	"github.com/taskwork/taskwork"
)

// request is one receive buffer of a connection, and the completion that tells of its message: the node with which it is
// queued is a part of it, so a completion costs no memory. It goes round for ever: armed, filled by the reader, pushed,
// checked by the consumer, armed again.
type request struct {
	node taskwork.Node[*request]
	conn *conn
	buf  []byte
}

// conn is the ring's side of one client: a ring of receive buffers in one piece of memory, so that one read can complete
// several requests.
//
//	        head                 what the reader may fill: armed slots
//	         ▼     ┌───────────────────┐
//	│ slot │ slot │ slot │ slot │ slot │ slot │
//	  └──────────── pushed, not armed again yet: the consumer's ────┘
//
// The queue hands one producer's entries out in order, so slots come back in order and a count of them is all that has to be
// exchanged.
type conn struct {
	id   uint32
	nc   net.Conn
	size int
	buf  []byte
	reqs []request

	// The reader's own: the slot that is filled next, how many from there on are armed, and how many bytes of the first of
	// them have arrived.
	head, have, partial int

	// armed counts slots that the consumer has given back and the reader has not seen; asleep while the reader waits for one.
	// Consumer and reader change it by atomic operations only.
	armed atomic.Int32
	// wake carries the give that ends a reader's sleep. It has room for it, so the consumer never blocks.
	wake chan struct{}

	// expect is the sequence number of the next message. The active consumer's own.
	expect uint64
}

const asleep = -1

func newConn(id uint32, nc net.Conn, size, slots int) *conn {
	c := &conn{
		id: id, nc: nc, size: size, have: slots,
		buf:  make([]byte, slots*size),
		reqs: make([]request, slots),
		wake: make(chan struct{}, 1),
	}
	for i := range c.reqs {
		c.reqs[i].conn = c
		c.reqs[i].buf = c.buf[i*size : (i+1)*size]
	}
	return c
}

// arm gives one slot back to the reader, and wakes it if it waits for one. The active consumer only.
func (c *conn) arm() {
	if c.armed.Add(1) == asleep+1 {
		c.wake <- struct{}{}
	}
}

// await sees to it that the reader has a slot; it sleeps while all of them are with the consumer. It is false when done is
// closed.
func (c *conn) await(done <-chan struct{}) bool {
	for c.have == 0 {
		if c.have = int(c.armed.Swap(0)); c.have > 0 {
			break
		}
		if c.armed.CompareAndSwap(0, asleep) {
			select {
			case <-c.wake:
				c.have = 1 // the one that turned asleep into zero
			case <-done:
				return false
			}
		}
	}
	return true
}

// read fills slots from the connection and pushes a completion for each full one, through whatever ring is current. It ends
// with the connection or with done; err is why, if the connection failed before done was closed.
func (c *conn) read(current func() *phase, done <-chan struct{}) (err error) {
	var ph *phase
	var push func(*request)
	for c.await(done) {
		start := c.head*c.size + c.partial
		end := min(c.head+c.have, len(c.reqs)) * c.size
		n, err := c.nc.Read(c.buf[start:end])
		if err != nil {
			select {
			case <-done:
				return nil
			default:
				return err
			}
		}
		// A phase changes only while nothing is on its way, so what has just arrived belongs to the current one.
		if now := current(); now != ph {
			ph, push = now, now.ring.sender()
		}
		for c.partial += n; c.partial >= c.size; c.partial -= c.size {
			r := &c.reqs[c.head]
			c.head = (c.head + 1) % len(c.reqs)
			c.have--
			push(r)
		}
	}
	return nil
}
