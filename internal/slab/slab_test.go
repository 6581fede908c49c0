package slab

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/internal/node"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNoNodeTwice: goroutines that share slabs, get more than a slab each, and are swept meanwhile, never get the same node.
func TestNoNodeTwice(t *testing.T) {
	const goroutines, each = 8, 2000
	type mark struct{ goroutine, n int }
	var (
		s   Source[mark]
		wg  sync.WaitGroup
		got [goroutines][each]*node.Node[mark]
	)
	for g := range goroutines {
		wg.Go(func() {
			for n := range each {
				x := s.Get()
				if x.Value != (mark{}) {
					t.Errorf("a node that is in use: %v", x.Value)
				}
				x.Value = mark{g + 1, n}
				got[g][n] = x
				if n%500 == 0 {
					sweepAll()
				}
			}
		})
	}
	wg.Wait()
	for g := range got {
		for n, x := range got[g] {
			require.Equal(t, mark{g + 1, n}, x.Value)
		}
	}
}

// TestOneShard: the same for goroutines that have picked the same place.
func TestOneShard(t *testing.T) {
	const goroutines, each = 4, 5000
	all := find[int32]()
	var (
		wg    sync.WaitGroup
		taken atomic.Int32
		mu    sync.Mutex
		seen  = map[*node.Node[int32]]bool{}
	)
	for range goroutines {
		wg.Go(func() {
			var mine []*node.Node[int32]
			for range each {
				x := all[0].get()
				x.Value = taken.Add(1)
				mine = append(mine, x)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, x := range mine {
				seen[x] = true
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, goroutines*each)
	all.sweep()
}

func TestSizes(t *testing.T) {
	require.Equal(t, shards, len(shared[int]{}))
	require.NotNil(t, find[int]())
	require.Same(t, find[int](), find[int]())
	require.NotNil(t, find[struct{}]())
	require.NotNil(t, find[[13]int64]())
	require.Nil(t, find[[16]int64](), "too large to be worth it")

	var large Source[[1 << 12]int]
	a, b := large.Get(), large.Get()
	require.NotSame(t, a, b)
	require.Nil(t, large.shared.Load())
}

func TestAllocations(t *testing.T) {
	var s Source[int]
	const n = 12700
	allocs := testing.AllocsPerRun(5, func() {
		for range n {
			s.Get()
		}
	})
	require.LessOrEqual(t, allocs, float64(n)/50)
}

// gone collects garbage until n is want.
func gone(t *testing.T, n *atomic.Int32, want int32) {
	t.Helper()
	for range 200 {
		runtime.GC()
		if n.Load() == want {
			return
		}
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of their own
	}
	require.Equal(t, want, n.Load())
}

// TestSlabsAreLetGo: what was handed out and dropped is collected although the slab was not used up, value and all.
func TestSlabsAreLetGo(t *testing.T) {
	type big struct{ _ [1 << 16]byte }
	var (
		s Source[*big]
		n atomic.Int32
	)
	const rounds = 3
	for i := range int32(rounds) {
		x := s.Get()
		x.Value = new(big)
		runtime.AddCleanup(x.Value, func(n *atomic.Int32) { n.Add(1) }, &n)
		x = nil
		gone(t, &n, i+1)
	}
	for i := range s.shared.Load() {
		require.Nil(t, s.shared.Load()[i].slab.Load())
	}
}
