package node

// Chain is a sequence of nodes built by one goroutine to be published with one operation. The zero Chain is empty. It must not
// be copied once it holds a node.
type Chain[T any] struct {
	_ noCopy

	// All three belong to the goroutine that builds the chain. first and last are nil, and n is zero, when it is empty;
	// otherwise the links lead from first to last, oldest first, and last carries the end mark.
	first, last *Node[T]
	n           int
}

// Append adds n at the end. It panics if n is in a queue or chain already.
func (c *Chain[T]) Append(n *Node[T]) {
	CheckFree(n)
	n.next = n
	if c.first == nil {
		c.first = n
	} else {
		c.last.next = n
	}
	c.last = n
	c.n++
}

// Len returns the number of nodes in the chain.
func (c *Chain[T]) Len() int { return c.n }

// Cut takes all nodes out of c, oldest first, and leaves it empty. first is nil if it was empty before.
func Cut[T any](c *Chain[T]) (first, last *Node[T]) {
	first, last = c.first, c.last
	c.first, c.last, c.n = nil, nil, 0
	return first, last
}

// Of makes one chain, in order, of nodes for all values, which must be at least one. The nodes share an allocation: a slab that
// lives until the last of them is let go.
func Of[T any](vs []T) (first, last *Node[T]) {
	slab := make([]Node[T], len(vs))
	for i, v := range vs {
		slab[i].Value = v
		slab[i].next = &slab[min(i+1, len(vs)-1)]
	}
	return &slab[0], &slab[len(vs)-1]
}

// noCopy makes go vet's copylocks complain about copies of the struct that holds it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
