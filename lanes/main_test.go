package lanes

import (
	"fmt"
	"os"
	"runtime/pprof"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watch ends the program with a dump of all goroutines if the test has not ended after a time that it never needs.
func watch(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(100*time.Second, func() {
		fmt.Fprintf(os.Stderr, "%s hangs\n", t.Name())
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		os.Exit(2)
	})
	t.Cleanup(func() { timer.Stop() })
}

// small returns a queue with chunks of two slots, so that a test crosses every boundary often.
func small() *Queue[int] { return &Queue[int]{chunkSlots: 2} }

// drain pops all that can be popped.
func drain(q *Queue[int]) (vs []int) {
	for v, ok := q.Pop(); ok; v, ok = q.Pop() {
		vs = append(vs, v)
	}
	return vs
}

// seq returns from, from+1, … up to and without to.
func seq(from, to int) (vs []int) {
	for v := from; v < to; v++ {
		vs = append(vs, v)
	}
	return vs
}
