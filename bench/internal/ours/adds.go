package ours

import (
	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/llist"
)

// Llist is the bare list, which is no queue: a push tells whether the list was empty, and every batch needs a kick of its own.
const Llist = "llist"

// Adds returns the four generations with own nodes: as bare adds ([measure.Fill]), and with a consumer that each push which has to
// start it kicks ([measure.Run]). A kick is a token for a goroutine that sleeps: what it costs is the same for all. The queues
// need one a burst; llist, which takes what is there once and goes back to sleep, needs one a batch.
func Adds() []measure.Subject {
	var all []measure.Subject
	for _, q := range All[entry]() {
		if _, ok := q.New().(taskwork.NodeQueue[entry]); !ok {
			continue
		}
		all = append(all, measure.Subject{
			Name: q.Name, Ours: true, Blocks: "one kick a burst", Allocates: "nothing", File: "bench/internal/ours/adds.go",
			New: func(set setup) *instance {
				nq := q.New().(taskwork.NodeQueue[entry])
				drain := func(s *sink) { taskwork.Run(nq, 0, s.Take) }
				return kicked(set, nq.PushNode, drain)
			},
		})
		if q.Name == "spinlist" {
			all = append(all, measure.Subject{
				Name: Llist, Ours: true, Blocks: "one kick a batch", Allocates: "nothing", File: "bench/internal/ours/adds.go",
				New: func(set setup) *instance {
					l := new(llist.List[entry])
					drain := func(s *sink) {
						for n := range llist.All(llist.Reverse(l.DelAll())) {
							s.Take(n.Value)
						}
					}
					return kicked(set, l.Add, drain)
				},
			})
		}
	}
	return all
}

// kicked makes an instance of an add that tells whether the consumer has to be started, and of what that consumer does then.
func kicked(set setup, add func(*taskwork.Node[entry]) bool, drain func(*sink)) *instance {
	if set.Chunk > 1 || set.Kind == measure.Pair || set.Kind == measure.Flow && set.Policy != measure.Run {
		return nil
	}
	nodes := make([][]taskwork.Node[entry], set.Producers)
	for p := range nodes {
		nodes[p] = make([]taskwork.Node[entry], set.Room)
	}
	var s *sink
	token := make(chan struct{}, 1)
	return &instance{
		Start: func(of *sink) { s = of },
		Push: func(p int, first entry, n int) {
			block := ring(nodes[p], first, n)
			for i := range block {
				block[i].Value = first
				first++
				if add(&block[i]) {
					s.Kicks.Add(1)
					select {
					case token <- struct{}{}:
					default: // a token that was not taken yet serves this kick, too
					}
				}
			}
		},
		Consume: func(s *sink) {
			for !s.Done() {
				<-token
				drain(s)
				s.Pause()
			}
		},
	}
}
