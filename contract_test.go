package taskwork_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/internal/contract"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/queuetest"
	"github.com/taskwork/taskwork/spinlist"
)

// The algorithm packages do not import this one; these lines hold them to its interfaces.
var (
	_ taskwork.NodeQueue[int] = (*spinlist.Queue[int])(nil)
	_ taskwork.NodeQueue[int] = (*fakenode.Queue[int])(nil)
	_ taskwork.NodeQueue[int] = (*mpscq.Queue[int])(nil)
	_ taskwork.Queue[int]     = (*lanes.Queue[int])(nil)
)

// queueOf is a row of the table of all queues.
type queueOf[T any] struct {
	name string
	new  func() taskwork.Queue[T]
	// total: one total order that agrees with real time. Otherwise order is each producer's, or handle's.
	total bool
	// halfPush: a push has two steps, and Pop may find nothing while one is between them, whatever is queued behind it.
	halfPush bool
}

// queues is the table of all queues, for values of any type. The tests of this package go through it.
func queues[T any]() []queueOf[T] {
	return []queueOf[T]{
		{name: "spinlist", total: true, new: func() taskwork.Queue[T] { return new(spinlist.Queue[T]) }},
		{name: "fakenode", total: true, new: func() taskwork.Queue[T] { return new(fakenode.Queue[T]) }},
		{name: "mpscq", total: true, halfPush: true, new: func() taskwork.Queue[T] { return new(mpscq.Queue[T]) }},
		{name: "lanes", new: func() taskwork.Queue[T] { return new(lanes.Queue[T]) }},
	}
}

// each runs a test for every queue.
func each[T any](t *testing.T, test func(t *testing.T, q queueOf[T])) {
	for _, q := range queues[T]() {
		t.Run(q.name, func(t *testing.T) { test(t, q) })
	}
}

// eachNode runs a test for every queue that takes nodes.
func eachNode[T any](t *testing.T, test func(t *testing.T, newQueue func() taskwork.NodeQueue[T])) {
	for _, q := range queues[T]() {
		if _, ok := q.new().(taskwork.NodeQueue[T]); ok {
			t.Run(q.name, func(t *testing.T) {
				test(t, func() taskwork.NodeQueue[T] { return q.new().(taskwork.NodeQueue[T]) })
			})
		}
	}
}

// TestContract is the suite that package queuetest offers to everybody.
func TestContract(t *testing.T) {
	each(t, func(t *testing.T, q queueOf[int]) {
		var opts []queuetest.Option
		if q.total {
			opts = append(opts, queuetest.TotalOrder())
		}
		queuetest.Run(t, q.new, opts...)
	})
}

// suiteChecks runs single checks of the suite on all queues: those that a row of the fault list (docs/verification.md) asks
// for.
func suiteChecks(t *testing.T, cfg contract.Config, checks ...contract.Check) {
	t.Helper()
	each(t, func(t *testing.T, q queueOf[int]) {
		cfg.New, cfg.TotalOrder = q.new, q.total
		for _, check := range checks {
			if err := check.Run(cfg); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestCase_B1_PushesBesideHandler: a handler pushes, others push while it is at work: nobody is woken, and handlers do not
// overlap.
func TestCase_B1_PushesBesideHandler(t *testing.T) {
	suiteChecks(t, contract.Config{}, contract.HandlerPushes)
}

// TestCase_B2_PushBeforeIdle: a push between the last Pop that finds nothing and Idle is handled without a further push, with
// budgets 1, 2 and 1000 and without one.
func TestCase_B2_PushBeforeIdle(t *testing.T) {
	suiteChecks(t, contract.Config{LastLooks: 5000}, contract.LastLook)
}

// TestCase_G1_LeftOvers: runs with budgets 1…7 keep the order, and what they leave goes before what is pushed later.
func TestCase_G1_LeftOvers(t *testing.T) {
	suiteChecks(t, contract.Config{}, contract.LeftOver, contract.DrainBreak)
}

// TestCase_H1_DoublePush: a queued node is refused, by its own queue, another one, and a chain, and nothing is lost by the
// attempt.
func TestCase_H1_DoublePush(t *testing.T) {
	suiteChecks(t, contract.Config{}, contract.DoublePush)
}

// TestCase_H2_HandlerPushesItsNode: into the same queue and another one.
func TestCase_H2_HandlerPushesItsNode(t *testing.T) {
	suiteChecks(t, contract.Config{}, contract.Intrusive)
}

// TestCase_J6_HandlerFaults: a panic or Goexit at the first, a middle, the last entry, and at the one that emptied the queue.
func TestCase_J6_HandlerFaults(t *testing.T) {
	suiteChecks(t, contract.Config{}, contract.HandlerFaults)
}

// TestMisuseMessages: what the suite leaves to each queue is the same for all of ours.
func TestMisuseMessages(t *testing.T) {
	each(t, func(t *testing.T, row queueOf[int]) {
		require.PanicsWithValue(t, "taskwork: queue is at rest", func() { row.new().Idle() })
		used := row.new()
		used.Push(1)
		taskwork.Run(used, 0, func(int) {})
		require.PanicsWithValue(t, "taskwork: queue is at rest", func() { used.Idle() })
	})
	eachNode(t, func(t *testing.T, newQueue func() taskwork.NodeQueue[int]) {
		q, n := newQueue(), new(taskwork.Node[int])
		q.PushNode(n)
		require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(n) })
		require.PanicsWithValue(t, "taskwork: node is already queued", func() { newQueue().PushNode(n) })
		var c taskwork.Chain[int]
		require.PanicsWithValue(t, "taskwork: node is already queued", func() { c.Append(n) })
		require.Zero(t, c.Len())
		// A node in a chain is taken, too.
		m := new(taskwork.Node[int])
		c.Append(m)
		require.PanicsWithValue(t, "taskwork: node is already queued", func() { c.Append(m) })
		require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(m) })
		require.Equal(t, 1, c.Len())
	})
	q := new(spinlist.Queue[int])
	n := new(taskwork.Node[int])
	q.PushUrgentNode(n)
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushUrgentNode(n) })
	require.PanicsWithValue(t, "taskwork: node is already queued", func() { q.PushNode(n) })
}
