package sock

import (
	"math/rand/v2"
	"net"
	"sync/atomic"
)

// client sends messages over one connection as fast as the connection takes them, several with each write as a busy peer's
// kernel would.
type client struct {
	id   uint32
	nc   net.Conn
	size int
	buf  []byte
	// seq is the next message's number; it goes on from phase to phase. The goroutine in send owns it.
	seq uint64
	// sent counts messages that were written. send writes it, anybody reads it.
	sent atomic.Int64
}

func newClient(id uint32, nc net.Conn, size, batch int) *client {
	c := &client{id: id, nc: nc, size: size, buf: make([]byte, batch*size)}
	// Payloads differ by connection and by place, so that a mix-up changes the checksum.
	rng := rand.NewChaCha8([32]byte{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)})
	_, _ = rng.Read(c.buf) // never fails
	return c
}

// send writes messages until stop is set.
func (c *client) send(stop *atomic.Bool) error {
	for !stop.Load() {
		for at := 0; at < len(c.buf); at += c.size {
			seal(c.buf[at:at+c.size], c.id, c.seq)
			c.seq++
		}
		if _, err := c.nc.Write(c.buf); err != nil {
			return err
		}
		c.sent.Add(int64(len(c.buf) / c.size))
	}
	return nil
}
