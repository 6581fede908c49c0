package queuetest_test

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/internal/contract"
	"github.com/taskwork/taskwork/queuetest"
)

// Each type is a queue with one fault. None has a data race of its own, so that the tests run with -race, too.

type wakeIsWasEmpty struct{ plain }

func (q *wakeIsWasEmpty) Push(v int) bool { return q.PushAll([]int{v}) }

func (q *wakeIsWasEmpty) PushAll(vs []int) bool {
	empty := q.plain.Empty()
	q.plain.PushAll(vs)
	return empty && len(vs) > 0
}

type wakesAlways struct{ plain }

func (q *wakesAlways) Push(v int) bool { q.plain.Push(v); return true }

type wakesNever struct{ plain }

func (q *wakesNever) Push(v int) bool { q.plain.Push(v); return false }

type idleSeesOneSide struct{ twoSided }

func (q *idleSeesOneSide) Idle() bool { return q.plain.Idle() }

type emptySeesOneSide struct{ twoSided }

func (q *emptySeesOneSide) Empty() bool { return q.plain.Empty() }

type neverIdle struct{ plain }

func (q *neverIdle) Idle() bool {
	if q.Resting() {
		panic("at rest")
	}
	return false
}

type silentIdle struct{ plain }

func (q *silentIdle) Idle() bool { return q.Resting() || q.plain.Idle() }

type popActivates struct{ plain }

func (q *popActivates) Pop() (int, bool) {
	q.mu.Lock()
	q.active = true
	q.mu.Unlock()
	return q.plain.Pop()
}

type restingIsEmpty struct{ plain }

func (q *restingIsEmpty) Resting() bool { return q.Empty() }

type lastInFirstOut struct{ plain }

func (q *lastInFirstOut) Pop() (v int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := len(q.queued) - 1
	if last < 0 {
		return 0, false
	}
	v, q.queued = q.queued[last], q.queued[:last]
	return v, true
}

// growsCarelessly is a ring that, when it grows, forgets what had wrapped around.
type growsCarelessly struct {
	plain
	ring []int
	head int
	n    int
}

func (q *growsCarelessly) Push(v int) bool { return q.PushAll([]int{v}) }

func (q *growsCarelessly) PushAll(vs []int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring == nil {
		q.ring = make([]int, 64)
	}
	for _, v := range vs {
		if q.n == len(q.ring) {
			grown := make([]int, 2*len(q.ring))
			q.n = copy(grown, q.ring[q.head:])
			q.ring, q.head = grown, 0
		}
		q.ring[(q.head+q.n)%len(q.ring)] = v
		q.n++
	}
	wake := !q.active && len(vs) > 0
	q.active = q.active || wake
	return wake
}

func (q *growsCarelessly) Pop() (v int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		return 0, false
	}
	v = q.ring[q.head]
	q.head, q.n = (q.head+1)%len(q.ring), q.n-1
	return v, true
}

func (q *growsCarelessly) Idle() bool {
	q.mu.Lock()
	empty := q.n == 0
	q.mu.Unlock()
	return empty && q.plain.Idle()
}

func (q *growsCarelessly) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n == 0
}

type popsTwice struct {
	plain
	pops int
	last int
}

// Pop hands the last of five entries out again.
func (q *popsTwice) Pop() (v int, ok bool) {
	if v, ok = q.plain.Pop(); ok {
		q.pops++
		q.last = v
	} else if q.pops == 5 {
		q.pops = 0
		return q.last, true
	}
	return v, ok
}

type popGivesUp struct {
	plain
	pops int
}

func (q *popGivesUp) Pop() (v int, ok bool) {
	if q.pops++; q.pops%5 == 0 {
		return 0, false
	}
	return q.plain.Pop()
}

type slicesReversed struct{ plain }

func (q *slicesReversed) PushAll(vs []int) bool {
	vs = slices.Clone(vs)
	slices.Reverse(vs)
	return q.plain.PushAll(vs)
}

