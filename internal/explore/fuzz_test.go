package explore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
	"github.com/taskwork/taskwork/internal/explore/park"
	"github.com/taskwork/taskwork/internal/explore/runtime"
	"github.com/taskwork/taskwork/internal/explore/sync"
)

// instruction is one step of a random program. What it reads goes to the thread's log, which is part of the outcome.
type instruction struct {
	op     string
	target int // which variable, lock or parker
	a, b   int32
}

func (i instruction) String() string { return fmt.Sprintf("%s%d(%d,%d)", i.op, i.target, i.a, i.b) }

// program is a list of threads.
type program [][]instruction

func (p program) String() string {
	var b strings.Builder
	for _, t := range p {
		fmt.Fprintln(&b, t)
	}
	return b.String()
}

// has tells whether an instruction of that kind occurs. A yield that is not in a loop breaks what Await assumes.
func (p program) has(op string) bool {
	for _, t := range p {
		for _, i := range t {
			if i.op == op {
				return true
			}
		}
	}
	return false
}

var mixes = [][]string{
	{"load", "store", "add", "cas", "swap"},
	{"load", "store", "cas", "yieldwhile", "swap"},
	{"lock", "trylock", "load", "store"},
	{"park", "unpark", "unpark", "load", "store"},
	{"until", "unpark", "cancel", "load", "store"},
	{"clock", "unpark", "load", "store"},
	{"choose", "load", "store", "swap"},
	{"spawn", "load", "add", "cas"},
	{"spinlock", "load", "store", "add"},
	{"load", "store", "add", "cas", "swap", "yieldwhile", "lock", "trylock", "unpark", "park", "until", "cancel", "yield", "wg"},
}

func generate(r *rand.Rand) program {
	mix := mixes[r.IntN(len(mixes))]
	threads, length := 2+r.IntN(2), 3
	if threads == 2 {
		length = 4
	}
	p := make(program, threads)
	for t := range p {
		for range 1 + r.IntN(length) {
			p[t] = append(p[t], instruction{mix[r.IntN(len(mix))], r.IntN(2), int32(r.IntN(2)), int32(1 + r.IntN(2))})
		}
	}
	return p
}

// run is the body of an exploration of the program. Outcomes are what the threads saw and the values that are left; deadlock is
// an outcome too, which is why nothing in here fails.
func (p program) run(m *explore.M, out func(string)) {
	var (
		vars   [2]atomic.Int32
		spin   atomic.Int32
		locks  [2]sync.Mutex
		wg     sync.WaitGroup
		parker = []park.Parker{park.NewParker(), park.NewParker()}
	)
	wg.Add(1)
	ctx, cancel := m.Context()
	logs := make([][]int32, len(p)*2)
	var body func(t int, code []instruction)
	body = func(t int, code []instruction) {
		see := func(v int32) { logs[t] = append(logs[t], v) }
		truth := func(b bool) {
			if b {
				see(1)
			} else {
				see(0)
			}
		}
		for k, i := range code {
			v := &vars[i.target]
			switch i.op {
			case "load":
				see(v.Load())
			case "store":
				v.Store(i.b)
			case "add":
				see(v.Add(i.b))
			case "cas":
				truth(v.CompareAndSwap(i.a, i.b))
			case "swap":
				see(v.Swap(i.b))
			case "yield":
				v.Load()
				runtime.Gosched()
			case "yieldwhile":
				for v.Load() == i.a {
					runtime.Gosched()
				}
			case "spinlock":
				for !spin.CompareAndSwap(0, 1) {
					runtime.Gosched()
				}
				see(v.Add(i.b))
				spin.Store(0)
			case "lock":
				locks[i.target].Lock()
				see(vars[0].Add(1))
				locks[i.target].Unlock()
			case "trylock":
				if locks[i.target].TryLock() {
					see(vars[1].Swap(i.b))
					locks[i.target].Unlock()
				} else {
					see(-1)
				}
			case "park":
				parker[t%2].Park()
			case "until":
				parker[t%2].ParkUntil(ctx.Done(), nil)
				truth(ctx.Err() != nil)
			case "clock":
				d := park.After(1)
				parker[t%2].ParkUntil(nil, d)
				truth(d.Passed())
			case "unpark":
				parker[i.target].Unpark()
			case "cancel":
				cancel()
			case "choose":
				see(int32(m.Choose(2)))
			case "wg":
				if t == 0 && i.target == 0 {
					if k == 0 {
						wg.Done()
					}
				} else {
					wg.Wait()
				}
			case "spawn":
				if t < len(p) && k == 0 {
					m.Go("child", func() { body(t+len(p), []instruction{{"load", i.target, 0, 0}, {"add", i.target, 0, 5}}) })
				}
			}
		}
	}
	for t, code := range p {
		m.Go(fmt.Sprint("t", t), func() { body(t, code) })
	}
	m.Final(func() { out(fmt.Sprint(logs, vars[0].Load(), vars[1].Load())) })
}

// TestDPORAgreesWithDFS runs random programs in both complete modes. DPOR may skip a schedule only if another one shows the same.
func TestDPORAgreesWithDFS(t *testing.T) {
	programs := 3000
	if testing.Short() || explore.RaceEnabled {
		programs = 200
	}
	r := rand.New(rand.NewPCG(1, 2))
	var all, reduced, awaiting, skipped int
	for n := range programs {
		p := generate(r)
		cfg := explore.Config{Steps: 300, Executions: 500, Budget: true, ShrinkTime: -1}
		cfg.Mode, cfg.Preemptions = explore.DFS, explore.Unbounded
		want, full := outcomes(cfg, p.run)
		if full.Failure != nil && full.Failure.Kind == "uninstrumented" {
			continue
		}
		if full.Limit != "" || full.Failure != nil && full.Failure.Kind == "steps" {
			skipped++
			continue
		}
		cfg.Mode = explore.DPOR
		got, res := outcomes(cfg, p.run)
		require.Empty(t, res.Limit, "program %d:\n%s", n, p)
		if full.Failure != nil {
			require.NotNil(t, res.Failure, "program %d: DFS found %s\n%s", n, full.Failure, p)
			continue
		}
		require.Nil(t, res.Failure, "program %d:\n%s", n, p)
		require.Equal(t, keys(want), keys(got), "program %d:\n%s", n, p)
		if !p.has("yield") {
			cfg.Await = true
			got, res = outcomes(cfg, p.run)
			require.Nil(t, res.Failure, "with Await, program %d:\n%s", n, p)
			require.Equal(t, keys(want), keys(got), "with Await, program %d:\n%s", n, p)
		}
		awaiting += res.Executions
		all += full.Executions
		reduced += res.Executions
	}
	require.Less(t, skipped, programs/5)
	require.Zero(t, explore.Unexpected(), "races that could not be reversed")
	t.Logf("%d programs, %d skipped: %d executions of DFS, %d of DPOR, %d with Await", programs, skipped, all, reduced, awaiting)
}

func keys(m map[string]int) map[string]bool {
	k := map[string]bool{}
	for s := range m {
		k[s] = true
	}
	return k
}
