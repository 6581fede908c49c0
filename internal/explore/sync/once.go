package sync

import "github.com/taskwork/taskwork/internal/explore/atomic"

// Once is the twin of sync.Once, of the same size.
type Once struct {
	done atomic.Bool
	m    Mutex
}

// Do calls f the first time, and returns when that call has.
func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	o.m.Lock()
	defer o.m.Unlock()
	if !o.done.Load() {
		defer o.done.Store(true)
		f()
	}
}

// OnceFunc returns a function that calls f once. A panic of f is repeated by every call.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} {
		f()
		return struct{}{}
	})
	return func() { g() }
}

// OnceValue returns a function that calls f once and returns what it returned.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T {
		v, _ := g()
		return v
	}
}

// OnceValues returns a function that calls f once and returns what it returned.
func OnceValues[T, U any](f func() (T, U)) func() (T, U) {
	var (
		once  Once
		valid bool
		p     any
		v     T
		w     U
	)
	return func() (T, U) {
		once.Do(func() {
			defer func() {
				if !valid {
					p = recover()
					panic(p)
				}
			}()
			v, w = f()
			valid = true
		})
		if !valid {
			panic(p)
		}
		return v, w
	}
}
