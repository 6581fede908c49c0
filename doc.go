// Package taskwork hands work from many goroutines to one, and tells exactly one of them when that one has to be started.
//
// A scheduler, an actor system, an event loop or a connection writer has many producers and one consumer. Handing an entry over
// must be cheap under contention, and somebody must run the consumer: run it too rarely and work is stranded (a missed wakeup),
// run it twice at a time and handlers overlap. The queues of this module are ports of the ideas in io_uring's four generations
// of task work. Each keeps, in the very word through which entries are published, whether somebody is on duty; so a push learns
// from the one atomic operation that publishes its entry whether its caller has to see to the rest.
//
// # At rest and active
//
//	                    a push returns wake == true:
//	                    its caller owns the consumer side
//	       ┌─────────┐ ─────────────────────────────────▶ ┌────────┐ ──┐ Pop, Empty: any number of times
//	 new ─▶│ AT REST │                                    │ ACTIVE │   │ pushes: wake == false
//	       └─────────┘ ◀───────────────────────────────── └────────┘ ◀─┘ Idle() == false: there is more to do
//	                     Idle() == true: the consumer
//	                     is done and must let go
//
//	            at rest                                active
//	Push…       publishes, makes it active, true       publishes, false
//	Pop         a bug: false, changes nothing          hands out an entry; false: none available now
//	Idle        a bug: panics                          true: at rest again; false: carry on
//	Empty       a bug: true                            true unless anything is queued or half pushed
//	Resting     true                                   false
//
// A queue is at rest when it is new. [Queue.Push] and its like report wake == true exactly when they found it at rest. They have
// made it active, and their caller now owns the consumer side: it must run the consumer, or hand that duty to exactly one other
// goroutine. While the queue is active every push reports false. This makes a serial executor of one line:
//
//	if q.Push(task) {
//		go taskwork.Run(q, 0, handle)
//	}
//
// Two handlers never overlap, no task is left behind, and no goroutine exists while there is nothing to do.
//
// # The contract
//
//   - No lost work. An accepted entry is handed out by the consumer that its own push woke, or by the one already active.
//   - One consumer. Between a wake == true and the matching Idle() == true there is one consumer.
//   - Order. Entries of one producer leave in the order in which it pushed them. Packages spinlist, fakenode and mpscq keep one
//     total order that agrees with real time (urgent entries apart); lanes keeps order for each producer handle, and among
//     pushes without one.
//   - Pop's false is not rest. It means that nothing can be handed out now: the queue is empty, or a producer is half way
//     through a push. Only Idle() == true ends the consumer's duty.
//   - After Idle() == true the consumer must not touch the queue: the next push may have started another already.
//   - Pop moves the value out. No value that was handed out is kept reachable by the queue, and a node may be pushed again at
//     once, also from inside the handler.
//
// In the terms of the Go memory model, each push synchronizes before the Pop that returns its entry, and Idle() == true
// synchronizes before the next push that reports wake. So a consumer's own data needs no lock: it is handed from one run to the
// next along with the duty.
//
// # Which queue
//
// Package fakenode is the one to start with: the fastest for nodes of your own under contention. Package mpscq never retries in
// a push. Package spinlist is the simple one, with urgent entries. Package lanes is the fastest where producers can hold a
// handle each and need no order among each other. A channel is better where producers must be held back: none of these queues
// is bounded.
//
// [Run] and [Drain] are the consumer's loop. [Runner] and [Inbox] are complete consumers for programs that do not want to write
// one: the first runs a handler whenever there is work, the second lets a goroutine sleep until enough is queued. Package
// queuetest checks the contract for queues of your own.
package taskwork
