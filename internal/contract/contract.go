// Package contract is the body of the tests that every queue of this module goes through: the contract of [taskwork.Queue] as a
// list of checks, each of which returns an error that quotes what was broken.
//
// Package queuetest shows it to other people's tests; the root's tests run single checks of it under the names of the faults
// that they guard against; and its own tests hand it queues that are broken on purpose. A check reports an error, not to a
// testing.T, so that the last of these is possible.
//
// There are two kinds:
//
//	sequential   one goroutine at a time, so each answer is determined. Explains best, and comes first
//	stress       many producers, and a goroutine of its own for each wake. Finds what only happens between goroutines
//
// # What the checks must not do
//
// A test that synchronizes more than the queue promises hides the faults that it is there to find: a counter that both a
// handler and the next run increment orders these two, and the race detector will not see that the queue did not. So what a
// consumer keeps is plain memory, handed on along with the duty; what producers and consumers publish for the one who waits for
// the end is stored by them, never read or added to.
package contract

import (
	"errors"
	"fmt"
	"time"

	"github.com/taskwork/taskwork"
)

// The clauses of the contract, as a failure quotes them.
const (
	NewAtRest = "A queue is at rest when it is new."
	Wake      = "Wake: a push reports wake == true exactly when it found the queue at rest. It made it active, and while the " +
		"queue is active every push reports false."
	NoLostWork = "No lost work: an accepted entry is handed out, once, by the consumer that its own push woke, or by the one " +
		"already active."
	OneConsumer = "One consumer: between a wake == true and the matching Idle() == true there is one consumer, so two handlers " +
		"never overlap."
	Order      = "Order: entries of one producer leave in the order in which it pushed them."
	TotalOrder = "Order: all entries leave in one total order that agrees with real time: a push that returned before another " +
		"one began goes first."
	PopFalse = "Pop's false is not rest: it means that nothing can be handed out now, since the queue is empty or a push is " +
		"half done. While neither is so, Pop hands out an entry."
	Idle = "Idle puts the queue to rest and returns true, or returns false because something is queued or half pushed; only " +
		"Idle() == true ends the consumer's duty."
	Empty   = "Empty is false while anything is queued, half pushed, or held back on the consumer's own side, and true otherwise."
	Resting = "Resting is true while the queue is at rest, and only then: whatever was pushed before the call has been handed " +
		"out, and the consumer that took it has finished."
	AtRest = "At rest, consuming is the caller's bug: Pop returns false and changes nothing, Empty is true, Idle panics."
	Slices = "PushAll queues all values of the slice in order and does not keep it. An empty slice is no push: it has no effect " +
		"and reports false."
	Nodes = "Pop moves the value out: the node's Value is the zero value afterwards, and the node may be pushed again at once, " +
		"also from inside the handler."
	QueuedNode = "Pushing a node while it is queued panics, where one goroutine does it."
	Chains     = "PushChain queues all nodes of the chain in order and leaves it empty. An empty chain is no push: it " +
		"reports false."
	Faults = "Run: if fn panics or calls runtime.Goexit, that entry counts as handed out, the rest stays queued in order, " +
		"the consumer is still active, and the panic goes on."
	Capped      = "Run ends when it has handed out max entries. It says More exactly if the queue would not go to rest then."
	BrokenDrain = "Drain: a break leaves the rest queued and the consumer active."
	OnlyMisuse  = "Only misuse panics, and no call of the active consumer or of a producer is one."
	Progress    = "Every call ends, and an active consumer that carries on comes to rest."
)

// Config says what is checked. Only New is required.
type Config struct {
	// New returns a new queue.
	New func() taskwork.Queue[int]
	// TotalOrder is set for a queue that keeps more than the order of each producer.
	TotalOrder bool
	// Patience is how long nothing may move before that counts as a hang. 0: 30 s.
	Patience time.Duration
	// Seeds is the number of random sequences that are tried against the model. 0: 2,000.
	Seeds int
	// LastLooks is the number of rounds in which a push comes just before Idle. 0: 500.
	LastLooks int
	// Rounds is the least number of rounds of the stress, and For the least time that it takes. 0 and 0: 60 rounds.
	Rounds int
	For    time.Duration
	// Seed is the first seed of the stress; each round takes the next one. The same seeds make the same rounds, apart from what
	// the scheduler adds.
	Seed uint64
	// Consume takes the place of taskwork.Run in the stress. Tests of the test break it.
	Consume func(q taskwork.Queue[int], max int, fn func(int)) taskwork.Stats
}

func (c Config) withDefaults() Config {
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	if c.Seeds == 0 {
		c.Seeds = 2000
	}
	if c.LastLooks == 0 {
		c.LastLooks = 500
	}
	if c.Rounds == 0 && c.For == 0 {
		c.Rounds = 60
	}
	if c.Consume == nil {
		c.Consume = taskwork.Run[int]
	}
	return c
}

// MaxQueued is the most entries that a check has in a queue at a time. A queue with a bound passes if it holds as many.
const MaxQueued = 1 << 13

// Check is one test of the contract.
type Check struct {
	Name string
	run  func(Config) error
}

// Run runs the check and returns nil, or a *[Failure].
func (c Check) Run(cfg Config) error {
	return c.run(cfg.withDefaults())
}

// All lists the checks in the order in which their explanations are best: what a later one needs has been checked by then.
var All = []Check{
	New, Waking, Rest, LastLook, MisuseAtRest, PushedSlices, InOrder, LeftOver, DrainBreak, HandlerPushes, HandlerFaults,
	Intrusive, DoublePush, Model, Stress,
}

// Failure is a breach of the contract.
type Failure struct {
	Clause string // one of the constants
	Detail string
}

func (f *Failure) Error() string {
	return "the contract says\n\t" + f.Clause + "\nbut\n\t" + f.Detail
}

func failure(clause, format string, args ...any) *Failure {
	return &Failure{Clause: clause, Detail: fmt.Sprintf(format, args...)}
}

// ClauseOf returns the clause that err says was broken, or "".
func ClauseOf(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Clause
	}
	return ""
}
