// Package lanes is a queue that gives each producer a lane of its own, and one word that says whether somebody is on duty.
//
// The linked queues of this module make all producers meet at one word. Here they do not meet at all: a lane is a queue with
// one producer and one consumer, and a push into it writes a slot and a counter that no other producer ever writes. The
// consumer goes round the lanes and takes what it finds.
//
//	producer 1 ──▶ lane 1  [ a b c d ]──▶[ e f . . ]        ╲
//	                                          ▲ published: 6  ╲
//	producer 2 ──▶ lane 2  [ u v . . ]                       ──▶ consumer: a b c d, u v, e f, …
//	                             ▲ published: 2               ╱
//	pushes without a handle ──▶ one more lane, under a lock ╱        state: at rest │ settling │ active
//
// # Order
//
// Entries of one handle leave in the order in which it pushed them, and so do the entries that were pushed without a handle.
// There is no order between lanes, not even one that agrees with real time: if producer 1 pushes, tells producer 2, and that
// one pushes, then the second entry may well be handed out first. A program that cannot bear that, say because one goroutine
// opens a connection and another one uses it, takes package mpscq (or fakenode), which keeps one total order.
//
// # Rest and activity
//
// In the linked queues the word that entries are published through also holds the state. Here publishing is a store to the
// lane, so the state is a second word, and the two meet in the pattern of Dekker's algorithm: each side writes its own word
// first, and then reads the other's.
//
//	push     publish the entry;  then load the state; unless it is active, compare-and-swap it to active: wake
//	Idle     store "settling";   then look at all lanes: nothing new: compare-and-swap to "at rest", true
//	                                                     otherwise:   compare-and-swap to "active", false
//
//	┌─────────┐            a push: wake              ┌────────┐
//	│ at rest │ ───────────────────────────────────▶ │ active │ ◀─┐ the look found an entry whose push saw "active"
//	└─────────┘                                      └────────┘   │ (Idle: false), or a push was faster (wake)
//	     ▲         the look found nothing           ┌──────────┐  │       │
//	     └───────────────────────────────────────── │ settling │ ─┘ ◀─────┘ Idle begins
//	                                                └──────────┘
//
// Atomic operations are totally ordered, so either the push sees that the consumer is leaving, or the consumer's look sees the
// entry, or both. In the last case both try to change the state, and the compare-and-swap decides who has the duty. If the push
// wins, the look's result is void and Idle says true: the entry will be handed out by the consumer that the push has woken.
//
// Two things make this safe. From the store on, the next consumer may be running, so the look must not read a plain field: it
// adds up the published counters and compares the sum with that of what had been taken, which Idle has noted before. Counters
// only grow, so the sums are equal only if each lane's are. And the next consumer may itself be settling by the time that the
// look is over, so the state carries an epoch that each Idle counts on: a compare-and-swap of an earlier one fails.
//
// "Settling" is not "at rest", or [Queue.Resting] would be true for a moment over an entry that a push left to the consumer.
//
// # Chunks
//
// A lane is a list of chunks, arrays of slots. The producer fills one, links the next behind it, and goes on there. The
// consumer empties a slot as it hands its value out, and moves on to the next chunk when it sees an entry published there: at
// that time its producer has let go of the old one. Chunks go back to the producer that filled them, on a stack, so a lane in
// steady use does not allocate. While the queue is active the stacks of all lanes keep up to half a megabyte together, and a
// handle that is at rest keeps sixteen chunks if they are in use, or one.
//
// # What it costs
//
// A push is one atomic store and one load of a word that nobody writes while the queue is active; it is wait-free, apart from
// the allocation of a chunk. There is no read-modify-write on a shared line unless the queue is at rest. The price is paid by
// the consumer, which looks at every lane when it finds nothing, and in memory: a handle in little use takes up to 2 KB while
// a value takes no more than a word. A handle is made for a goroutine that pushes often and lives for a while.
package lanes
