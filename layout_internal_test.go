package taskwork

import (
	"context"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/pad"
	"github.com/taskwork/taskwork/mpscq"
)

// TestCase_J9_InboxLayout: producers fight over the sleeper's word, the receiver writes its own fields and the totals after
// every receive, and both read what is set once. None of these three shares a line, or a pair of lines, with another, nor with
// a neighbour on the heap; on 32-bit platforms, too, where this test runs as well.
func TestCase_J9_InboxLayout(t *testing.T) {
	checkInboxLayout[int](t)
	checkInboxLayout[byte](t)
	checkInboxLayout[[12]byte](t)
}

func checkInboxLayout[T any](t *testing.T) {
	t.Helper()
	var in Inbox[T]
	readOnlyEnd := unsafe.Offsetof(in.closed) + unsafe.Sizeof(in.closed)
	word := unsafe.Offsetof(in.word)
	receiver := unsafe.Offsetof(in.drained)
	totalsEnd := unsafe.Offsetof(in.totals) + unsafe.Sizeof(in.totals)
	require.Less(t, unsafe.Offsetof(in.q), readOnlyEnd)
	require.Less(t, unsafe.Offsetof(in.cfg), readOnlyEnd)
	require.Less(t, unsafe.Offsetof(in.sleeper), readOnlyEnd)
	require.GreaterOrEqual(t, word-readOnlyEnd, uintptr(pad.Line)-unsafe.Sizeof(in.word), "from what is read only to the word")
	require.GreaterOrEqual(t, receiver-word, uintptr(pad.Line), "from the word to the receiver's fields")
	require.GreaterOrEqual(t, unsafe.Offsetof(in.mu), receiver)
	require.GreaterOrEqual(t, unsafe.Sizeof(in)-totalsEnd, uintptr(pad.Line), "from the totals to the next object")
	require.LessOrEqual(t, unsafe.Sizeof(in), uintptr(512), "an Inbox is for a goroutine: its size is small beside a stack")
}

// TestCase_J9_RunnerLayout: a Runner is not padded, since there may be a million of them. All that a push reads on an active
// Runner is flags, besides the queue; what a run writes is written twice a run. What an idle one takes is what the type comment
// says.
func TestCase_J9_RunnerLayout(t *testing.T) {
	var r Runner[int]
	if unsafe.Sizeof(uintptr(0)) == 8 {
		require.LessOrEqual(t, unsafe.Sizeof(r), uintptr(176))
	} else {
		require.LessOrEqual(t, unsafe.Sizeof(r), uintptr(136))
	}
	require.Zero(t, unsafe.Offsetof(r.pending)%8, "a 64-bit atomic is aligned")
}

// TestRunnerIdleSize: what is on the heap for a Runner that has worked and has nothing to do is its struct and its queue's.
func TestRunnerIdleSize(t *testing.T) {
	const runners = 10_000
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	handle := func(int) {}
	before := heap()
	all := make([]*Runner[int], runners)
	for i := range all {
		q := new(mpscq.Queue[int])
		all[i] = NewRunner(q, RunnerConfig[int]{Handle: handle})
		require.NoError(t, all[i].Push(i))
		for !q.Resting() {
			runtime.Gosched()
		}
	}
	each := float64(heap()-before) / runners
	runtime.KeepAlive(all)
	t.Logf("%.0f bytes for each idle Runner", each)
	structs := unsafe.Sizeof(Runner[int]{}) + unsafe.Sizeof(mpscq.Queue[int]{}) + unsafe.Sizeof(all[0])
	require.Less(t, each, float64(structs)*1.1)
}

// TestRunnerForgetsWaiters: a Shutdown that has returned has left nothing behind.
func TestRunnerForgetsWaiters(t *testing.T) {
	r := NewRunner(new(mpscq.Queue[int]), RunnerConfig[int]{Handle: func(int) {}})
	for range 10 {
		require.NoError(t, r.Shutdown(context.Background()))
		require.Empty(t, r.waiters)
		for _, w := range r.waiters[:cap(r.waiters)] {
			require.Nil(t, w)
		}
	}
}
