package lanes

import (
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/pad"
)

// collected runs the collector until n has come to want, which it does unless something is still reachable.
func collected(t *testing.T, n *atomic.Int32, want int32) {
	t.Helper()
	for range 200 {
		if n.Load() >= want {
			return
		}
		runtime.GC()
		runtime.Gosched()
	}
	t.Fatalf("%d of %d values are still reachable", want-n.Load(), want)
}

type big struct{ _ [64 << 10]byte }

func newBig(n *atomic.Int32) *big {
	b := new(big)
	runtime.AddCleanup(b, func(n *atomic.Int32) { n.Add(1) }, n)
	return b
}

// TestCase_J2: what was handed out is not kept, in whatever position it was: first, on either side of a chunk's end, last.
func TestCase_J2(t *testing.T) {
	q := &Queue[*big]{chunkSlots: 2}
	p := q.Producer()
	var n atomic.Int32
	for i := range int32(5) {
		p.Push(newBig(&n))
		v, ok := q.Pop()
		require.True(t, ok)
		require.NotNil(t, v)
		v = nil
		collected(t, &n, i+1)
	}
	require.True(t, q.Idle())
	runtime.KeepAlive(p)
	runtime.KeepAlive(q)
}

func TestCase_K3(t *testing.T) {
	q := new(Queue[*big])
	var n atomic.Int32
	for range 10 {
		for range 100 {
			q.Push(newBig(&n))
		}
		for range 100 {
			_, ok := q.Pop()
			require.True(t, ok)
		}
	}
	collected(t, &n, 1000)
	require.True(t, q.Idle())
	runtime.KeepAlive(q)
}

// TestCase_J9: the words that different goroutines write lie on different lines, and an idle queue is as small as documented.
func TestCase_J9(t *testing.T) {
	queue, handle := reflect.TypeFor[Queue[int]](), reflect.TypeFor[Producer[int]]()
	offset := func(typ reflect.Type, field string) uintptr {
		f, ok := typ.FieldByName(field)
		require.True(t, ok, field)
		return f.Offset
	}
	const line = 64 // as far apart as this they cannot share a line, wherever the struct lies
	// Producers read the first line of the queue all the time; the consumer writes the second.
	for _, shared := range []string{"state", "lanes", "ordered", "chunkSlots"} {
		for _, consumers := range []string{"lane", "slots", "pos", "end", "alone", "next", "looks"} {
			require.GreaterOrEqual(t, offset(queue, consumers), offset(queue, shared)+line, shared+", "+consumers)
		}
	}
	for _, producers := range []string{"chunk", "slots", "n", "published"} {
		for _, consumers := range []string{"head", "base", "pos", "recycled"} {
			require.GreaterOrEqual(t, offset(handle, consumers), offset(handle, producers)+line, producers+", "+consumers)
		}
	}
	require.LessOrEqual(t, queue.Size(), uintptr(2*pad.Line))
	require.LessOrEqual(t, handle.Size(), uintptr(2*pad.Line))
}

// heap returns the bytes of live objects.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestIdleSize: 512 bytes without a handle, 2 KB more for each handle that has been in use.
func TestIdleSize(t *testing.T) {
	const n = 200
	queues := make([]*Queue[int], n)
	before := heap()
	for i := range queues {
		queues[i] = new(Queue[int])
	}
	require.LessOrEqual(t, (heap()-before)/n, int64(512))

	handles := make([]*Producer[int], n)
	before = heap()
	for i, q := range queues {
		handles[i] = q.Producer()
		for range 1000 { // round and round through its chunks
			require.True(t, handles[i].Push(1))
			_, ok := q.Pop()
			require.True(t, ok)
			require.True(t, q.Idle())
		}
	}
	require.LessOrEqual(t, (heap()-before)/n, int64(2048))
	runtime.KeepAlive(handles)
	runtime.KeepAlive(queues)
}

