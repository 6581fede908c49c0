package lanes

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork"
)

// TestCase_K1: one producer fills chunk after chunk while the consumer polls without pause.
func TestCase_K1(t *testing.T) {
	watch(t)
	for slots, n := range map[int]int{0: 3_000_000, 2: 300_000} {
		if testing.Short() {
			n /= 10
		}
		q := &Queue[int]{chunkSlots: slots}
		woken := make(chan struct{}, 1)
		go func() {
			p := q.Producer()
			defer p.Close()
			for i := range n {
				if p.Push(i) {
					woken <- struct{}{}
				}
			}
		}()
		for next := 0; next < n; {
			<-woken
			for idle := false; !idle; idle = q.Idle() {
				for dry := 0; dry < 1000 && next < n; {
					v, ok := q.Pop()
					if !ok {
						if dry++; dry%100 == 0 {
							runtime.Gosched()
						}
						continue
					}
					if v != next {
						require.Equal(t, next, v)
					}
					next++
				}
			}
		}
	}
}

// TestComingAndGoing: goroutines with short-lived handles and without, and each wake starts a run; the runs must not overlap,
// and hand out all entries in the order of their lanes.
func TestComingAndGoing(t *testing.T) {
	watch(t)
	const producers = 8
	lives := 200
	if testing.Short() {
		lives = 50
	}
	type entry struct{ lane, seq int } // lane 0: without a handle
	for _, slots := range []int{2, 0} {
		q := &Queue[entry]{chunkSlots: slots}
		var (
			want    atomic.Int64
			plain   sync.Mutex
			plainNo int
			wg      sync.WaitGroup
		)
		// Both are the consumer's, handed from one run to the next.
		next, got := map[int]int{}, int64(0)
		run := func(wake bool) {
			if wake {
				wg.Go(func() {
					taskwork.Run(q, 0, func(e entry) {
						if next[e.lane] != e.seq {
							t.Errorf("lane %d: got entry %d, want %d", e.lane, e.seq, next[e.lane])
						}
						next[e.lane] = e.seq + 1
						got++
					})
				})
			}
		}
		for no := range producers {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(no)))
				for life := range lives {
					lane := 1 + no*lives + life
					p := q.Producer()
					for n := 0; n < 20; {
						switch rnd.IntN(8) {
						case 0:
							var es []entry
							for range rnd.IntN(6) {
								es = append(es, entry{lane, n})
								n++
							}
							run(p.PushAll(es))
							want.Add(int64(len(es)))
						case 1:
							plain.Lock()
							run(q.Push(entry{0, plainNo}))
							plainNo++
							plain.Unlock()
							want.Add(1)
						case 2:
							runtime.Gosched()
						default:
							run(p.Push(entry{lane, n}))
							n++
							want.Add(1)
						}
					}
					p.Close()
				}
			})
		}
		wg.Wait()
		require.True(t, q.Resting())
		require.Equal(t, want.Load(), got)
		run(q.Push(entry{0, plainNo})) // lets the queue forget the last of them
		wg.Wait()
		require.Len(t, q.registered(), 1)
	}
}
