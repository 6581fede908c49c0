package explore

import (
	"math/bits"
	"math/rand/v2"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// random picks uniformly among the enabled threads.
type random struct{ rng *rand.Rand }

func (r *random) Pick(_ *sched.Exec, enabled uint32, _ int) int {
	for k := r.rng.IntN(bits.OnesCount32(enabled)); k > 0; k-- {
		enabled &= enabled - 1
	}
	return bits.TrailingZeros32(enabled)
}

func (r *random) Choose(_ *sched.Exec, n int) int { return r.rng.IntN(n) }
func (r *random) Completed(*sched.Exec, int)      {}
func (r *random) begin()                          {}

// pct runs the enabled thread of the highest priority. Priorities are random; at depth−1 random steps the thread that is running
// falls below all others (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of
// finding bugs). With n threads and k steps, a bug of that depth shows with probability 1/(n·k^(depth−1)) or better.
type pct struct {
	rng      *rand.Rand
	depth    int
	steps    int // the longest execution so far
	priority [sched.MaxThreads]int
	fall     []int
	low      int
}

func (p *pct) begin() {
	clear(p.priority[:])
	p.fall = p.fall[:0]
	for range p.depth - 1 {
		p.fall = append(p.fall, p.rng.IntN(max(p.steps, 8)))
	}
	p.low = 0
}

func (p *pct) Pick(x *sched.Exec, enabled uint32, prev int) int {
	step := x.Steps()
	p.steps = max(p.steps, step)
	for _, f := range p.fall {
		if f == step && prev >= 0 {
			p.low--
			p.priority[prev] = p.low
		}
	}
	// A thread that has yielded asks for others to run: it falls too, or spinners would starve whom they wait for.
	if prev >= 0 && x.Yielding(prev) {
		p.low--
		p.priority[prev] = p.low
	}
	best := -1
	for set := enabled; set != 0; set &= set - 1 {
		t := bits.TrailingZeros32(set)
		if p.priority[t] == 0 {
			p.priority[t] = 1 + p.rng.IntN(1<<30)
		}
		if best < 0 || p.priority[t] > p.priority[best] {
			best = t
		}
	}
	return best
}

func (p *pct) Choose(_ *sched.Exec, n int) int { return p.rng.IntN(n) }
func (p *pct) Completed(*sched.Exec, int)      {}
