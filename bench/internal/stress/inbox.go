package stress

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
)

// inbox lets producers push, lazily and not, into an Inbox whose receiver changes its mind all the time about how much it wants and
// how long it waits, and closes it at some time.
func inbox(e *env) error {
	q := newQueue[item](e)
	book := newLedger()
	var cancelled atomic.Int64
	in := taskwork.NewInbox(q, taskwork.InboxConfig[item]{Cancel: func(item) { cancelled.Add(1) }})

	var accepted atomic.Int64
	var all sync.WaitGroup
	stream := streams()
	for range 1 + e.IntN(8) {
		rng, s, seq := fork(e), stream(), uint32(0)
		all.Go(func() {
			for seq < 2000 {
				var err error
				n := uint32(1)
				switch rng.IntN(4) {
				case 0:
					err = in.Push(item{s, seq})
				case 1, 2:
					err = in.PushLazy(item{s, seq})
				case 3:
					n = 2
					err = in.PushAll([]item{{s, seq}, {s, seq + 1}})
				}
				if err != nil {
					return
				}
				seq += n
				accepted.Add(int64(n))
				if rng.IntN(300) == 0 {
					time.Sleep(time.Duration(rng.IntN(50)) * time.Microsecond)
				}
			}
		})
	}
	received := make(chan error, 1)
	rng := fork(e)
	go func() { received <- receiveAll(&env{rng, e.queue, e.t}, in, book) }()
	if e.IntN(2) == 0 {
		accepted.Add(produce(e, q, stream, in.Pushed, 1+e.IntN(4), 1000))
	}
	if e.IntN(2) == 0 {
		all.Wait()
	} else {
		time.Sleep(time.Duration(e.IntN(3000)) * time.Microsecond)
	}
	e.t.Closes.Add(1)
	in.Close()
	err := <-received
	all.Wait()
	e.t.Entries.Add(accepted.Load())
	e.t.Wakes.Add(in.Totals().Wakes)
	e.t.Cancelled.Add(cancelled.Load())
	switch {
	case err != nil:
		return err
	case book.err != nil:
		return book.err
	case book.n+cancelled.Load() != accepted.Load():
		return fmt.Errorf("%d accepted, but %d received and %d cancelled", accepted.Load(), book.n, cancelled.Load())
	case !q.Resting():
		return errors.New("the queue is not at rest in the end")
	}
	return nil
}

// receiveAll receives until it is told that the Inbox is closed.
func receiveAll(e *env, in *taskwork.Inbox[item], book *ledger) error {
	for {
		dst := make([]item, 1+e.IntN(64))
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+e.IntN(2000))*time.Microsecond)
		n, err := in.RecvBatch(ctx, dst, e.IntN(len(dst)+2), time.Duration(e.IntN(500))*time.Microsecond)
		cancel()
		for _, it := range dst[:n] {
			book.enter(it)
		}
		switch {
		case errors.Is(err, taskwork.ErrClosed):
			if n > 0 {
				return errors.New("entries along with ErrClosed")
			}
			return nil
		case n == 0 && err == nil:
			return errors.New("neither an entry nor an error")
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		if v, ok := in.TryRecv(); ok {
			book.enter(v)
		}
	}
}
