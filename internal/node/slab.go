package node

import "unsafe"

// Slab allocates free nodes together. They stay in memory until the last of them is let go, without the values that were handed
// out. A slab holds as many nodes as fit in 2 KB less the 8 bytes that the runtime puts in front of an object of this size, but
// no fewer than 64 while a value takes no more than 128 bytes, and never fewer than 4.
func Slab[T any]() []Node[T] {
	size := unsafe.Sizeof(Node[T]{})
	n := (2048 - 8) / size
	if n < 64 {
		n = min(64, max(64*128/size, 4))
	}
	return make([]Node[T], n)
}

// Size returns the size of a T in bytes.
func Size[T any]() uintptr {
	var v T
	return unsafe.Sizeof(v)
}

// Here returns an address on the stack of the calling goroutine, as a number that tells it from others that are running: two
// stacks are never less than 2 KB apart. It changes as calls nest, and when the stack moves.
//
//go:nocheckptr
func Here() uintptr {
	var here byte
	return uintptr(unsafe.Pointer(&here))
}
