// Package pad keeps words that different goroutines write apart in memory.
package pad

// Line is the distance in bytes at which two words no longer disturb each other.
//
// A cache line is 64 bytes on amd64, most arm64, riscv64 and 386, so 64 would keep two words off one line. It is twice that
// because the adjacent-line prefetcher of amd64 fetches lines in pairs, and because some arm64 and ppc64 lines are 128 bytes.
// Queues use it as an array length, less the words that share the line on purpose:
//
//	tail atomic.Pointer[…]       // producers fight over this one …
//	_    [pad.Line - 8]byte
//	next *Node                   // … and the consumer works here undisturbed
const Line = 128
