// Package explore runs a small concurrent test under every interleaving of its atomic operations.
//
// A stress test samples schedules and hopes; an exploration enumerates them. It is stateless model checking in the manner of
// loom (Rust), dscheck (OCaml) and shuttle: the test body is run again and again, each time under another schedule, until no
// schedule is left that could show anything new.
//
//	        body                    one execution                         the next schedule
//	┌────────────────────┐   ┌──────────────────────────┐   ┌──────────────────────────────────────┐
//	│ fresh state        │   │ p1  ●──●─────────●       │   │ which pairs ● ● were dependent, and  │
//	│ m.Go("p1", …)      ├──▶│ p2  ·  ·  ●──●──·        ├──▶│ not ordered otherwise? Turn one pair │
//	│ m.Go("p2", …)      │   │ c   ·  ·  ·  ·  ●──●──●  │   │ round; keep what went before it.     │
//	│ m.Final(…)         │   └──────────────────────────┘   └──────────────────┬───────────────────┘
//	└────────▲───────────┘     ● an instrumented operation                     │
//	         └───────────────────────────────────────────────────────────────-─┘
//
// Go's memory model makes sync/atomic sequentially consistent, so interleavings are all there is, provided that plain memory
// is free of races. Run the same explorations under -race for that: the hand-over between threads is hidden from the race
// detector, so that only the program's own synchronization orders its plain accesses.
//
// Operations are seen because the packages under test are compiled against twins of sync/atomic, sync, runtime and
// internal/park, which internal/explore/cmd/explore substitutes in an overlay; production source never changes. A test may
// also import the twins itself, as this package's own tests do.
//
// # What a body may do
//
// The body runs at the start of every execution. It builds fresh state, starts threads and registers final checks; it must be
// deterministic: no clock, no random numbers, no map order, no state kept from the execution before. Threads run one at a time
// and change over only before an instrumented operation. Nothing else in a thread may block: no channels, no time.Sleep, no
// sync.RWMutex, and no `go` statement (use [M.Go]; a Runner's Spawn hook is the place). Everything else is ordinary Go.
//
//	explore.Run(t, explore.Config{}, func(m *explore.M) {
//		var q mpscq.Queue[int]
//		nodes := make([]node.Node[int], 2)
//		for i := range nodes {
//			m.Go(fmt.Sprint("p", i), func() {
//				if q.Push(&nodes[i]) {
//					consume(&q)
//				}
//			})
//		}
//		m.Final(func() { m.Assert(q.Empty(), "entries were stranded") })
//	})
//
// # What is found
//
// Failed assertions, panics, deadlock (threads wait while all others have ended: with entries queued, a missed wakeup), livelock
// (threads yield for ever), unbounded spinning (the step limit), bodies that are not deterministic, and tests that instrument
// nothing. The shortest failing schedule that can be found in a second or two is printed with a string that replays it:
//
//	EXPLORE_REPLAY='p0*3.p1*2.c1.p0' go run ./internal/explore/cmd/explore -run TestName ./mpscq
//
// # Assumptions
//
// A yield (runtime.Gosched) is taken for a request to wait until something that the thread has read since its last yield has
// changed; a loop that counts its fruitless yields and then does something else is not explored in the fruitless part. Which
// of several ready causes ends a ParkUntil is explored both ways. A deadline may pass at any moment, and does pass in the end.
package explore
