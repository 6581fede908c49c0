package lanes_test

import (
	"fmt"
	"sync"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// Workers count what they see, and one goroutine at a time adds the counts up, without a lock: workers that push often hold a
// handle each.
func Example() {
	type sample struct{ worker, bytes int }
	var (
		q      lanes.Queue[sample]
		wg     sync.WaitGroup
		totals [4]int // the consumer's
	)
	run := func() {
		taskwork.Run(&q, 0, func(s sample) { totals[s.worker] += s.bytes })
	}
	for worker := range totals {
		wg.Go(func() {
			p := q.Producer()
			defer p.Close()
			for n := range 1000 {
				if p.Push(sample{worker, n}) {
					wg.Go(run)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(totals)
	// Output: [499500 499500 499500 499500]
}
