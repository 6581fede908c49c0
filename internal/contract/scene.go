package contract

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/taskwork/taskwork"
)

// scene is what a sequential check works in: it makes the queues, fails, and is watched from outside, because a broken queue
// may hang or never come to rest.
type scene struct {
	Config

	// ops counts the calls of the queues that have returned. The check's goroutines, one at a time, increment it, the watch
	// reads it.
	ops atomic.Uint32
	// stopped is set by the watch when it gives up, and ends every goroutine of the check that still calls a queue.
	stopped atomic.Bool
	// dry counts how often in a row a consumer found nothing and could not go to rest.
	dry int
}

// sequential makes a check of a body in which one goroutine is at work at a time.
func sequential(name string, body func(*scene)) Check {
	return Check{Name: name, run: func(cfg Config) error {
		s := &scene{Config: cfg}
		done := make(chan error, 1)
		go func() {
			var err error = failure(OnlyMisuse, "the check was ended by runtime.Goexit")
			defer func() {
				if v := recover(); v != nil {
					err = asFailure(v)
				}
				done <- err
			}()
			body(s)
			err = nil
		}()
		return s.watch(done)
	}}
}

// watch waits for the end of the check, or until nothing has moved for too long.
func (s *scene) watch(done <-chan error) error {
	ticker := time.NewTicker(s.Patience / 4)
	defer ticker.Stop()
	for last, still := s.ops.Load(), 0; ; {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
		}
		if now := s.ops.Load(); now != last {
			last, still = now, 0
		} else if still++; still > 4 {
			stacks := stacks()
			s.stopped.Store(true)
			return failure(Progress, "a call has not returned for %v; all goroutines:\n\n%s", s.Patience, stacks)
		}
	}
}

// stacks returns the stacks of all goroutines.
func stacks() []byte {
	for size := 1 << 18; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 1<<24 {
			return buf[:n]
		}
	}
}

// asFailure turns what a check panicked with into its outcome.
func asFailure(v any) error {
	if f, ok := v.(*Failure); ok {
		return f
	}
	return failure(OnlyMisuse, "panic: %v\n\n%s", v, debug.Stack())
}

// fail ends the check.
func (s *scene) fail(clause, format string, args ...any) {
	panic(failure(clause, format, args...))
}

// want fails the check unless got is want; what says what was asked, and when.
func want[T comparable](s *scene, clause string, want, got T, what string, args ...any) {
	if got != want {
		s.fail(clause, "%s: got %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// apart calls f on a goroutine of its own and waits for its end. It returns what f panicked with, and whether f was ended by
// runtime.Goexit. A failure of the check goes on.
func (s *scene) apart(f func()) (panicked any, exited bool) {
	done := make(chan struct{})
	exited = true
	go func() {
		defer close(done)
		defer func() {
			if panicked = recover(); panicked != nil {
				exited = false
			}
		}()
		f()
		exited = false
	}()
	<-done
	if f, ok := panicked.(*Failure); ok {
		panic(f)
	}
	return panicked, exited
}

// mustPanic fails the check unless f panics.
func (s *scene) mustPanic(clause string, f func(), what string) {
	if panicked, _ := s.apart(f); panicked == nil {
		s.fail(clause, "%s did not panic", what)
	}
}

// queue returns a new queue, watched.
func (s *scene) queue() taskwork.Queue[int] {
	q := s.New()
	p := probe{q: q, s: s}
	if nq, ok := q.(taskwork.NodeQueue[int]); ok {
		return nodeProbe{p, nq}
	}
	return p
}

// nodeQueue is queue for the checks of nodes. ok is false if these queues take none.
func (s *scene) nodeQueue() (nq taskwork.NodeQueue[int], ok bool) {
	nq, ok = s.queue().(taskwork.NodeQueue[int])
	return nq, ok
}

// probe tells the watch that calls return, ends goroutines that it has given up, and fails the check when a consumer cannot
// come to rest: since pushes are not concurrent here, none is half done.
type probe struct {
	q taskwork.Queue[int]
	s *scene
}

func (p probe) returned() {
	p.s.ops.Add(1)
	if p.s.stopped.Load() {
		runtime.Goexit()
	}
}

func (p probe) Push(v int) (wake bool) {
	defer p.returned()
	p.s.dry = 0
	return p.q.Push(v)
}

func (p probe) PushAll(vs []int) (wake bool) {
	defer p.returned()
	p.s.dry = 0
	return p.q.PushAll(vs)
}

func (p probe) Pop() (v int, ok bool) {
	defer p.returned()
	if v, ok = p.q.Pop(); ok {
		p.s.dry = 0
	}
	return v, ok
}

func (p probe) Idle() bool {
	defer p.returned()
	idle := p.q.Idle()
	if idle {
		p.s.dry = 0
	} else if p.s.dry++; p.s.dry > 100 {
		p.s.fail(Idle, "Idle said false %d times, while Pop found nothing and no push was under way", p.s.dry)
	}
	return idle
}

func (p probe) Empty() bool {
	defer p.returned()
	return p.q.Empty()
}

func (p probe) Resting() bool {
	defer p.returned()
	return p.q.Resting()
}

// nodeProbe is probe for a queue that takes nodes.
type nodeProbe struct {
	probe
	nq taskwork.NodeQueue[int]
}

func (p nodeProbe) PushNode(n *taskwork.Node[int]) (wake bool) {
	defer p.returned()
	p.s.dry = 0
	return p.nq.PushNode(n)
}

func (p nodeProbe) PushChain(c *taskwork.Chain[int]) (wake bool) {
	defer p.returned()
	p.s.dry = 0
	return p.nq.PushChain(c)
}
