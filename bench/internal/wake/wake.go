// Package wake measures how long it takes to wake a sleeping consumer.
package wake

import (
	"context"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/bench/internal/ours"
)

// Channel is the name of the sleeper in a channel's receive.
const Channel = "channel"

// Sleepers returns the names of what can be slept in: a channel, and an Inbox over each queue.
func Sleepers() []string { return append([]string{Channel}, ours.Names()...) }

// PingPong passes one entry to and fro between two goroutines, each of which sleeps until it comes, and returns the time a wake: half
// a round trip.
func PingPong(sleeper string, trips int) time.Duration {
	ping, pong := newBox(sleeper), newBox(sleeper)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range trips + trips/10 {
			pong.put(ping.get())
		}
	}()
	for range trips / 10 {
		ping.put(1)
		pong.get()
	}
	start := time.Now()
	for range trips {
		ping.put(1)
		pong.get()
	}
	elapsed := time.Since(start)
	<-done
	return elapsed / time.Duration(2*trips)
}

// box is a place for one entry, in which a goroutine may sleep until it is there.
type box struct {
	put func(int)
	get func() int
}

func newBox(sleeper string) box {
	if sleeper == Channel {
		ch := make(chan int, 1024)
		return box{put: func(v int) { ch <- v }, get: func() int { return <-ch }}
	}
	for _, q := range ours.All[int]() {
		if q.Name != sleeper {
			continue
		}
		in := taskwork.NewInbox(q.New(), taskwork.InboxConfig[int]{})
		return box{
			put: func(v int) { _ = in.Push(v) }, // never closed
			get: func() int {
				v, _ := in.Recv(context.Background()) // neither ends
				return v
			},
		}
	}
	panic("no sleeper " + sleeper)
}
