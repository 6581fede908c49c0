package taskwork_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/lanes"
)

// What the consumers cost, beside the channel that they replace. Compare within one run, and take the median of several:
//
//	go test -run '^$' -bench 'Inbox|Runner' -count 7 .

// channelSize is the capacity of the channels that the consumers are compared with.
const channelSize = 1024

// transport is one way to bring entries from many goroutines to one: the channel, or a consumer over a queue.
type transport struct {
	// producer returns a push for one goroutine, and what that calls in the end.
	producer producer
	// receive returns the sum of n entries when all of them have come.
	receive func(n int) (sum int)
}

type producer = func() (push func(v int), end func())

// pushForms are the ways in which a producer can push to queue q; pushed is what a consumer wants to be told. The form "push"
// is what the consumer's own Push does.
func pushForms(q taskwork.Queue[int], push func(v int), pushed func(wake bool)) map[string]producer {
	nothing := func() {}
	forms := map[string]producer{"push": func() (func(int), func()) { return push, nothing }}
	if nq, ok := q.(taskwork.NodeQueue[int]); ok {
		// Nodes of one's own, allocated many at a time and pushed one by one.
		forms["node"] = func() (func(v int), func()) {
			var slab []taskwork.Node[int]
			return func(v int) {
				if len(slab) == 0 {
					slab = make([]taskwork.Node[int], 128)
				}
				n := &slab[0]
				slab = slab[1:]
				n.Value = v
				pushed(nq.PushNode(n))
			}, nothing
		}
	}
	if lq, ok := q.(*lanes.Queue[int]); ok {
		forms["handle"] = func() (func(v int), func()) {
			p := lq.Producer()
			return func(v int) { pushed(p.Push(v)) }, p.Close
		}
	}
	return forms
}

// throughput moves b.N entries from producers goroutines to one.
func (tr transport) throughput(b *testing.B, producers int) {
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for p := range producers {
		n := b.N / producers
		if p < b.N%producers {
			n++
		}
		wg.Go(func() {
			push, end := tr.producer()
			defer end()
			for range n {
				push(1)
			}
		})
	}
	sum := tr.receive(b.N)
	b.StopTimer()
	wg.Wait()
	if sum != b.N {
		b.Fatalf("%d entries of 1 add up to %d", b.N, sum)
	}
}

func channelTransport() transport {
	c := make(chan int, channelSize)
	return transport{
		producer: func() (func(int), func()) { return func(v int) { c <- v }, func() {} },
		receive: func(n int) (sum int) {
			for range n {
				sum += <-c
			}
			return sum
		},
	}
}

var benchmarkProducers = []int{1, 4, 8, 64}

// BenchmarkInbox: throughput of a receiver that blocks, in ns per entry. It takes what is there, as a program does that cares
// for throughput; or one entry a call, with recv in the form's name.
func BenchmarkInbox(b *testing.B) {
	for _, producers := range benchmarkProducers {
		b.Run(fmt.Sprintf("impl=channel/form=send/producers=%d", producers), func(b *testing.B) {
			channelTransport().throughput(b, producers)
		})
		for _, row := range queues[int]() {
			for _, form := range []string{"push", "push-recv", "node", "handle"} {
				q := row.new()
				in := taskwork.NewInbox(q, taskwork.InboxConfig[int]{})
				forms := pushForms(q, func(v int) { _ = in.Push(v) }, func(wake bool) { in.Pushed(wake, 1) })
				tr := transport{forms[strings.TrimSuffix(form, "-recv")], func(n int) int { return sumBatches(in, n) }}
				if form == "push-recv" {
					tr.receive = func(n int) int { return sumRecv(in, n) }
				}
				if tr.producer != nil {
					b.Run(fmt.Sprintf("impl=%s/form=%s/producers=%d", row.name, form, producers), func(b *testing.B) {
						tr.throughput(b, producers)
					})
				}
			}
		}
	}
}

func sumBatches(in *taskwork.Inbox[int], n int) (sum int) {
	dst := make([]int, 256)
	for n > 0 {
		k, _ := in.RecvBatch(context.Background(), dst, 1, 0)
		for _, v := range dst[:k] {
			sum += v
		}
		n -= k
	}
	return sum
}

func sumRecv(in *taskwork.Inbox[int], n int) (sum int) {
	for range n {
		v, _ := in.Recv(context.Background())
		sum += v
	}
	return sum
}

