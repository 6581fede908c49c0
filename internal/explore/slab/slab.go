// Package slab is the explorer's twin of internal/slab: every node is an allocation of its own. Which slab a node is of makes no
// difference to the queues, and depends on addresses, so that executions would not repeat.
package slab

import "github.com/taskwork/taskwork/internal/node"

// Source is the twin of slab.Source.
type Source[T any] struct{}

// Get returns a free node.
func (s *Source[T]) Get() *node.Node[T] { return new(node.Node[T]) }
