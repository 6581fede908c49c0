package stress

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
)

// fork returns a source of random numbers that depends on e's.
func fork(e *env) *rand.Rand { return rand.New(rand.NewPCG(e.Uint64(), e.Uint64())) }

// streams hands out stream numbers.
func streams() func() uint32 {
	var n atomic.Uint32
	return func() uint32 { return n.Add(1) }
}

// kick is the contract itself: every wake starts a consumer, which runs until the queue is at rest.
func kick(e *env) error {
	q := newQueue[item](e)
	book := newLedger()
	var wakes, rests atomic.Int64
	var inside atomic.Int32 // handlers: never more than one
	var overlap atomic.Bool
	var consumers sync.WaitGroup
	capped, yields := e.IntN(3)*e.IntN(10), e.IntN(2) == 0
	run := func() {
		defer consumers.Done()
		for more := true; more; {
			stats := taskwork.Run(q, capped, func(it item) {
				if inside.Add(1) != 1 {
					overlap.Store(true)
				}
				book.enter(it)
				if yields && it.seq%64 == 0 {
					runtime.Gosched()
				}
				inside.Add(-1)
			})
			if more = stats.More; !more {
				rests.Add(1)
			}
		}
	}
	pushed := func(wake bool, _ int) {
		if wake {
			wakes.Add(1)
			consumers.Add(1)
			go run()
		}
	}
	accepted := produce(e, q, streams(), pushed, 1+e.IntN(1<<e.IntN(7)), 2000)
	consumers.Wait()
	e.t.Entries.Add(accepted)
	e.t.Wakes.Add(wakes.Load())
	switch {
	case book.err != nil:
		return book.err
	case overlap.Load():
		return errors.New("two consumers at a time")
	case book.n != accepted:
		return fmt.Errorf("%d entries were pushed, %d came", accepted, book.n)
	case wakes.Load() != rests.Load():
		return fmt.Errorf("%d wakes, but %d rests", wakes.Load(), rests.Load())
	case !q.Resting():
		return errors.New("the queue is not at rest in the end")
	}
	return nil
}

// produce lets so many producers push about each entries each, and returns how many they were in all. Some take breaks, so that
// the queue comes to rest now and then.
func produce(e *env, q taskwork.Queue[item], stream func() uint32, pushed func(bool, int), producers, each int) int64 {
	var all sync.WaitGroup
	var count atomic.Int64
	breaks := e.IntN(3)
	for range producers {
		p := newProducer(e, q, stream, pushed)
		all.Go(func() {
			for range 10 {
				p.push(each / 10)
				if breaks > 0 {
					time.Sleep(time.Duration(p.IntN(breaks*50)) * time.Microsecond)
				}
			}
			p.end()
			count.Add(p.count)
		})
	}
	all.Wait()
	return count.Load()
}
