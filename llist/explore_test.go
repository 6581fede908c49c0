//go:build explore

package llist_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/node"
	"github.com/taskwork/taskwork/llist"
)

// scene runs functions beside each other on one list and checks at the end that every node is in one place: taken by one of them,
// or still in the list.
type scene struct {
	filled int // nodes in the list at the start, from number 0 on
	nodes  int
	// each gets the list, the nodes and what it calls for a node that it has taken and keeps.
	threads []func(l *llist.List[int], nodes []node.Node[int], keep func(*node.Node[int]))
}

func (s scene) body(m *explore.M) {
	var l llist.List[int]
	nodes := make([]node.Node[int], s.nodes)
	for i := range nodes {
		nodes[i].Value = i
	}
	for i := range s.filled {
		l.Add(&nodes[i])
	}
	kept := make([][]*node.Node[int], len(s.threads)) // each thread's own
	for i, thread := range s.threads {
		m.Go(fmt.Sprint("t", i), func() {
			thread(&l, nodes, func(n *node.Node[int]) { kept[i] = append(kept[i], n) })
		})
	}
	m.Final(func() {
		seen := map[*node.Node[int]]int{}
		for _, ns := range kept {
			for _, n := range ns {
				seen[n]++
			}
		}
		n := l.DelAll()
		for steps := 0; n != nil; steps++ {
			m.Assert(steps < s.nodes, "the list has no end")
			seen[n]++
			n = llist.Next(n)
		}
		for i := range nodes {
			m.Assert(seen[&nodes[i]] == 1, "node %d is in %d places", i, seen[&nodes[i]])
		}
	})
}

func add(numbers ...int) func(*llist.List[int], []node.Node[int], func(*node.Node[int])) {
	return func(l *llist.List[int], nodes []node.Node[int], _ func(*node.Node[int])) {
		for _, i := range numbers {
			l.Add(&nodes[i])
		}
	}
}

func addChain(numbers ...int) func(*llist.List[int], []node.Node[int], func(*node.Node[int])) {
	return func(l *llist.List[int], nodes []node.Node[int], _ func(*node.Node[int])) {
		var c node.Chain[int]
		for _, i := range numbers {
			c.Append(&nodes[i])
		}
		l.AddChain(&c)
	}
}

func delAll(l *llist.List[int], _ []node.Node[int], keep func(*node.Node[int])) {
	for n := range llist.All(l.DelAll()) {
		keep(n)
	}
}

// delAllReAdd puts what it took back, as it was.
func delAllReAdd(l *llist.List[int], _ []node.Node[int], _ func(*node.Node[int])) {
	first := l.DelAll()
	if first == nil {
		return
	}
	last := first
	for next := llist.Next(last); next != nil; next = llist.Next(next) {
		last = next
	}
	l.AddBatch(first, last)
}

func delFirst(l *llist.List[int], _ []node.Node[int], keep func(*node.Node[int])) {
	if n := l.DelFirst(); n != nil {
		keep(n)
	}
}

func delFirstThis(number int) func(*llist.List[int], []node.Node[int], func(*node.Node[int])) {
	return func(l *llist.List[int], nodes []node.Node[int], keep func(*node.Node[int])) {
		if n := &nodes[number]; l.DelFirstThis(n) {
			keep(n)
		}
	}
}

// delTwoReAddFirst takes two nodes one by one and puts the first back: what makes the ABA problem of a DelFirst beside it.
func delTwoReAddFirst(l *llist.List[int], _ []node.Node[int], keep func(*node.Node[int])) {
	first := l.DelFirst()
	second := l.DelFirst()
	if second != nil {
		keep(second)
	}
	if first != nil {
		l.Add(first)
	}
}

// delAllReAddFirst takes all and puts the first node back alone.
func delAllReAddFirst(l *llist.List[int], _ []node.Node[int], keep func(*node.Node[int])) {
	var first *node.Node[int]
	for n := range llist.All(l.DelAll()) {
		if first == nil {
			first = n
		} else {
			keep(n)
		}
	}
	if first != nil {
		l.Add(first)
	}
}

type threads = []func(*llist.List[int], []node.Node[int], func(*node.Node[int]))

// TestExploreAllowed: the pairs that the table in the package comment allows without a lock.
func TestExploreAllowed(t *testing.T) {
	scenes := map[string]scene{
		"Add_Add_Add":           {nodes: 3, threads: threads{add(0), add(1), add(2)}},
		"Add_DelAll":            {filled: 1, nodes: 3, threads: threads{add(1), add(2), delAll}},
		"AddChain_Add_DelAll":   {nodes: 3, threads: threads{addChain(0, 1), add(2), delAll}},
		"DelAll_DelAll":         {filled: 2, nodes: 3, threads: threads{delAll, delAll, add(2)}},
		"DelAll_ReAdd_Add":      {filled: 2, nodes: 3, threads: threads{delAllReAdd, delAll, add(2)}},
		"Add_DelFirst":          {filled: 1, nodes: 3, threads: threads{add(1), add(2), delFirst}},
		"AddChain_DelFirst":     {filled: 1, nodes: 4, threads: threads{addChain(1, 2), add(3), delFirst}},
		"Add_DelFirstThis":      {filled: 2, nodes: 3, threads: threads{add(2), delFirstThis(1)}},
		"Add_delTwoReAddFirst":  {filled: 2, nodes: 3, threads: threads{add(2), delTwoReAddFirst}},
		"Add_Swap_and_its_list": {filled: 2, nodes: 3, threads: threads{add(2), swapThenTake}},
	}
	for _, name := range slices.Sorted(maps.Keys(scenes)) {
		s := scenes[name]
		t.Run(name, func(t *testing.T) { explore.Run(t, explore.Config{}, s.body) })
	}
}

// swapThenTake exchanges the list for nothing and keeps it.
func swapThenTake(l *llist.List[int], _ []node.Node[int], keep func(*node.Node[int])) {
	for n := range llist.All(l.Swap(nil)) {
		keep(n)
	}
}

// TestExploreForbidden: the pairs that the table wants a lock for do go wrong without one.
func TestExploreForbidden(t *testing.T) {
	scenes := map[string]scene{
		"DelFirst_DelFirst":     {filled: 3, nodes: 3, threads: threads{delFirst, delTwoReAddFirst}},
		"DelFirst_DelAll":       {filled: 2, nodes: 2, threads: threads{delFirst, delAllReAddFirst}},
		"DelFirstThis_DelAll":   {filled: 2, nodes: 2, threads: threads{delFirstThis(1), delAllReAddFirst}},
		"DelFirstThis_DelFirst": {filled: 3, nodes: 3, threads: threads{delFirstThis(2), delTwoReAddFirst}},
	}
	for _, name := range slices.Sorted(maps.Keys(scenes)) {
		s := scenes[name]
		t.Run(name, func(t *testing.T) {
			result := explore.Check(explore.Config{Name: t.Name()}, s.body)
			require.NotNil(t, result.Failure, "nothing goes wrong: the table is too strict, or the scene too weak")
			t.Logf("fails, as it should: %s\n%s", result.Failure.Message, result.Failure.Trace)
		})
	}
}
