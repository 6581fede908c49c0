package taskwork_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
)

// TestStressInbox is the storm around Inboxes: minimums, room, lingers and contexts of every kind, and Close at any time.
func TestStressInbox(t *testing.T) {
	storm(t, func(t *testing.T, row queueOf[packet], rng *rand.Rand) {
		s := &inboxStorm{t: t, rng: rng, b: newBooks(t, rng), dst: make([]packet, 32)}
		q := row.new()
		s.in = taskwork.NewInbox(q, taskwork.InboxConfig[packet]{Cancel: s.b.dispose})
		var wg sync.WaitGroup
		kinds := []sink{
			{q: q, push: s.in.Push, pushAll: s.in.PushAll, pushed: s.in.Pushed},
			{q: q, push: s.in.PushLazy, pushAll: s.in.PushAll, pushed: s.in.PushedLazy},
			{q: q, push: s.in.PushLazy, pushAll: s.lazyAll(q), pushed: s.in.PushedLazy},
		}
		kinds[rng.IntN(len(kinds))].start(s.b, &wg, rng)
		closeAfter := time.Duration(rng.IntN(1000)) * time.Microsecond
		var closer sync.WaitGroup
		if rng.IntN(2) == 0 {
			closer.Go(func() {
				time.Sleep(closeAfter)
				s.in.Close()
			})
		} else {
			closer.Go(func() {
				wg.Wait()
				s.in.Close()
			})
		}
		for !errors.Is(s.receive(), taskwork.ErrClosed) {
		}
		closer.Wait()
		wg.Wait()
		if !q.Resting() {
			t.Error("the queue does not rest after ErrClosed")
		}
		totals := s.in.Totals()
		s.b.balance(totals)
		if totals.Handled != s.received {
			t.Errorf("received %d; Totals: %+v", s.received, totals)
		}
	})
}

type inboxStorm struct {
	t   *testing.T
	rng *rand.Rand
	b   *books
	in  *taskwork.Inbox[packet]
	dst []packet
	// received belongs to the receiver.
	received int64
}

// took is called with what was received before anything else is: after ErrClosed a late push is the consumer.
func (s *inboxStorm) took(ps ...packet) {
	for _, p := range ps {
		s.b.dispose(p)
	}
	s.received += int64(len(ps))
}

// lazyAll is a lazy PushAll, which an Inbox does not have. It is not refused.
func (s *inboxStorm) lazyAll(q taskwork.Queue[packet]) func(ps []packet) error {
	return func(ps []packet) error {
		s.in.PushedLazy(q.PushAll(ps), len(ps))
		return nil
	}
}

// receive is one receive of a random kind.
func (s *inboxStorm) receive() error {
	some := func(n int) time.Duration { return time.Duration(s.rng.IntN(n)) * time.Microsecond }
	ctx, cancel := context.Background(), func() {}
	switch s.rng.IntN(5) {
	case 0:
		ctx, cancel = context.WithTimeout(ctx, some(100))
	case 1:
		ctx, cancel = context.WithCancel(ctx)
		time.AfterFunc(some(100), cancel)
	case 2:
		ctx = ended()
	}
	defer cancel()
	switch s.rng.IntN(8) {
	case 0:
		if p, ok := s.in.TryRecv(); ok {
			s.took(p)
		}
		return nil
	case 1:
		p, err := s.in.Recv(ctx)
		if err != nil {
			return s.check(ctx, 0, err)
		}
		s.took(p)
		return nil
	case 2:
		for p := range s.in.All(ctx) {
			if s.took(p); s.rng.IntN(5) == 0 {
				break
			}
		}
		return nil
	}
	atLeast, room, linger := 1+s.rng.IntN(10), 1+s.rng.IntN(32), time.Duration(0)
	if s.rng.IntN(3) == 0 {
		linger = some(100)
	}
	n, err := s.in.RecvBatch(ctx, s.dst[:room], atLeast, linger)
	s.took(s.dst[:n]...)
	return s.check(ctx, n, err)
}

// check judges the error of a receive, and passes it on.
func (s *inboxStorm) check(ctx context.Context, n int, err error) error {
	switch {
	case err == nil && n == 0:
		s.t.Error("a receive returned 0 and nil")
	case err == nil:
	case errors.Is(err, taskwork.ErrClosed):
		if n > 0 {
			s.t.Errorf("a receive returned %d entries and ErrClosed", n)
		}
	case !errors.Is(err, ctx.Err()):
		s.t.Errorf("a receive returned %v, and ctx says %v", err, ctx.Err())
	}
	return err
}
