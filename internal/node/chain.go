package node

// Chain is a sequence of nodes built by one goroutine to be published with one operation. The zero Chain is empty. It must not
// be copied once it holds a node.
//
// Some queues want the oldest node of a chain first, and some, whose list is last in, first out, the newest. A chain is mostly
// pushed into the same queue again and again, so it remembers which way round it was wanted last, and grows that way: then the
// links need not be turned around.
type Chain[T any] struct {
	_ noCopy

	// All of it belongs to the goroutine that builds the chain. first and last are nil, and n is zero, when it is empty; otherwise
	// the links lead from first to last, which carries the end mark.
	first, last *Node[T]
	n           int
	// newestFirst says that the links lead from the newest node to the oldest rather than the other way.
	newestFirst bool
}

// Append adds n at the end. It panics if n is in a queue or chain already.
func (c *Chain[T]) Append(n *Node[T]) {
	CheckFree(n)
	n.next = n
	switch {
	case c.first == nil:
		c.first, c.last = n, n
	case c.newestFirst:
		n.next = c.first
		c.first = n
	default:
		c.last.next = n
		c.last = n
	}
	c.n++
}

// Len returns the number of nodes in the chain.
func (c *Chain[T]) Len() int { return c.n }

// Cut takes all nodes out of c, which is left empty, and returns the two ends of a list that leads from the oldest to the newest.
// Both are nil if it was empty before.
func Cut[T any](c *Chain[T]) (oldest, newest *Node[T]) {
	return c.cut(false)
}

// CutNewest is Cut for a list that leads from the newest to the oldest.
func CutNewest[T any](c *Chain[T]) (newest, oldest *Node[T]) {
	return c.cut(true)
}

func (c *Chain[T]) cut(newestFirst bool) (first, last *Node[T]) {
	first, last = c.first, c.last
	c.first, c.last, c.n = nil, nil, 0
	if c.newestFirst != newestFirst {
		c.newestFirst = newestFirst
		first, last = Reverse(first, nil), first
	}
	return first, last
}

// Of makes one chain of nodes for all values, which must be at least one, in order. The nodes share an allocation: a slab that
// lives until the last of them is let go.
func Of[T any](vs []T) (oldest, newest *Node[T]) {
	slab := make([]Node[T], len(vs))
	for i, v := range vs {
		slab[i].Value = v
		slab[i].next = &slab[min(i+1, len(vs)-1)]
	}
	return &slab[0], &slab[len(vs)-1]
}

// OfNewest is Of for a list that leads from the newest to the oldest.
func OfNewest[T any](vs []T) (newest, oldest *Node[T]) {
	slab := make([]Node[T], len(vs))
	for i, v := range vs {
		slab[i].Value = v
		slab[i].next = &slab[max(i-1, 0)]
	}
	return &slab[len(vs)-1], &slab[0]
}

// noCopy makes go vet's copylocks complain about copies of the struct that holds it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
