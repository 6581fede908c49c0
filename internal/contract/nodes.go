package contract

import "github.com/taskwork/taskwork"

// Intrusive checks nodes: what Pop leaves of them, that they may be pushed again at once, chains. It passes queues without.
var Intrusive = sequential("Nodes", func(s *scene) {
	q, ok := s.nodeQueue()
	if !ok {
		return
	}
	// A handed-out node is empty and free, at every place in the queue, and whatever form it came in.
	nodes := make([]taskwork.Node[int], 8)
	for round := range 50 {
		for i := range nodes {
			nodes[i].Value = i + 1
		}
		var c taskwork.Chain[int]
		want(s, Wake, true, q.PushNode(&nodes[0]), "PushNode at rest")
		for i := 1; i < 4; i++ {
			want(s, Wake, false, q.PushNode(&nodes[i]), "PushNode while the queue is active")
		}
		for i := 4; i < len(nodes); i++ {
			c.Append(&nodes[i])
		}
		want(s, Chains, len(nodes)-4, c.Len(), "Len of the chain")
		want(s, Wake, false, q.PushChain(&c), "PushChain while the queue is active")
		want(s, Chains, 0, c.Len(), "Len of the chain after PushChain")
		want(s, Chains, false, q.PushChain(&c), "wake of PushChain of the chain that PushChain has just emptied")
		for i := range nodes {
			s.mustPop(q, i+1)
			want(s, Nodes, 0, nodes[i].Value, "Value of node %d of %d after its Pop", i+1, len(nodes))
			if (i+round)%2 == 0 {
				nodes[i].Value = 100 + i
				s.repush(q, &nodes[i], "right after its Pop")
			}
		}
		for i := range nodes {
			if (i+round)%2 == 0 {
				s.mustPop(q, 100+i)
			}
		}
		s.mustRest(q)
	}

	// An empty chain at rest is no push; Append makes the chain anew.
	var c taskwork.Chain[int]
	want(s, Chains, false, q.PushChain(&c), "wake of PushChain of an empty chain at rest")
	want(s, Chains, true, q.Resting(), "Resting after PushChain of an empty chain")
	for n := 1; n <= 20; n++ {
		for v := range n {
			c.Append(&taskwork.Node[int]{Value: v + 1})
		}
		want(s, Wake, true, q.PushChain(&c), "PushChain of %d nodes at rest", n)
		for v := range n {
			s.mustPop(q, v+1)
		}
		s.mustRest(q)
	}

	// The handler pushes the node that it was given, into the same queue and into another one.
	other, _ := s.nodeQueue()
	n := &taskwork.Node[int]{Value: 1}
	q.PushNode(n)
	q.Push(-1)
	count := 0
	taskwork.Run(q, 0, func(v int) {
		if v < 0 {
			return
		}
		want(s, NoLostWork, count+1, v, "the node that its handler pushes again and again")
		count++
		n.Value = v + 1
		if v < 20 {
			s.repush(q, n, "from inside its handler")
			return
		}
		want(s, Wake, true, other.PushNode(n), "PushNode, inside the handler, into another queue that is at rest")
	})
	want(s, NoLostWork, 20, count, "entries handed out of a node that its handler pushed again 19 times")
	s.mustPop(other, 21)
	s.mustRest(other)
})

// repush pushes a node that must be free into an active queue.
func (s *scene) repush(q taskwork.NodeQueue[int], n *taskwork.Node[int], when string) {
	var wake bool
	if panicked, _ := s.apart(func() { wake = q.PushNode(n) }); panicked != nil {
		s.fail(Nodes, "pushing a node again %s panicked: %v", when, panicked)
	}
	want(s, Wake, false, wake, "PushNode while the queue is active")
}

// DoublePush checks that a node in the queue, at every place in it, is refused by this queue and another, and by chains; and
// that nothing has been lost or doubled by the attempt. It passes queues without nodes.
var DoublePush = sequential("DoublePush", func(s *scene) {
	if _, ok := s.nodeQueue(); !ok {
		return
	}
	const length = 3
	for popped := range length {
		for at := popped; at < length; at++ {
			for to, name := range []string{"the same queue", "another queue", "a chain"} {
				q, _ := s.nodeQueue()
				other, _ := s.nodeQueue()
				nodes := make([]taskwork.Node[int], length)
				for i := range nodes {
					nodes[i].Value = i + 1
					q.PushNode(&nodes[i])
				}
				for i := range popped {
					s.mustPop(q, i+1)
				}
				s.mustPanic(QueuedNode, func() {
					switch to {
					case 0:
						q.PushNode(&nodes[at])
					case 1:
						other.PushNode(&nodes[at])
					default:
						var c taskwork.Chain[int]
						c.Append(&nodes[at])
					}
				}, "pushing a queued node into "+name)
				for i := popped; i < length; i++ {
					s.mustPop(q, i+1)
				}
				s.mustRest(q)
				want(s, QueuedNode, true, other.Resting(), "Resting of another queue that has refused a node")
			}
		}
	}
})