// TestBurstIsReleased: a burst leaves a bounded number of chunks, and none of those when the queue rests.
func TestBurstIsReleased(t *testing.T) {
	const burst = 2_000_000
	q := new(Queue[int])
	p := q.Producer()
	before := heap()
	p.Push(0)
	for i := 1; i < burst; i++ {
		p.Push(i)
	}
	for i := range burst {
		v, ok := q.Pop()
		require.True(t, ok)
		if v != i {
			require.Equal(t, i, v)
		}
	}
	require.Less(t, heap()-before, int64(1<<20), "before rest")
	require.True(t, q.Idle())
	require.Less(t, heap()-before, int64(8<<10), "at rest")
	runtime.KeepAlive(p)
	runtime.KeepAlive(q)
}

func TestNoAllocations(t *testing.T) {
	q := new(Queue[int])
	p := q.Producer()
	some := seq(0, 300)
	rounds := map[string]func(){
		"singly":  func() { p.Push(1); q.Push(2); q.Pop(); q.Pop() },
		"at once": func() { p.PushAll(some); q.PushAll(some) },
		"burst": func() {
			for v := range 1000 {
				p.Push(v)
			}
		},
	}
	for name, round := range rounds {
		require.Zero(t, testing.AllocsPerRun(200, func() {
			round()
			for _, ok := q.Pop(); ok; _, ok = q.Pop() {
			}
			q.Idle()
		}), name)
	}
}

// TestChunksGoRound: a lane in steady use goes round two chunks, and a short backlog is served from those that went before.
func TestChunksGoRound(t *testing.T) {
	q := small()
	p := q.Producer()
	seen := map[*chunk[int]]bool{}
	for i := range 100 {
		p.Push(i)
		seen[p.chunk] = true
		require.Equal(t, []int{i}, drain(q))
	}
	require.Len(t, seen, 2)

	for range 5 {
		p.PushAll(seq(0, 100))
		for c := p.head; c != nil; c = c.next {
			seen[c] = true
		}
		drain(q)
	}
	require.LessOrEqual(t, len(seen), 52)
}

// free returns the depths of the lane's empty chunks from the top.
func free(p *Producer[int]) (depths []int) {
	for c := p.free.top.Load(); c != nil; c = c.next {
		depths = append(depths, c.depth)
	}
	return depths
}

// TestFreeChunks: how many empty chunks a lane keeps while the queue is active, and at rest.
func TestFreeChunks(t *testing.T) {
	downFrom := func(n int) (depths []int) {
		for n--; n >= 0; n-- {
			depths = append(depths, n)
		}
		return depths
	}
	rest := func(q *Queue[int], p *Producer[int], entries int) {
		require.True(t, p.PushAll(make([]int, entries)))
		require.Len(t, drain(q), entries)
		require.True(t, q.Idle())
	}
	q := small()
	p := q.Producer()
	rest(q, p, 2*restFree+1)
	require.Equal(t, downFrom(restFree), free(p), "few, and in use")
	rest(q, p, 1)
	require.Empty(t, free(p), "few, but not needed since the last rest")
	rest(q, p, 1)
	require.Equal(t, downFrom(1), free(p))
	rest(q, p, 1)
	require.Equal(t, downFrom(1), free(p), "one may stay")
	rest(q, p, 2*restFree+4)
	require.Empty(t, free(p), "many")

	// With chunks of a quarter of the budget for each of two lanes, two of them may stay.
	q = &Queue[int]{chunkSlots: freeBytes / 2 / 2 / 8}
	p, _ = q.Producer(), q.Producer()
	p.PushAll(make([]int, 5*q.chunkSlots))
	drain(q)
	require.Equal(t, downFrom(2), free(p))
}

// TestChunkSlots: chunks of sensible length, whatever the size of a value.
func TestChunkSlots(t *testing.T) {
	require.Equal(t, 192, chunkSlots[struct{}]())
	require.Equal(t, 192, chunkSlots[byte]())
	require.Equal(t, 96, chunkSlots[int64]())
	require.Equal(t, 12, chunkSlots[[8]int64]())
	require.Equal(t, 4, chunkSlots[big]())
	q := new(Queue[struct{}])
	require.True(t, q.PushAll(make([]struct{}, 1000)))
	n := 0
	for _, ok := q.Pop(); ok; _, ok = q.Pop() {
		n++
	}
	require.Equal(t, 1000, n)
	require.True(t, q.Idle())
}
