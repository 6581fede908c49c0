// Package sock puts the queues to work on real input: a consumer of receive completions in the manner of io_uring.
//
//	client ──TCP──▶ reader ──┐ push
//	client ──TCP──▶ reader ──┼──────▶ [ ring ] ──▶ consumer: check, arm the buffer again
//	client ──TCP──▶ reader ──┘                        │
//	                  ▲                               │
//	                  └───────── free buffers ────────┘
//
// Clients send fixed-size messages over loopback. For each connection a reader goroutine receives into a small ring of buffers
// and pushes a completion for each full one; the node that carries it is embedded in the request, so nothing is allocated. One
// consumer checks sequence number and checksum and gives the buffer back. The same connections serve every ring in turn, a
// slice of time each, round after round, so that a machine that slows down slows them all.
package sock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork/bench/internal/ours"
)

// Channel is the name of the ring over a buffered channel.
const Channel = "channel"

// Config says what to run. All fields are required but Progress.
type Config struct {
	Clients  []int         // one series for each count
	Size     int           // bytes of a message
	Duration time.Duration // for each ring and client count
	Rings    []string      // names from [Rings]
	// Progress is told, about ten times a second, how much of the time planned has passed and what is being done.
	Progress func(passed time.Duration, what string)
}

// Result is what one ring did with one number of clients.
type Result struct {
	Clients  int
	Ring     string
	Messages int64
	Elapsed  time.Duration
	Runs     int64
	Woken    int64
	Errors   int64
	FirstErr string `json:",omitempty"`
}

// Rings returns the names of all rings, the channel last.
func Rings() []string {
	return append(ours.Names(), Channel)
}

// newRing makes the ring of that name; its consumer calls handle.
func newRing(name string, handle func(*request)) (ring, error) {
	if name == Channel {
		return newChannelRing(handle), nil
	}
	for _, q := range ours.All[*request]() {
		if q.Name == name {
			return newInboxRing(q.New(), handle), nil
		}
	}
	return nil, fmt.Errorf("no ring %q", name)
}

// rounds is how often each ring gets its turn; a slice much shorter than minSlice would measure its start.
const (
	rounds   = 4
	minSlice = 100 * time.Millisecond
)

// Run runs everything that cfg asks for. When ctx ends, or something fails, it returns what has been measured so far, and in
// the latter case an error.
func Run(ctx context.Context, cfg Config) ([]Result, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(time.Duration, string) {}
	}
	var results []Result
	for _, clients := range cfg.Clients {
		some, err := series(ctx, cfg, clients)
		results = append(results, some...)
		if err != nil {
			return results, fmt.Errorf("%d clients: %w", clients, err)
		}
	}
	return results, nil
}

