//go:build explore

package taskwork_test

import (
	"fmt"
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/internal/explore"
)

// TestExploreCase runs the rows of CASES.md that are interleavings, each as the smallest scenes that contain every schedule of the
// row. The other rows, and these once more on real processors, are the TestCase functions.
func TestExploreCase(t *testing.T) {
	type body = func(newQueue func() taskwork.NodeQueue[int]) func(m *explore.M)
	for _, c := range []struct {
		row    string
		bodies []body
	}{
		// A forced and a lazy push race for the claim of a sleeper that wants two, or three.
		{"A1", []body{
			inboxScene{producers: []string{"f", "l"}, min: 2, dst: 2}.body,
			inboxScene{producers: []string{"f", "l"}, min: 3, dst: 3}.body,
		}},
		// A linger that passes before, while and after the only entry comes.
		{"A3", []body{
			inboxScene{producers: []string{"f"}, min: 4, dst: 4, linger: 1}.body,
			inboxScene{producers: []string{"l"}, min: 4, dst: 4, linger: 1}.body,
		}},
		{"A5", []body{inboxScene{producers: []string{"ll"}, min: 9, dst: 9, linger: 1}.body}},
		// A handler causes a push while the consumer is active, and another producer pushes meanwhile.
		{"B1", []body{kickScene{producers: 2, each: 1, repush: 2}.body, runnerScene{pushers: 2, each: 1}.body}},
		// A push between the consumer's last empty Pop and its Idle, for several budgets.
		{"B2", []body{
			kickScene{producers: 2, each: 1, budget: 1}.body,
			kickScene{producers: 2, each: 1, budget: 2}.body,
			runnerScene{pushers: 2, each: 1, budget: 1}.body,
		}},
		{"B4", []body{runnerScene{pushers: 2, each: 1, spawn: "sync"}.body}},
		// A producer stops between exchange and link while the queue is empty, or while another one pushes and asks: C1, C4 are
		// TestExploreEmpty; here the entry must be handled once the producer goes on.
		{"C1", []body{kickScene{producers: 2, each: 1}.body}},
		{"C3", []body{kickScene{producers: 3, each: 1, budget: 1}.body}},
		// The nodes that a consumer took come back by a re-push while a producer is on its way to the compare-and-swap.
		{"C7", []body{kickScene{producers: 2, each: 1, repush: 1}.body}},
		// A claimed wake that arrives after the wait it was meant for has ended; a ctx or Close between the last look and the sleep.
		{"D1", []body{inboxScene{producers: []string{"f"}, min: 1, dst: 1, cancel: true}.body}},
		{"D3", []body{inboxScene{producers: []string{"l"}, min: 2, dst: 2, linger: 1, cancel: true}.body}},
		{"D4", []body{
			inboxScene{producers: []string{"l"}, min: 1, dst: 1, cancel: true}.body,
			inboxScene{producers: []string{"l"}, min: 1, dst: 1, close: true}.body,
		}},
		{"D6", []body{inboxScene{producers: []string{"ff"}, min: 1, dst: 1, cancel: true}.body}},
		{"E1", []body{kickScene{producers: 2, each: 2, budget: 1}.body}},
		{"E2", []body{kickScene{producers: 1, each: 1, repush: 3, budget: 1}.body}},
		// Pushes that are past the check for closed when Close or Shutdown comes.
		{"F1", []body{
			runnerScene{pushers: 2, each: 1, shutdown: true, raw: true}.body,
			inboxScene{producers: []string{"f"}, min: 1, dst: 1, close: true}.body,
		}},
		{"F3", []body{runnerScene{pushers: 1, each: 1, shutdown: true, cancel: true}.body}},
		{"F7", []body{runnerScene{pushers: 1, each: 2, budget: 1, shutdown: true, spawn: "pool"}.body}},
		{"G1", []body{kickScene{producers: 1, each: 3, budget: 2}.body}},
		{"H2", []body{kickScene{producers: 2, each: 1, repush: 2, budget: 1}.body}},
		{"J6", []body{runnerScene{pushers: 2, each: 1, panics: true}.body}},
	} {
		for i, body := range c.bodies {
			for _, q := range explored {
				if q.name == "spinlist" && c.row[0] != 'B' && c.row[0] != 'E' {
					continue // no half pushes, and the waiting is the same
				}
				t.Run(fmt.Sprintf("%s/%s/%d", c.row, q.name, i), func(t *testing.T) {
					explore.Run(t, explore.Config{}, body(q.new))
				})
			}
		}
	}
}
