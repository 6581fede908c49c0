// Package memory measures what queues cost in memory: over a burst, for the garbage collector, and at rest.
package memory

import (
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/mpscq"
	"github.com/taskwork/taskwork/spinlist"
)

// Live returns the bytes of the live heap, after a collection.
func Live() int64 {
	// The first one only starts to empty the sync.Pools, and finalizers may keep things until the second.
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Point is the live heap at one moment of a burst, above what it was before.
type Point struct {
	Queued int
	Bytes  int64
}

// Burst pushes n entries into a new queue of subject while nobody takes any, then takes them all, and returns the live heap along
// the way: before, after each of steps parts of the pushes, and after each part of the takes. The queue is alive to the end. It is
// nil if the subject cannot do that.
func Burst(subject measure.Subject, n, steps int) ([]Point, error) {
	before := Live()
	b := measure.NewBurst(subject, n)
	if b == nil {
		return nil, nil
	}
	points := []Point{{0, Live() - before}}
	for i := range 2 * steps {
		if i < steps {
			b.Push((i+1)*n/steps - i*n/steps)
		} else {
			at := i - steps
			b.Take((at+1)*n/steps - at*n/steps)
		}
		points = append(points, Point{b.Queued(), Live() - before})
	}
	return points, b.Close()
}

// MarkTime returns how much longer a garbage collection takes with n entries in a queue of subject than with none: the median of
// several of each.
func MarkTime(subject measure.Subject, n int) (time.Duration, error) {
	b := measure.NewBurst(subject, n)
	empty := collect()
	b.Push(n)
	full := collect()
	b.Take(n)
	return full - empty, b.Close()
}

func collect() time.Duration {
	runtime.GC()
	times := make([]time.Duration, 7)
	for i := range times {
		start := time.Now()
		runtime.GC()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// Size is what an idle queue of integers takes.
type Size struct {
	What  string
	Bytes int64
	Limit int64
}

// Sizes returns what the queues take at rest, in bytes of struct or, for a handle with what it has allocated, of heap.
func Sizes() []Size {
	return []Size{
		{"spinlist", int64(unsafe.Sizeof(spinlist.Queue[int]{})), 320},
		{"fakenode", int64(unsafe.Sizeof(fakenode.Queue[int]{})), 320},
		{"mpscq", int64(unsafe.Sizeof(mpscq.Queue[int]{})), 320},
		{"lanes, no handle", int64(unsafe.Sizeof(lanes.Queue[int]{})), 512},
		{"lanes, each handle", handleSize(), 2048},
	}
}

// handleSize returns what a handle of lanes takes at rest after use.
func handleSize() int64 {
	const handles = 1000
	var q lanes.Queue[int]
	before := Live()
	for range handles {
		h := q.Producer()
		for range 1000 {
			if h.Push(1) {
				drain(&q)
			}
		}
	}
	after := Live()
	runtime.KeepAlive(&q)
	return (after - before) / handles
}

func drain(q *lanes.Queue[int]) {
	for {
		for _, ok := q.Pop(); ok; _, ok = q.Pop() {
		}
		if q.Idle() {
			return
		}
	}
}
