//go:build explore

package taskwork_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/explore"
)

// inboxScene is a small program around an Inbox: producers, one receiver, and what else may happen.
type inboxScene struct {
	// producers holds a word for each: its pushes in order, l a lazy one, f a forced one, a a PushAll of two.
	producers []string
	min, dst  int
	linger    time.Duration
	cancel    bool // a ctx that ends at any moment, again and again: the receive is repeated without it
	close     bool // Close at any moment; the receiver goes on until ErrClosed
	try       bool // a TryRecv before each receive
}

func (s inboxScene) String() string {
	name := fmt.Sprintf("%s/min=%d/dst=%d", strings.Join(s.producers, ","), s.min, s.dst)
	for _, f := range []struct {
		name string
		on   bool
	}{{"/linger", s.linger > 0}, {"/cancel", s.cancel}, {"/close", s.close}, {"/try", s.try}} {
		if f.on {
			name += f.name
		}
	}
	return name
}

// run explores the scene over one queue. A receive that comes too late shows as a deadlock: the receiver asks for its full
// minimum as long as a forced entry is due, or a linger will end the wait, and for no more than what is left otherwise.
func (s inboxScene) run(t *testing.T, cfg explore.Config, newQueue func() taskwork.NodeQueue[int]) explore.Result {
	t.Helper()
	return explore.Run(t, cfg, s.body(newQueue))
}

func (s inboxScene) body(newQueue func() taskwork.NodeQueue[int]) func(m *explore.M) {
	total, forced := 0, 0
	for _, pushes := range s.producers {
		total += len(pushes) + strings.Count(pushes, "a")
		forced += strings.Count(pushes, "f") + 2*strings.Count(pushes, "a")
	}
	return func(m *explore.M) {
		var (
			accepted  = make([]int, len(s.producers)) // each producer's own; read at the end
			cancelled []int                           // late pushes are consumers one after the other
			received  []int                           // the receiver's
		)
		q := newQueue()
		in := taskwork.NewInbox(q, taskwork.InboxConfig[int]{Cancel: func(v int) { cancelled = append(cancelled, v) }})
		m.Blocked(func() string { return fmt.Sprintf("received %v of %d entries", received, total) })
		for p, pushes := range s.producers {
			m.Go(fmt.Sprint("p", p), func() {
				v := 100 * (p + 1)
				for _, kind := range pushes {
					var err error
					n := 1
					switch kind {
					case 'l':
						err = in.PushLazy(v)
					case 'f':
						err = in.Push(v + 10)
					case 'a':
						n, err = 2, in.PushAll([]int{v + 10, v + 11})
					}
					v += n
					if err != nil {
						m.Assert(errors.Is(err, taskwork.ErrClosed) && s.close, "push: %v", err)
						return
					}
					accepted[p] += n
				}
			})
		}
		if s.close {
			m.Go("close", in.Close)
		}
		m.Go("w", func() {
			dueForced, mayCancel := forced, s.cancel
			dst := make([]int, s.dst)
			take := func(vs []int) {
				for _, v := range vs {
					if v/10%10 != 0 {
						dueForced--
					}
				}
				received = append(received, vs...)
			}
			for s.close || len(received) < total {
				if s.try {
					if v, ok := in.TryRecv(); ok {
						take([]int{v})
						continue
					}
				}
				want := s.min
				if dueForced == 0 && !s.close && s.linger <= 0 {
					want = min(want, total-len(received))
				}
				recvCtx := context.Background()
				if mayCancel {
					ctx, cancel := m.Context()
					recvCtx = ctx
					m.Event("ctx", cancel)
				}
				n, err := in.RecvBatch(recvCtx, dst, want, s.linger)
				take(dst[:n])
				s.check(m, n, want, forced, err)
				if errors.Is(err, taskwork.ErrClosed) {
					return
				}
				mayCancel = false // once is enough: the receive after it is the one that matters
			}
		})
		m.Final(func() {
			seen := map[int]int{}
			for _, v := range append(received, cancelled...) {
				seen[v]++
				m.Assert(seen[v] == 1, "entry %d came twice", v)
			}
			sum := 0
			for _, n := range accepted {
				sum += n
			}
			m.Assert(len(seen) == sum, "%d entries accepted, received %v, cancelled %v", sum, received, cancelled)
			last := map[int]int{}
			for _, v := range received {
				p, seq := v/100, v%10
				m.Assert(seq >= last[p], "order of producer %d: %v", p, received)
				last[p] = seq + 1
			}
			totals := in.Totals()
			m.Assert(totals.Handled == int64(len(received)) && totals.Cancelled == int64(len(cancelled)), "totals %+v", totals)
		})
	}
}

// check judges what one receive returned.
func (s inboxScene) check(m *explore.M, n, want, forced int, err error) {
	switch {
	case err == nil:
		m.Assert(n > 0, "0 entries and a nil error")
		if forced == 0 && s.linger <= 0 && !s.close {
			m.Assert(n >= min(want, s.dst), "%d entries of %d wanted, and nothing forced", n, want)
		}
	case errors.Is(err, taskwork.ErrClosed):
		m.Assert(n == 0 && s.close, "%d entries and ErrClosed", n)
	default:
		m.Assert(errors.Is(err, context.Canceled) && s.cancel, "error %v", err)
	}
}