// pingPong has two goroutines answer each other, so that each sleeps, or nearly so, until the other has answered. One operation
// is one message: half a round.
func pingPong(b *testing.B, ping, pong, awaitPing, awaitPong func()) {
	b.ReportAllocs()
	var wg sync.WaitGroup
	rounds := (b.N + 1) / 2
	wg.Go(func() {
		for range rounds {
			awaitPing()
			pong()
		}
	})
	for range rounds {
		ping()
		awaitPong()
	}
	wg.Wait()
}

func benchmarkChannelPingPong(b *testing.B) {
	there, back := make(chan int, channelSize), make(chan int, channelSize)
	pingPong(b, func() { there <- 1 }, func() { back <- 1 }, func() { <-there }, func() { <-back })
}

// BenchmarkInboxWakeup: how long it takes until a receiver that has nothing to do is at work.
func BenchmarkInboxWakeup(b *testing.B) {
	b.Run("impl=channel", benchmarkChannelPingPong)
	for _, row := range queues[int]() {
		b.Run("impl="+row.name, func(b *testing.B) {
			there := taskwork.NewInbox(row.new(), taskwork.InboxConfig[int]{})
			back := taskwork.NewInbox(row.new(), taskwork.InboxConfig[int]{})
			ctx := context.Background()
			pingPong(b, func() { _ = there.Push(1) }, func() { _ = back.Push(1) },
				func() { _, _ = there.Recv(ctx) }, func() { _, _ = back.Recv(ctx) })
		})
	}
}

// BenchmarkRunner: throughput of a handler, in ns per entry, beside a goroutine that receives from a channel.
func BenchmarkRunner(b *testing.B) {
	for _, producers := range benchmarkProducers {
		b.Run(fmt.Sprintf("impl=channel/form=send/producers=%d", producers), func(b *testing.B) {
			channelTransport().throughput(b, producers)
		})
		for _, row := range queues[int]() {
			for _, form := range []string{"push", "node", "handle"} {
				if pushForms(row.new(), nil, nil)[form] == nil {
					continue
				}
				b.Run(fmt.Sprintf("impl=%s/form=%s/producers=%d", row.name, form, producers), func(b *testing.B) {
					q, left, sum, done := row.new(), b.N, 0, make(chan struct{})
					r := taskwork.NewRunner(q, taskwork.RunnerConfig[int]{Handle: func(v int) {
						sum += v
						if left--; left == 0 {
							close(done)
						}
					}})
					transport{
						producer: pushForms(q, func(v int) { _ = r.Push(v) }, r.Pushed)[form],
						receive:  func(int) int { <-done; return sum },
					}.throughput(b, producers)
				})
			}
		}
	}
}

// BenchmarkRunnerWakeup: a ping-pong between two Runners, which have no goroutine between two messages, beside two goroutines
// with a channel each. One operation is one message.
func BenchmarkRunnerWakeup(b *testing.B) {
	b.Run("impl=channel", benchmarkChannelPingPong)
	for _, row := range queues[int]() {
		b.Run("impl="+row.name, func(b *testing.B) {
			var sides [2]*taskwork.Runner[int]
			done := make(chan struct{})
			for i := range sides {
				sides[i] = taskwork.NewRunner(row.new(), taskwork.RunnerConfig[int]{Handle: func(v int) {
					if v == 0 {
						close(done)
						return
					}
					_ = sides[1-i].Push(v - 1)
				}})
			}
			b.ReportAllocs()
			_ = sides[0].Push(b.N)
			<-done
		})
	}
}

// BenchmarkRunnerIdle: what a Runner takes when it has worked and has nothing to do, its queue included. There is no goroutine.
func BenchmarkRunnerIdle(b *testing.B) {
	const runners = 100_000
	for _, row := range queues[int]() {
		b.Run("impl="+row.name, func(b *testing.B) {
			for range b.N {
				handle := func(int) {}
				before, goroutines := heap(), runtime.NumGoroutine()
				all := make([]*taskwork.Runner[int], runners)
				for i := range all {
					q := row.new()
					all[i] = taskwork.NewRunner(q, taskwork.RunnerConfig[int]{Handle: handle})
					_ = all[i].Push(i)
					for !q.Resting() {
						runtime.Gosched() // or the runtime would keep the descriptors of many goroutines
					}
				}
				b.ReportMetric(float64(heap()-before)/runners, "bytes/runner")
				b.ReportMetric(float64(runtime.NumGoroutine()-goroutines), "goroutines")
				runtime.KeepAlive(all)
			}
		})
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