// series measures all rings with one number of clients, in turn.
func series(ctx context.Context, cfg Config, clients int) ([]Result, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	cfg.Progress(0, fmt.Sprintf("connecting %d clients", clients))
	s, err := newServer(clients, cfg.Size)
	if err != nil {
		return nil, err
	}
	defer s.close()
	turns := max(1, min(rounds, int(cfg.Duration/minSlice)))
	slice := cfg.Duration / time.Duration(turns)
	results := make([]Result, len(cfg.Rings))
	for round := range turns {
		for i := range cfg.Rings {
			// Each round starts with another ring, so that none always comes after the same one.
			i = (i + round) % len(cfg.Rings)
			if ctx.Err() != nil {
				return measured(results), nil
			}
			name := cfg.Rings[i]
			what := fmt.Sprintf("%d clients, %s", clients, name)
			r, err := newRing(name, s.handle)
			if err != nil {
				return nil, err
			}
			res, err := s.phase(ctx, r, slice, func(d time.Duration) { cfg.Progress(d, what) })
			res.Ring = name
			res.add(&results[i])
			results[i] = res
			if err != nil {
				return measured(results), fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return results, nil
}

// add adds what earlier turns have measured.
func (r *Result) add(earlier *Result) {
	r.Messages += earlier.Messages
	r.Elapsed += earlier.Elapsed
	r.Runs += earlier.Runs
	r.Woken += earlier.Woken
	r.Errors += earlier.Errors
	if earlier.FirstErr != "" {
		r.FirstErr = earlier.FirstErr
	}
}

// measured leaves out the rings that have not had a turn.
func measured(results []Result) []Result {
	var some []Result
	for _, r := range results {
		if r.Elapsed > 0 {
			some = append(some, r)
		}
	}
	return some
}

// phase is a ring's turn, as the readers see it.
type phase struct {
	ring ring
}

// server is the listening side with all its connections, and the clients, too.
type server struct {
	size    int
	conns   []*conn
	clients []*client
	// current is replaced between phases only, when no message is on its way.
	current atomic.Pointer[phase]
	done    chan struct{}
	readers sync.WaitGroup
	// patience is how long nothing may move before what is missing counts as lost.
	patience time.Duration

	// faults are the active consumer's and the readers' findings.
	faults   atomic.Int64
	firstErr atomic.Pointer[string]
}

// bufferBytes is what the kernel may hold for each end of a connection, and about what either side handles at once.
const bufferBytes = 32 << 10

func newServer(clients, size int) (*server, error) {
	s := &server{size: size, done: make(chan struct{}), patience: 15 * time.Second}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer func() { _ = ln.Close() }()
	batch := max(1, min(16, bufferBytes/size))
	for id := range uint32(clients) {
		// One at a time, so that both ends of a connection know each other and the backlog never fills.
		dialled, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			s.close()
			return nil, err
		}
		s.clients = append(s.clients, newClient(id, dialled, size, batch))
		accepted, err := ln.Accept()
		if err != nil {
			s.close()
			return nil, err
		}
		s.conns = append(s.conns, newConn(id, accepted, size, batch))
		for _, nc := range []net.Conn{dialled, accepted} {
			tcp := nc.(*net.TCPConn)
			if err := errors.Join(tcp.SetWriteBuffer(bufferBytes), tcp.SetReadBuffer(bufferBytes)); err != nil {
				s.close()
				return nil, err
			}
		}
	}
	for _, c := range s.conns {
		s.readers.Go(func() {
			if err := c.read(s.current.Load, s.done); err != nil {
				s.fault(fmt.Errorf("connection %d: %w", c.id, err))
			}
		})
	}
	return s, nil
}

// close ends the readers and all connections.
func (s *server) close() {
	close(s.done)
	for _, c := range s.clients {
		_ = c.nc.Close()
	}
	for _, c := range s.conns {
		_ = c.nc.Close()
	}
	s.readers.Wait()
}

// fault counts an error and keeps the first.
func (s *server) fault(err error) {
	s.faults.Add(1)
	text := err.Error()
	s.firstErr.CompareAndSwap(nil, &text)
}

// handle is the consumer's work on one completion.
func (s *server) handle(r *request) {
	c := r.conn
	if err := check(r.buf, c.id, c.expect); err != nil {
		s.fault(fmt.Errorf("connection %d, message %d: %w", c.id, c.expect, err))
	}
	c.expect++
	c.arm()
}

// phase lets the clients send through r for the time given, or until ctx ends, and waits until every message that was sent has
// been handled. An error says that the server is of no more use; damaged messages alone are none.
func (s *server) phase(ctx context.Context, r ring, d time.Duration, passed func(time.Duration)) (res Result, err error) {
	res.Clients = len(s.clients)
	s.faults.Store(0)
	s.firstErr.Store(nil)
	s.current.Store(&phase{ring: r})
	before := s.sent()

	var stop atomic.Bool
	var sending sync.WaitGroup
	start := time.Now()
	for _, c := range s.clients {
		sending.Go(func() {
			if err := c.send(&stop); err != nil {
				s.fault(fmt.Errorf("client %d: %w", c.id, err))
			}
		})
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var shown time.Duration
	for end := time.After(d); ; {
		select {
		case <-tick.C:
			at := min(d, time.Since(start))
			passed(at - shown)
			shown = at
			continue
		case <-end:
			passed(d - shown)
		case <-ctx.Done():
		}
		break
	}
	stop.Store(true)
	lost := s.drain(r, &sending, before)
	res.Elapsed = time.Since(start)
	if lost > 0 {
		s.fault(fmt.Errorf("%d messages were sent and never handled", lost))
		s.faults.Add(lost - 1) // each of them is an error
		err = errors.New("the ring is stuck")
	}
	t := r.tally()
	if err == nil {
		r.stop()
	}
	res.Messages, res.Runs, res.Woken = t.Handled, t.Runs, t.Woken
	res.Errors = s.faults.Load()
	if first := s.firstErr.Load(); first != nil {
		res.FirstErr = *first
	}
	return res, err
}

// sent returns how many messages the clients have written since they were made.
func (s *server) sent() (n int64) {
	for _, c := range s.clients {
		n += c.sent.Load()
	}
	return n
}

// drain waits for the clients, which have been told to stop, and until the ring has handled all that they sent. It returns how
// many messages are missing: above zero only if nothing has moved for a long time.
func (s *server) drain(r ring, sending *sync.WaitGroup, before int64) (lost int64) {
	sent := make(chan struct{})
	go func() {
		sending.Wait()
		close(sent)
	}()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	last, since := int64(-1), time.Now()
	for all := false; ; {
		if handled := r.tally().Handled; handled != last {
			last, since = handled, time.Now()
		}
		if all && s.sent()-before == last {
			return 0
		}
		if time.Since(since) > s.patience {
			if !all {
				// A client hangs in its write, because its buffers never came back.
				for _, c := range s.clients {
					_ = c.nc.Close()
				}
				<-sent
			}
			return max(1, s.sent()-before-last)
		}
		select {
		case <-sent:
			sent, all = nil, true
		case <-poll.C:
		}
	}
}
