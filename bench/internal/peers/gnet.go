package peers

import (
	"github.com/panjf2000/gnet/v2/pkg/queue"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

// gnetQueue is the queue of tasks that gnet's event loops are given. It carries *queue.Task; an entry travels as the task's
// parameter, and tasks come from gnet's own pool, as gnet does it.
func gnetQueue() subject {
	return subject{
		Name:      "gnet pkg/queue",
		Blocks:    "not at all; gnet wakes its poller through a file descriptor, here the consumer polls",
		Allocates: "a node for each entry, and the entry itself where it has to become an interface",
		File:      "bench/internal/peers/gnet.go",
		New: func(set setup) *instance {
			if set.Policy != measure.Poll || set.Chunk > 1 {
				return nil
			}
			q := queue.NewLockFreeQueue()
			push := func(e entry) {
				task := queue.GetTask()
				task.Param = e
				q.Enqueue(task)
			}
			pop := func() (entry, bool) {
				task := q.Dequeue()
				if task == nil {
					return 0, false
				}
				e := task.Param.(entry)
				queue.PutTask(task)
				return e, true
			}
			return &instance{
				Push: func(_ int, first entry, n int) {
					for e := first; e < first+entry(n); e++ {
						push(e)
					}
				},
				Consume: poll(pop),
				Pair:    pair(push, pop),
			}
		},
	}
}