// slicesKept queues slices.
type slicesKept struct {
	plain
	kept [][]int
}

func (q *slicesKept) Push(v int) bool { return q.PushAll([]int{v}) }

func (q *slicesKept) PushAll(vs []int) bool {
	wake := q.plain.PushAll(vs)
	if len(vs) > 0 {
		q.mu.Lock()
		q.kept = append(q.kept, vs)
		q.mu.Unlock()
	}
	return wake
}

func (q *slicesKept) Pop() (v int, ok bool) {
	if _, ok = q.plain.Pop(); !ok {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	v = q.kept[0][0]
	if q.kept[0] = q.kept[0][1:]; len(q.kept[0]) == 0 {
		q.kept = q.kept[1:]
	}
	return v, true
}

type emptySliceWakes struct{ plain }

func (q *emptySliceWakes) PushAll(vs []int) bool {
	if len(vs) == 0 {
		return q.Resting()
	}
	return q.plain.PushAll(vs)
}

// pushOverwrites finds the place for its entry, and by the time that it writes there, another push may have done so.
type pushOverwrites struct{ plain }

func (q *pushOverwrites) Push(v int) bool {
	q.mu.Lock()
	seen := q.queued
	q.mu.Unlock()
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) == len(seen)+1 {
		q.queued = slices.Clone(seen)
	}
	q.queued = append(q.queued, v)
	wake := !q.active
	q.active = true
	return wake
}

// idleLooksThenGoes has a window between its last look and going to rest.
type idleLooksThenGoes struct{ plain }

func (q *idleLooksThenGoes) Idle() bool {
	if !q.Empty() {
		return false
	}
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.active {
		panic("at rest")
	}
	q.active = false
	return true
}

// hangs until it is released if it is pushed to while its consumer is between two entries.
type hangs struct {
	plain
	pops    int
	release chan struct{}
}

func (q *hangs) Push(v int) bool {
	if q.pops > 0 {
		<-q.release
	}
	return q.plain.Push(v)
}

func (q *hangs) Pop() (int, bool) {
	q.pops++
	return q.plain.Pop()
}

// nodeKeepsValue leaves a node's value where it was.
type nodeKeepsValue struct {
	fakenode.Queue[int]
	nodes map[int]*taskwork.Node[int] // by value
}

func (q *nodeKeepsValue) PushNode(n *taskwork.Node[int]) bool {
	if q.nodes == nil {
		q.nodes = map[int]*taskwork.Node[int]{}
	}
	q.nodes[n.Value] = n
	return q.Queue.PushNode(n)
}

func (q *nodeKeepsValue) Pop() (v int, ok bool) {
	v, ok = q.Queue.Pop()
	if n := q.nodes[v]; n != nil {
		n.Value = v
	}
	return v, ok
}

// swallowsDoublePush refuses a queued node, but tells nobody.
type swallowsDoublePush struct{ fakenode.Queue[int] }

func (q *swallowsDoublePush) PushNode(n *taskwork.Node[int]) (wake bool) {
	defer func() { _ = recover() }()
	return q.Queue.PushNode(n)
}

// chainStays leaves the chain as it was, with nodes of its own.
type chainStays struct{ fakenode.Queue[int] }

func (q *chainStays) PushChain(c *taskwork.Chain[int]) (wake bool) {
	n := c.Len()
	wake = q.Queue.PushChain(c)
	for range n {
		c.Append(new(taskwork.Node[int]))
	}
	return wake
}

