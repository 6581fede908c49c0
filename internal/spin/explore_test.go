//go:build explore

package spin_test

import (
	"fmt"
	"testing"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/spin"
)

// TestExploreLock: at most one holder at a time, nobody waits for ever, and the lock orders plain memory (under -race).
func TestExploreLock(t *testing.T) {
	for _, size := range [][2]int{{2, 1}, {2, 2}, {3, 1}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			explore.Run(t, explore.Config{}, func(m *explore.M) {
				var (
					l     spin.Lock
					held  bool
					turns int
				)
				for p := range size[0] {
					m.Go(fmt.Sprint("t", p), func() {
						for range size[1] {
							l.Lock()
							m.Assert(!held, "two holders")
							held = true
							m.Tick() // somebody else's chance to get in
							turns++
							held = false
							l.Unlock()
						}
					})
				}
				m.Final(func() { m.Assert(turns == size[0]*size[1], "%d turns", turns) })
			})
		})
	}
}
