// Package peers holds what people use in place of the queues of this module, each behind a small adapter that uses it in the way
// its documentation suggests: what comes with Go, and what other modules offer.
//
// An adapter says how its queue blocks and what it allocates. A queue that cannot do a column (a bounded one that nobody
// consumes, one without a way to sleep) has none there.
package peers

import (
	"runtime"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

type (
	entry    = measure.Entry
	instance = measure.Instance
	setup    = measure.Setup
	sink     = measure.Sink
	subject  = measure.Subject
)

// Capacity is that of every bounded queue here: they have no default.
const Capacity = 1024

// All returns every peer, what comes with Go first.
func All() []measure.Subject {
	all := []measure.Subject{
		channel(),
		mutexSlices(),
		mutexDeque(),
		umpsc(),
		mpmc(),
		gnetQueue(),
		workivaRing(),
		workivaQueue(),
	}
	return append(all, lscqQueue()...)
}

// poll makes a consumer that polls out of a function that takes an entry if there is one.
func poll(pop func() (entry, bool)) func(*sink) {
	return func(s *sink) {
		for !s.Done() {
			if e, ok := pop(); ok {
				s.Take(e)
			} else if s.Dry() {
				return
			}
		}
	}
}

// pair makes a [measure.Instance.Pair] out of the two halves.
func pair(push func(entry), pop func() (entry, bool)) func(*sink, entry, int) {
	return func(s *sink, first entry, n int) {
		for e := first; e < first+entry(n); e++ {
			push(e)
			for {
				if got, ok := pop(); ok {
					s.Take(got)
					break
				}
				runtime.Gosched()
			}
		}
	}
}

// each makes a [measure.Instance.Push] out of a push of one entry that tells whether there was room.
func each(push func(entry) bool) func(int, entry, int) {
	return func(_ int, first entry, n int) {
		for e := first; e < first+entry(n); e++ {
			for !push(e) {
				runtime.Gosched()
			}
		}
	}
}
