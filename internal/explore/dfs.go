package explore

import (
	"math/bits"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// dfs explores every schedule with at most bound preemptions, without reduction. It is the measure that DPOR is tested against,
// and the one mode whose cost falls steeply with the bound.
//
// To go on with the thread that ran last is free, and so is a switch when that thread cannot go on or has yielded.
type dfs struct {
	bound    int // negative: none
	nodes    []branch
	kept     int
	diverged bool
	cut      bool // some schedule was left out because of the bound
}

type branch struct {
	enabled uint32 // all that are enabled
	left    uint32 // still to be tried
	thread  int8
	prev    int8
	used    int // preemptions before this step
	free    bool
	value   int
	n       int
}

func (d *dfs) Pick(x *sched.Exec, enabled uint32, prev int) int {
	i := x.Len()
	if i < d.kept {
		if d.nodes[i].n > 0 || d.nodes[i].enabled != enabled {
			d.diverged = true
			return -1
		}
		return int(d.nodes[i].thread)
	}
	b := branch{enabled: enabled, left: enabled, prev: int8(prev), used: d.used(i)}
	b.free = prev < 0 || enabled&(1<<prev) == 0 || x.Yielding(prev)
	switch {
	case prev >= 0 && enabled&(1<<prev) != 0:
		b.thread = int8(prev)
	default:
		b.thread = int8(bits.TrailingZeros32(enabled))
	}
	if !b.free && d.bound >= 0 && b.used >= d.bound {
		if b.left != 1<<b.thread {
			d.cut = true
		}
		b.left = 1 << b.thread
	}
	b.left &^= 1 << b.thread
	d.nodes = append(d.nodes[:i], b)
	return int(b.thread)
}

// used is the number of preemptions before event i.
func (d *dfs) used(i int) int {
	for i--; i >= 0; i-- {
		if b := &d.nodes[i]; b.n == 0 {
			if !b.free && b.thread != b.prev {
				return b.used + 1
			}
			return b.used
		}
	}
	return 0
}

func (d *dfs) Choose(x *sched.Exec, n int) int {
	i := x.Len()
	if i < d.kept {
		if d.nodes[i].n != n {
			d.diverged = true
			return 0
		}
		return d.nodes[i].value
	}
	d.nodes = append(d.nodes[:i], branch{n: n, thread: -1})
	return 0
}

func (d *dfs) Completed(*sched.Exec, int) {}

func (d *dfs) end() bool {
	for i := len(d.nodes) - 1; i >= 0; i-- {
		b := &d.nodes[i]
		switch {
		case b.n > 0 && b.value+1 < b.n:
			b.value++
		case b.n == 0 && b.left != 0:
			b.thread = int8(bits.TrailingZeros32(b.left))
			b.left &= b.left - 1
		default:
			continue
		}
		d.nodes = d.nodes[:i+1]
		d.kept = i + 1
		return true
	}
	return false
}
