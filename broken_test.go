package taskwork_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/contract"
	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/llist"
)

// A test that cannot fail proves nothing. Here are three mistakes that were made with such queues, each as small as can be: the
// same code passes the suite without the mistake, and does not with it.

// forgiving is how a run must not end: at the first Pop that finds nothing, whatever Idle says.
func forgiving(q taskwork.Queue[int], max int, fn func(int)) (s taskwork.Stats) {
	for max < 1 || s.Count < max {
		v, ok := q.Pop()
		if !ok {
			q.Idle()
			return s
		}
		s.Count++
		fn(v)
	}
	s.More = !q.Idle()
	return s
}

// faked is package fakenode in short. With forget it leaves nil in the head where the fake belongs, as before 2022: pushers
// then take the queue for one at rest while a run is on.
type faked struct {
	list   llist.List[int]
	fake   node.Node[int]
	batch  *node.Node[int]
	forget bool
}

func (q *faked) Push(v int) bool { return q.list.Add(&node.Node[int]{Value: v}) }

func (q *faked) PushAll(vs []int) bool {
	if len(vs) == 0 {
		return false
	}
	oldest, newest := node.Of(vs)
	node.Reverse(oldest, nil)
	return q.list.AddBatch(newest, oldest)
}

func (q *faked) Pop() (v int, ok bool) {
	if q.batch == nil {
		if head := q.list.First(); head == nil || head == &q.fake {
			return 0, false
		}
		mark := &q.fake
		if q.forget {
			mark = nil
		}
		q.batch = node.Reverse(q.list.Swap(mark), &q.fake)
	}
	n := q.batch
	q.batch = node.Next(n)
	return node.Take(n), true
}

func (q *faked) Idle() bool {
	switch {
	case q.batch != nil:
		return false
	case q.list.CompareAndSwap(&q.fake, nil):
		return true
	case q.forget:
		return q.list.Empty() // with nothing to take off, this is all that is left of it
	case q.list.Empty():
		panic("taskwork: queue is at rest")
	}
	return false
}

func (q *faked) Empty() bool {
	head := q.list.First()
	return q.batch == nil && (head == nil || head == &q.fake)
}

func (q *faked) Resting() bool { return q.list.Empty() }

// exchanged is package mpscq in short. With wasEmpty a push wakes where it found the queue empty, whether at rest or not: right
// for a consumer that takes all and goes, wrong for one that pops entry by entry and may look again.
type exchanged struct {
	tail         atomic.Pointer[node.Node[int]]
	stub         node.Node[int]
	cursor, last *node.Node[int]
	wasEmpty     bool
}

func (q *exchanged) publish(first, last *node.Node[int]) bool {
	prev := q.tail.Swap(last)
	if prev == nil {
		node.StoreNext(&q.stub, first)
	} else {
		node.StoreNext(prev, first)
	}
	return prev == nil || (q.wasEmpty && prev == &q.stub)
}

func (q *exchanged) Push(v int) bool { return q.PushAll([]int{v}) }

func (q *exchanged) PushAll(vs []int) bool {
	if len(vs) == 0 {
		return false
	}
	return q.publish(node.Of(vs))
}

func (q *exchanged) Pop() (v int, ok bool) {
	if q.cursor == nil {
		first := node.LoadNext(&q.stub)
		if first == nil {
			return 0, false
		}
		node.Set(&q.stub, nil)
		q.last = q.tail.Swap(&q.stub)
		q.cursor = first
	}
	n := q.cursor
	if n == q.last {
		q.cursor = nil
		return node.Take(n), true
	}
	next := node.LoadNext(n)
	if next == n {
		return 0, false
	}
	q.cursor = next
	return node.Take(n), true
}

func (q *exchanged) Idle() bool {
	if q.cursor == nil && q.tail.Load() == nil {
		panic("taskwork: queue is at rest")
	}
	return q.cursor == nil && q.tail.CompareAndSwap(&q.stub, nil)
}

func (q *exchanged) Empty() bool {
	tail := q.tail.Load()
	return q.cursor == nil && (tail == nil || tail == &q.stub)
}

func (q *exchanged) Resting() bool { return q.tail.Load() == nil }

// patient is long enough for any call, and short enough for a test of hangs.
const patient = 5 * time.Second

// TestBrokenRun: the stress sees entries that a run has left behind, over every queue.
func TestBrokenRun(t *testing.T) {
	each(t, func(t *testing.T, q queueOf[int]) {
		cfg := contract.Config{New: q.new, TotalOrder: q.total, Rounds: 60, Patience: patient}
		require.NoError(t, contract.Stress.Run(cfg))
		cfg.Consume = forgiving
		err := contract.Stress.Run(cfg)
		require.Equal(t, contract.NoLostWork, contract.ClauseOf(err), "%v", err)
	})
}

// brokenQueues maps the name of a mistake to the queue, with it or without.
var brokenQueues = map[string]func(broken bool) taskwork.Queue[int]{
	"fakenode without the fake":     func(broken bool) taskwork.Queue[int] { return &faked{forget: broken} },
	"mpscq where wake is was empty": func(broken bool) taskwork.Queue[int] { return &exchanged{wasEmpty: broken} },
}

const brokenEnv = "TASKWORK_BROKEN_QUEUE"

// TestBrokenQueues: the suite rejects both at the first check of wakes, and so does the stress alone: there, the second wake
// starts a second run beside the first. That is a data race, too, so the stress runs in a process of its own.
func TestBrokenQueues(t *testing.T) {
	for name, newQueue := range brokenQueues {
		t.Run(name, func(t *testing.T) {
			cfg := contract.Config{New: func() taskwork.Queue[int] { return newQueue(false) }, TotalOrder: true, Rounds: 20}
			for _, check := range contract.All {
				require.NoError(t, check.Run(cfg), "without the mistake")
			}
			cfg.New = func() taskwork.Queue[int] { return newQueue(true) }
			require.Equal(t, contract.Wake, contract.ClauseOf(contract.Waking.Run(cfg)))

			cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenChild$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), brokenEnv+"="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Skipf("this system cannot run the test binary again: %v", err)
			}
			require.Error(t, err, "the stress has passed\n%s", out)
			require.Contains(t, string(out), "--- FAIL: TestBrokenChild")
			// Which sign of the second run comes first is the scheduler's choice: that run itself, a push of the first run's handler
			// that was told to wake, or a queue at rest under a run.
			signs := []string{contract.OneConsumer, contract.Wake, contract.Resting}
			require.True(t, slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(string(out), s) }), "%s", out)
		})
	}
}

// TestBrokenChild is the stress of one broken queue.
func TestBrokenChild(t *testing.T) {
	newQueue, ok := brokenQueues[os.Getenv(brokenEnv)]
	if !ok {
		t.Skip("only as a child of TestBrokenQueues")
	}
	cfg := contract.Config{New: func() taskwork.Queue[int] { return newQueue(true) }, Rounds: 100, Patience: patient}
	if err := contract.Stress.Run(cfg); err != nil {
		fmt.Println(err) // even if the race detector has the last word
		t.Fatal("rejected")
	}
}
