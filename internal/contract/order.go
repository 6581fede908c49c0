package contract

import (
	"slices"

	"github.com/taskwork/taskwork"
)

// InOrder checks that one producer's entries leave in order, none lost and none doubled, at every length up to 100 and a few
// large ones, growing from an offset, and over many turns at short lengths: where rings wrap and chunks are used again.
var InOrder = sequential("Order", func(s *scene) {
	lengths := []int{1000, MaxQueued / 2}
	for n := 1; n <= 100; n++ {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		q, pushed, popped := s.queue(), 0, []int(nil)
		push := func(k int) {
			for range k {
				pushed++
				q.Push(pushed)
			}
		}
		pop := func(k int) {
			for range k {
				v, ok := q.Pop()
				if !ok {
					s.sorted(popped) // if one has been lost, that is the better explanation
					s.fail(PopFalse, "Pop found nothing; %d entries were pushed, and %d have been handed out", pushed, len(popped))
				}
				popped = append(popped, v)
			}
		}
		push(n)
		for range 3*n + n/2 {
			pop(1)
			push(1)
		}
		push(n)
		pop(n)
		push(n / 2)
		pop(n + n/2)
		s.sorted(popped)
		s.mustRest(q)
	}
	// Short lengths for long: the queue goes through many fillings of whatever it is made of.
	q := s.queue()
	for i := range 3000 {
		n := 1 + i%7
		for j := range n {
			q.Push(8*i + j)
		}
		for j := range n {
			s.mustPop(q, 8*i+j)
		}
		if i%3 == 0 {
			s.mustRest(q)
		}
	}
})

// sorted fails the check unless popped is 1, 2, 3, … It tells lost from disordered.
func (s *scene) sorted(popped []int) {
	for i, v := range popped {
		if v == i+1 {
			continue
		}
		rest := slices.Clone(popped)
		slices.Sort(rest)
		for j, u := range rest {
			if u != j+1 {
				s.fail(NoLostWork, "of %d entries one, numbered from 1, was lost or handed out twice: the smallest that does not "+
					"fit is %d, in place of %d", len(popped), u, j+1)
			}
		}
		s.fail(Order, "one goroutine pushed 1, 2, 3, …; number %d to be handed out was %d", i+1, v)
	}
}

// LeftOver checks capped runs: what they leave comes first and in order in the next, across new pushes.
var LeftOver = sequential("LeftOver", func(s *scene) {
	for budget := 1; budget <= 7; budget++ {
		for batch := 1; batch <= 12; batch++ {
			q := s.queue()
			pushed, popped := 0, []int(nil)
			push := func() {
				for range batch {
					pushed++
					want(s, Wake, pushed == 1, q.Push(pushed), "Push of entry %d before and between capped runs", pushed)
				}
			}
			push()
			for round := 0; ; round++ {
				if round < 5 {
					push()
				}
				left := pushed - len(popped)
				st := taskwork.Run(q, budget, func(v int) {
					popped = append(popped, v)
					if len(popped) > pushed {
						s.fail(NoLostWork, "%d entries were pushed, and more are handed out", pushed)
					}
				})
				s.sorted(popped)
				want(s, Capped, min(budget, left), st.Count, "Count of Run(q, %d, …) with %d queued", budget, left)
				want(s, Capped, left > budget, st.More, "More of Run(q, %d, …) with %d queued", budget, left)
				want(s, Resting, left <= budget, q.Resting(), "Resting after Run(q, %d, …) with %d queued", budget, left)
				if !st.More {
					break
				}
			}
			want(s, NoLostWork, pushed, len(popped), "entries handed out by capped runs")
		}
	}
})

// DrainBreak checks that a loop over Drain may be left and taken up again.
var DrainBreak = sequential("Drain", func(s *scene) {
	for stop := 1; stop <= 6; stop++ {
		q := s.queue()
		want(s, Wake, true, q.PushAll([]int{1, 2, 3, 4, 5}), "PushAll at rest")
		popped := []int(nil)
		for v := range taskwork.Drain(q) {
			popped = append(popped, v)
			if len(popped) == stop {
				break
			}
		}
		s.sorted(popped)
		want(s, BrokenDrain, min(stop, 5), len(popped), "entries before a break at entry %d of 5", stop)
		if stop <= 5 {
			want(s, BrokenDrain, false, q.Resting(), "Resting after a break")
			want(s, BrokenDrain, false, q.Push(6), "wake of Push after a break")
			for v := range taskwork.Drain(q) {
				popped = append(popped, v)
			}
			s.sorted(popped)
			want(s, BrokenDrain, 6, len(popped), "entries of both loops")
		}
		want(s, Resting, true, q.Resting(), "Resting after a whole loop")
	}
})
