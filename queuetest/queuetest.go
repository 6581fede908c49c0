// Package queuetest checks the contract of [taskwork.Queue] for any implementation, in the manner of golang.org/x/net/nettest.
//
//	func TestMyQueue(t *testing.T) {
//		queuetest.Run(t, func() taskwork.Queue[int] { return new(myqueue.Queue[int]) }, queuetest.TotalOrder())
//	}
//
// The queues of this module go through the same suite. Run it with -race as well: what one run keeps in plain memory must be
// there for the next one, and only the queue orders the two. The race detector reports a queue that does not.
//
// # What is checked
//
// Each subtest stands for a part of the contract, and a failure quotes the clause:
//
//	New, Wake, Rest     what pushes report, and Idle, Empty and Resting, in every state
//	LastLook            pushes between the consumer's last Pop and its Idle
//	AtRest              Pop, Empty and Idle when nobody is on duty
//	PushAll             empty slices; slices that their owner uses again
//	Order               one producer's entries, at many lengths
//	LeftOver, Drain     what runs with a budget and abandoned loops leave behind
//	HandlerPushes       pushes from inside the handler, and beside it
//	HandlerFaults       handlers that panic or exit, at every place
//	Nodes, DoublePush   for a taskwork.NodeQueue: nodes and chains, used again at once, or pushed while they are queued
//	Model               random sequences of calls, compared with a slice and a flag
//	Stress              up to 64 producers, and a goroutine for each wake: nothing lost, doubled, overlapping, out of order
//
// The subtests build on each other, so look at the first failure first. All end by themselves: one that makes no progress for
// 30 seconds fails with the stacks of all goroutines. Sequences are the same each time, and failures name the seed.
//
// # What a queue must hold
//
// The contract knows no bound. A queue with one passes if its pushes neither fail nor block for good while up to 8,192 entries
// are queued; see the example.
package queuetest

import (
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/contract"
)

// Option changes what [Run] demands.
type Option struct {
	set func(*contract.Config)
}

// TotalOrder demands that all entries leave in one total order that agrees with real time: a push that returned before another
// one began goes first, whoever made them. Without it, only each producer's order counts.
func TotalOrder() Option {
	return Option{func(cfg *contract.Config) { cfg.TotalOrder = true }}
}

// Run checks the contract in subtests. newQueue returns a new queue each time; several are in use at a time. If they are
// taskwork.NodeQueues, nodes are checked too. With -short there are fewer random sequences and rounds.
func Run(t *testing.T, newQueue func() taskwork.Queue[int], opts ...Option) {
	t.Helper()
	cfg := contract.Config{New: newQueue}
	if testing.Short() {
		cfg.Seeds, cfg.Rounds = 500, 25
	}
	for _, opt := range opts {
		if opt.set != nil {
			opt.set(&cfg)
		}
	}
	for _, check := range contract.All {
		t.Run(check.Name, func(t *testing.T) {
			if err := check.Run(cfg); err != nil {
				t.Fatal(err)
			}
		})
	}
}