// exploreInbox runs scenes over mpscq, whose half pushes are the hard case, and over fakenode. The steps of spinlist are those of
// its lock, and there is no half push to be seen: TestExploreKick has it.
func exploreInbox(t *testing.T, cfg explore.Config, scenes []inboxScene, queues ...string) {
	for _, q := range explored {
		for _, s := range scenes {
			if slices.Contains(queues, q.name) {
				t.Run(fmt.Sprintf("%s/%s", q.name, s), func(t *testing.T) { s.run(t, cfg, q.new) })
			}
		}
	}
}

// mixes is every mix of lazy and forced pushes of two producers with so many pushes, up to an exchange of the two.
func mixes(first, second int) (all [][]string) {
	words := func(n int) []string {
		words := []string{""}
		for range n {
			longer := make([]string, 0, 2*len(words))
			for _, w := range words {
				longer = append(longer, w+"l", w+"f")
			}
			words = longer
		}
		return words
	}
	for i, a := range words(first) {
		for j, b := range words(second) {
			if first != second || i <= j {
				all = append(all, []string{a, b})
			}
		}
	}
	return all
}

// countdown is each of the producers' mixes with minimums 1 to 3.
func countdown(mixes ...[]string) (scenes []inboxScene) {
	for minimum := 1; minimum <= 3; minimum++ {
		for _, producers := range mixes {
			scenes = append(scenes, inboxScene{producers: producers, min: minimum, dst: 4})
		}
	}
	return scenes
}

// TestExploreInboxCountdown: every mix of lazy and forced pushes of two producers, and minimums 1 to 3.
func TestExploreInboxCountdown(t *testing.T) {
	exploreInbox(t, explore.Config{}, countdown(append(mixes(1, 1), []string{"a", "l"})...), "fakenode", "mpscq")
}

// TestExploreInboxCountdownTwo: the same with two pushes each. These are large; -scale 100 exhausts them.
func TestExploreInboxCountdownTwo(t *testing.T) {
	cfg := explore.Config{Budget: true, Time: 150 * time.Millisecond}
	exploreInbox(t, cfg, countdown(append(mixes(2, 1), mixes(2, 2)...)...), "mpscq")
}

// TestExploreInboxMany: three producers, and a dst with less room than what is queued, by preemption bound and by sampling.
func TestExploreInboxMany(t *testing.T) {
	var scenes []inboxScene
	for _, producers := range [][]string{{"l", "l", "l"}, {"l", "l", "f"}, {"lf", "l", "f"}, {"fl", "lf", "l"}, {"f", "f", "f"}} {
		for _, size := range [][2]int{{3, 9}, {2, 2}, {1, 1}} {
			scenes = append(scenes, inboxScene{producers: producers, min: size[0], dst: size[1]})
		}
	}
	for _, cfg := range []explore.Config{
		{Mode: explore.DFS, Preemptions: 2, Budget: true, Time: 100 * time.Millisecond},
		{Mode: explore.PCT, Depth: 4, Seed: 1, Budget: true, Time: 100 * time.Millisecond, Executions: 1_000_000},
	} {
		t.Run(cfg.Mode.String(), func(t *testing.T) { exploreInbox(t, cfg, scenes, "fakenode", "mpscq") })
	}
}

// TestExploreInboxEnds: the end of a ctx, of a linger, and Close, at every point of the wait protocol.
func TestExploreInboxEnds(t *testing.T) {
	scenes := []inboxScene{
		{producers: []string{"l"}, min: 1, dst: 2, cancel: true},
		{producers: []string{"f"}, min: 2, dst: 2, cancel: true},
		{producers: []string{"ll"}, min: 2, dst: 2, cancel: true},
		{producers: []string{"l"}, min: 2, dst: 2, linger: 1},
		{producers: []string{"f"}, min: 2, dst: 2, linger: 1},
		{producers: []string{"ll"}, min: 3, dst: 3, linger: 1},
		{producers: []string{"l"}, min: 2, dst: 2, close: true},
		{producers: []string{"f"}, min: 2, dst: 2, close: true},
		{producers: []string{"l"}, min: 2, dst: 2, close: true, cancel: true},
		{producers: []string{"l"}, min: 2, dst: 2, close: true, linger: 1},
		{producers: []string{"lf"}, min: 2, dst: 1, try: true},
	}
	exploreInbox(t, explore.Config{}, scenes, "fakenode", "mpscq")
	large := []inboxScene{
		{producers: []string{"l", "l"}, min: 2, dst: 2, close: true},
		{producers: []string{"l", "f"}, min: 2, dst: 2, close: true},
		{producers: []string{"l", "f"}, min: 2, dst: 2, cancel: true},
		{producers: []string{"l", "l"}, min: 3, dst: 3, linger: 1},
		{producers: []string{"l", "f"}, min: 3, dst: 3, linger: 1, cancel: true},
	}
	exploreInbox(t, explore.Config{Budget: true, Time: 300 * time.Millisecond}, large, "fakenode", "mpscq")
}