func TestRejects(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for _, b := range []struct {
		name   string
		new    func() taskwork.Queue[int]
		check  string // the first that fails
		clause string
	}{
		{"wake means was empty", func() taskwork.Queue[int] { return new(wakeIsWasEmpty) }, "Wake", contract.Wake},
		{"wake always", func() taskwork.Queue[int] { return new(wakesAlways) }, "Wake", contract.Wake},
		{"wake never", func() taskwork.Queue[int] { return new(wakesNever) }, "Wake", contract.Wake},
		{"Idle sees one side", func() taskwork.Queue[int] { return new(idleSeesOneSide) }, "Rest", contract.Idle},
		{"Empty sees one side", func() taskwork.Queue[int] { return new(emptySeesOneSide) }, "Rest", contract.Empty},
		{"Idle never", func() taskwork.Queue[int] { return new(neverIdle) }, "Wake", contract.Idle},
		{"Idle at rest says true", func() taskwork.Queue[int] { return new(silentIdle) }, "AtRest", contract.AtRest},
		{"Pop makes active", func() taskwork.Queue[int] { return new(popActivates) }, "New", contract.NewAtRest},
		{"Resting means empty", func() taskwork.Queue[int] { return new(restingIsEmpty) }, "Rest", contract.Resting},
		{"last in, first out", func() taskwork.Queue[int] { return new(lastInFirstOut) }, "Wake", contract.Order},
		{"entries lost in growing", func() taskwork.Queue[int] { return new(growsCarelessly) }, "Order", contract.NoLostWork},
		{"the last entry twice", func() taskwork.Queue[int] { return new(popsTwice) }, "LastLook", contract.NoLostWork},
		{"Pop gives up", func() taskwork.Queue[int] { return new(popGivesUp) }, "Wake", contract.PopFalse},
		{"PushAll reverses", func() taskwork.Queue[int] { return new(slicesReversed) }, "Rest", contract.Order},
		{"PushAll keeps the slice", func() taskwork.Queue[int] { return new(slicesKept) }, "PushAll", contract.Slices},
		{"an empty PushAll wakes", func() taskwork.Queue[int] { return new(emptySliceWakes) }, "PushAll", contract.Slices},
		{"a node keeps its value", func() taskwork.Queue[int] { return new(nodeKeepsValue) }, "Nodes", contract.Nodes},
		{"a chain is not emptied", func() taskwork.Queue[int] { return new(chainStays) }, "Nodes", contract.Chains},
		{"double push unseen", func() taskwork.Queue[int] { return new(swallowsDoublePush) }, "DoublePush", contract.QueuedNode},
		{"a push hangs", func() taskwork.Queue[int] { return &hangs{release: release} }, "Wake", contract.Progress},

		// The rest works as long as calls do not meet.
		{"pushes overwrite each other", func() taskwork.Queue[int] { return new(pushOverwrites) }, "Stress", contract.NoLostWork},
		{"Idle looks, then goes", func() taskwork.Queue[int] { return new(idleLooksThenGoes) }, "Stress", contract.NoLostWork},
		{"order of each producer only", func() taskwork.Queue[int] { return new(sharded) }, "Stress", contract.TotalOrder},
	} {
		t.Run(b.name, func(t *testing.T) {
			cfg := contract.Config{New: b.new, TotalOrder: true, Seeds: 200}
			if b.clause == contract.Progress {
				cfg.Patience = 100 * time.Millisecond
			}
			for _, check := range contract.All {
				if err := check.Run(cfg); err != nil {
					require.Equal(t, b.check, check.Name, "%v", err)
					require.Equal(t, b.clause, contract.ClauseOf(err), "%v", err)
					return
				}
			}
			t.Fatal("no check has rejected it")
		})
	}
}

const childEnv = "TASKWORK_QUEUETEST_CHILD"

// TestChild is what TestRunFails runs in a process of its own.
func TestChild(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		t.Skip("only as a child of TestRunFails")
	}
	queuetest.Run(t, func() taskwork.Queue[int] { return new(wakeIsWasEmpty) })
}

// TestRunFails: a breach fails the test that it was found in, and the reader is told the clause.
func TestRunFails(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$/^Wake$")
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); !ok && err != nil {
		t.Skipf("this system cannot run the test binary again: %v", err)
	}
	require.Error(t, err, "%s", out)
	require.Contains(t, string(out), "--- FAIL: TestChild/Wake")
	require.Contains(t, string(out), contract.Wake)
}
