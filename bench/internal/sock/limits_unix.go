//go:build unix

package sock

import (
	"math"
	"syscall"
)

// fileLimit raises the soft limit on open files to the hard one and returns it.
func fileLimit() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return math.MaxInt // unknown: the first connection that fails will tell
	}
	if l.Cur < l.Max {
		raised := l
		raised.Cur = l.Max
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err == nil {
			l = raised
		}
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) //nolint:unconvert // Cur is signed on some systems
}
