package explore_test

import (
	"testing"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
)

// BenchmarkExecutions is the price of one execution: three threads of four operations each, in random schedules.
func BenchmarkExecutions(b *testing.B) {
	for _, mode := range []explore.Mode{explore.DPOR, explore.DFS} {
		b.Run(mode.String(), func(b *testing.B) {
			var n, steps int
			for n < b.N {
				res := explore.Check(explore.Config{Mode: mode, Preemptions: explore.Unbounded, Executions: b.N - n}, func(m *explore.M) {
					var x, y atomic.Int64
					for _, name := range []string{"a", "b", "c"} {
						m.Go(name, func() {
							for range 4 {
								x.Add(1)
								y.Load()
							}
						})
					}
				})
				n += res.Executions
				steps += res.Steps
			}
			b.ReportMetric(float64(steps)/float64(n), "steps/op")
		})
	}
}
