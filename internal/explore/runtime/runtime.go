// Package runtime is the explorer's twin of runtime: a yield is announced to the explorer, which takes it for a request to wait
// until something changes; the rest of what production code uses is the real thing.
//
//	for !ready.Load() {
//		runtime.Gosched()   ──▶ disabled until ready, and whatever else was read since the last yield, has changed
//	}
package runtime

import (
	"runtime"

	"github.com/taskwork/taskwork/internal/explore/sched"
)

// The types that production code names.
type (
	Cleanup            = runtime.Cleanup
	Error              = runtime.Error
	Frame              = runtime.Frame
	Frames             = runtime.Frames
	Func               = runtime.Func
	MemStats           = runtime.MemStats
	PanicNilError      = runtime.PanicNilError
	TypeAssertionError = runtime.TypeAssertionError
)

// The constants.
const (
	Compiler = runtime.Compiler
	GOARCH   = runtime.GOARCH
	GOOS     = runtime.GOOS
)

// Gosched yields: see the package comment.
func Gosched() {
	if !sched.Yielding() && !sched.Exploring() {
		runtime.Gosched()
	}
}

// Goexit ends the thread as it ends any goroutine.
func Goexit() { runtime.Goexit() }

// GC collects garbage.
func GC() { runtime.GC() }

// GOMAXPROCS is the real one.
func GOMAXPROCS(n int) int { return runtime.GOMAXPROCS(n) }

// NumCPU is the real one.
func NumCPU() int { return runtime.NumCPU() }

// NumGoroutine is the real one.
func NumGoroutine() int { return runtime.NumGoroutine() }

// KeepAlive is the real one.
func KeepAlive(x any) { runtime.KeepAlive(x) }

// SetFinalizer is the real one; finalizers do not run under exploration.
func SetFinalizer(obj, finalizer any) { runtime.SetFinalizer(obj, finalizer) }

// AddCleanup is the real one; cleanups do not run under exploration.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	return runtime.AddCleanup(ptr, cleanup, arg)
}

// Stack is the real one.
func Stack(buf []byte, all bool) int { return runtime.Stack(buf, all) }

// Caller is the real one.
func Caller(skip int) (pc uintptr, file string, line int, ok bool) { return runtime.Caller(skip + 1) }

// Callers is the real one.
func Callers(skip int, pc []uintptr) int { return runtime.Callers(skip+1, pc) }

// CallersFrames is the real one.
func CallersFrames(callers []uintptr) *Frames { return runtime.CallersFrames(callers) }

// FuncForPC is the real one.
func FuncForPC(pc uintptr) *Func { return runtime.FuncForPC(pc) }

// ReadMemStats is the real one.
func ReadMemStats(m *MemStats) { runtime.ReadMemStats(m) }

// LockOSThread does nothing under exploration, where threads are coroutines.
func LockOSThread() {
	if !sched.Exploring() {
		runtime.LockOSThread()
	}
}

// UnlockOSThread undoes LockOSThread.
func UnlockOSThread() {
	if !sched.Exploring() {
		runtime.UnlockOSThread()
	}
}

// Version is the real one.
func Version() string { return runtime.Version() }
