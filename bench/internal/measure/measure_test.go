package measure

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sound is a queue that does everything right; harm turns it into one that does not.
func sound(name string, harm func(n int, e Entry, push func(Entry))) Subject {
	return Subject{Name: name, New: func(set Setup) *Instance {
		if set.Policy != Poll || set.Chunk > 1 || set.Kind == Pair {
			return nil
		}
		var mu sync.Mutex
		var q []Entry
		n := 0
		put := func(e Entry) { q = append(q, e) }
		return &Instance{
			Push: func(_ int, first Entry, count int) {
				for e := first; e < first+Entry(count); e++ {
					mu.Lock()
					if n++; harm != nil {
						harm(n, e, put)
					} else {
						put(e)
					}
					mu.Unlock()
				}
			},
			Consume: func(s *Sink) {
				for !s.Done() {
					mu.Lock()
					all := q
					q = nil
					mu.Unlock()
					s.TakeAll(all)
					if len(all) == 0 && s.Dry() {
						return
					}
				}
			},
		}
	}}
}

func TestCheckRejectsQueuesThatBreakTheirWord(t *testing.T) {
	require.Nil(t, Check(sound("sound", nil)))
	var held []Entry
	for want, harm := range map[string]func(int, Entry, func(Entry)){
		"never came": func(n int, e Entry, push func(Entry)) {
			if n%3000 != 0 {
				push(e)
			}
		},
		"expected": func(n int, e Entry, push func(Entry)) {
			push(e)
			if n%3000 == 0 {
				push(e)
			}
		},
		"out of order": func(n int, e Entry, push func(Entry)) {
			if n%3000 == 1 {
				held = append(held, e)
				return
			}
			push(e)
			for _, h := range held {
				push(h)
			}
			held = nil
		},
	} {
		fault := checkWithin(sound("unsound", harm), 200*time.Millisecond)
		require.NotNil(t, fault, want)
		require.ErrorContains(t, fault, "unsound: ")
		require.ErrorContains(t, fault, want)
	}
}

func TestCheckGivesUpOnOneThatHangs(t *testing.T) {
	release := make(chan struct{})
	hangs := sound("hangs", nil)
	inner := hangs.New
	hangs.New = func(set Setup) *Instance {
		inst := inner(set)
		if inst != nil {
			inst.Push = func(int, Entry, int) { <-release }
			inst.Consume = func(*Sink) { <-release }
		}
		return inst
	}
	fault := checkWithin(hangs, 100*time.Millisecond)
	close(release)
	require.ErrorContains(t, fault, "hangs: hangs")
}

func TestRoundCountsWhatItMeasures(t *testing.T) {
	for _, producers := range []int{1, 3, 64, MaxProducers} {
		s, err := Round(sound("sound", nil), Column{Kind: Flow, Policy: Poll, Producers: producers}, 100_000)
		require.NoError(t, err)
		require.Equal(t, producers*Each(100_000, producers), s.Entries)
		require.Positive(t, s.Elapsed)
		require.Positive(t, s.Bytes, "the queue grows its slice")
		for i, n := range s.Batches {
			require.GreaterOrEqual(t, n, int64(0))
			require.LessOrEqual(t, n<<max(0, i-1), int64(s.Entries), "batches cannot hold more than all entries")
		}
	}
	_, err := Round(sound("sound", nil), Column{Kind: Pair, Policy: Poll, Producers: 1}, 1000)
	require.ErrorIs(t, err, ErrCannot)
	_, err = Round(sound("sound", nil), Column{Kind: Flow, Policy: Block, Producers: 1}, 1000)
	require.ErrorIs(t, err, ErrCannot)
}

func TestRoundSetsGOMAXPROCSForItsTimeOnly(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	seen := 0
	s := sound("sound", func(_ int, e Entry, push func(Entry)) { seen = runtime.GOMAXPROCS(0); push(e) })
	_, err := Round(s, Column{Kind: Flow, Policy: Poll, Producers: 2, Procs: 1}, 1000)
	require.NoError(t, err)
	require.Equal(t, 1, seen)
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}

func plan(subjects ...Subject) Plan {
	return Plan{
		Rows:   Cross(subjects, []Column{{Kind: Flow, Policy: Poll, Producers: 2}, {Kind: Flow, Policy: Block, Producers: 2}}),
		Rounds: 3, Slice: time.Millisecond, Least: 1000, Most: 5000, patience: 500 * time.Millisecond,
	}
}

func TestSeriesInterleavesAndLeavesOutWhatCannot(t *testing.T) {
	p := plan(sound(Channel, nil), sound("other", nil))
	steps := 0
	p.Progress = func(string) { steps++ }
	out, err := Series(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, p.Steps(), steps, "or the progress bar would not end full")
	require.Equal(t, 3, out.Rounds)
	require.Len(t, out.Rows, 2, "nothing for a column that the subject does not have")
	for _, r := range out.Rows {
		require.Len(t, r.Samples, 3)
		require.Equal(t, Poll, r.Column.Policy)
	}
	figs := out.Figures()
	require.Len(t, figs, 2)
	require.InDelta(t, 1, figs[0].ToChannel.Value, 1e-9)
	require.NotEmpty(t, figs[1].BestPeer)

	var b strings.Builder
	require.NoError(t, out.Bench(&b))
	require.Equal(t, 6, strings.Count(b.String(), "\n"))
	require.Regexp(t, `(?m)^BenchmarkFlow/impl=other/consumer=poll/producers=2-\d+\t\d+\t[\d.]+ ns/op\t[\d.]+ B/op\t[\d.]+ allocs/op$`,
		b.String())
}

func TestSeriesDoesNotTimeWhatLosesEntries(t *testing.T) {
	lossy := sound("lossy", func(n int, e Entry, push func(Entry)) {
		if n%100 != 50 {
			push(e)
		}
	})
	out, err := Series(t.Context(), plan(sound("sound", nil), lossy))
	require.NoError(t, err)
	require.Len(t, out.Faults, 1)
	require.Equal(t, "lossy", out.Faults[0].Subject)
	require.Len(t, out.Rows, 1)
	require.Equal(t, "sound", out.Rows[0].Subject.Name)
	require.Error(t, out.Failed(func(name string) bool { return name == "lossy" }))
	require.NoError(t, out.Failed(func(name string) bool { return name == "sound" }))
}

func TestSeriesInterruptedKeepsItsRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := plan(sound("one", nil), sound("two", nil))
	p.Rounds = 1000
	p.Progress = func(what string) {
		if strings.HasPrefix(what, "round 3") {
			cancel()
		}
	}
	out, err := Series(ctx, p)
	require.NoError(t, err)
	require.Equal(t, 2, out.Rounds)
	require.Len(t, out.Rows, 2)
}

func TestSlug(t *testing.T) {
	require.Equal(t, "fakenode/form=own-nodes", Slug("fakenode, own nodes"))
	require.Equal(t, "mutex+deque-gammazero", Slug("mutex+deque (gammazero)"))
	require.NotContains(t, Slug("gnet pkg/queue"), "/")
}
