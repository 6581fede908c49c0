package lanes_test

import (
	"sync"
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
	"github.com/taskwork/taskwork/queuetest"
)

func TestContract(t *testing.T) {
	queuetest.Run(t, func() taskwork.Queue[int] { return new(lanes.Queue[int]) })
}

// TestContractOfHandle runs the contract over pushes through one handle, which goroutines take turns with.
func TestContractOfHandle(t *testing.T) {
	queuetest.Run(t, func() taskwork.Queue[int] {
		q := new(lanes.Queue[int])
		return &handled{Queue: q, p: q.Producer()}
	})
}

type handled struct {
	*lanes.Queue[int]
	mu sync.Mutex
	p  *lanes.Producer[int] // guarded by mu
}

func (h *handled) Push(v int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.p.Push(v)
}

func (h *handled) PushAll(vs []int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.p.PushAll(vs)
}
