package ours

import (
	"context"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/measure"
)

type (
	entry    = measure.Entry
	instance = measure.Instance
	setup    = measure.Setup
	sink     = measure.Sink
)

// Name is that of the subject that uses a queue in a form.
func Name(queue, form string) string { return queue + ", " + form }

// Subjects returns every queue of the library in every form in which entries can be brought to it.
func Subjects() []measure.Subject {
	var all []measure.Subject
	for _, q := range All[entry]() {
		for _, f := range forms() {
			if !f.fits(q.New(), 1) {
				continue
			}
			all = append(all, measure.Subject{
				Name: Name(q.Name, f.name), Ours: true, Blocks: blocks(q.Name), Allocates: allocates(q, f.name),
				File: "bench/internal/ours/forms.go",
				New: func(set setup) *instance {
					if !f.fits(q.New(), set.Chunk) {
						return nil
					}
					return newInstance(q.New(), f, set)
				},
			})
		}
	}
	return all
}

func blocks(name string) string {
	producers := "producers do not wait"
	if name == "spinlist" {
		producers = "producers spin, then yield, for the lock"
	}
	return producers + "; the consumer polls, sleeps in an Inbox, or is a Runner's"
}

func allocates(q Queue[entry], form string) string {
	switch form {
	case Nodes:
		return "nothing"
	case Batch:
		return "nodes, many at a time"
	default:
		return q.Allocates
	}
}

// newInstance puts q to work in the consumer that the policy asks for.
func newInstance(q taskwork.Queue[entry], f form, set setup) *instance {
	switch set.Policy {
	case measure.Poll:
		return newPolled(q, f, set)
	case measure.Block:
		return newInbox(q, f, set)
	case measure.Run:
		return newRunner(q, f, set)
	}
	return nil
}

// newPolled returns an instance whose harness is the consumer for life: active from the start, never at rest.
func newPolled(q taskwork.Queue[entry], f form, set setup) *instance {
	if !q.Push(0) {
		panic("a new queue is not at rest")
	}
	if _, ok := q.Pop(); !ok {
		panic("a queue does not hand out its only entry")
	}
	push := f.push(q, set, duty{})
	inst := &instance{
		Push: push,
		Consume: func(s *sink) {
			for !s.Done() {
				if e, ok := q.Pop(); ok {
					s.Take(e)
				} else if s.Dry() {
					return
				}
			}
		},
		Pair: func(s *sink, first entry, n int) {
			for e := first; e < first+entry(n); e += batchSize {
				push(0, e, batchSize)
				for e, ok := q.Pop(); ok; e, ok = q.Pop() {
					s.Take(e)
				}
			}
		},
	}
	if f.pair != nil {
		inst.Pair = func(s *sink, first entry, n int) { f.pair(q, s, first, n) }
	}
	return inst
}

// receiveUpTo is how much an Inbox's consumer takes at a time.
const receiveUpTo = 256

func newInbox(q taskwork.Queue[entry], f form, set setup) *instance {
	in := taskwork.NewInbox(q, taskwork.InboxConfig[entry]{})
	dst := make([]entry, receiveUpTo)
	return &instance{
		Push: f.push(q, set, duty{in: in}),
		Consume: func(s *sink) {
			for !s.Done() {
				n, err := in.RecvBatch(context.Background(), dst, 1, 0)
				if err != nil {
					return
				}
				s.TakeAll(dst[:n])
				s.Pause()
			}
		},
		Close: in.Close,
	}
}

func newRunner(q taskwork.Queue[entry], f form, set setup) *instance {
	var s *sink // of the round: set before its first push, used by the runs
	done := make(chan struct{})
	r := taskwork.NewRunner(q, taskwork.RunnerConfig[entry]{Handle: func(e entry) {
		s.Take(e)
		if s.Done() {
			done <- struct{}{}
		}
	}})
	return &instance{
		Push:    f.push(q, set, duty{r: r}),
		Start:   func(of *sink) { s = of },
		Consume: func(*sink) { <-done },
		Close:   func() { _ = r.Shutdown(context.Background()) },
	}
}
