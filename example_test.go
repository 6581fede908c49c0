package taskwork_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/taskwork/taskwork"
	"github.com/taskwork/taskwork/fakenode"
	"github.com/taskwork/taskwork/mpscq"
)

// An actor's mailbox: its state needs no lock, and it costs no goroutine while it has no mail.
func ExampleRunner() {
	balance := 0
	account := taskwork.NewRunner(&fakenode.Queue[int]{}, taskwork.RunnerConfig[int]{
		Handle: func(amount int) { balance += amount },
	})
	var clients sync.WaitGroup
	for range 100 {
		clients.Go(func() {
			for range 100 {
				if err := account.Push(1); err != nil {
					panic(err) // taskwork.ErrClosed, after Close or Shutdown
				}
			}
		})
	}
	clients.Wait()
	if err := account.Shutdown(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println(balance)
	// Output: 10000
}

// The contract in one line: whoever is told to wake runs the consumer.
func ExampleRun() {
	var q mpscq.Queue[string]
	var runs sync.WaitGroup
	for _, word := range []string{"one", "two", "three"} {
		if q.Push(word) {
			runs.Go(func() { taskwork.Run(&q, 0, func(s string) { fmt.Println(s) }) })
		}
	}
	runs.Wait()
	// Output:
	// one
	// two
	// three
}

// Drain is Run as a loop.
func ExampleDrain() {
	var q fakenode.Queue[int]
	if q.PushAll([]int{1, 2, 3}) {
		for v := range taskwork.Drain(&q) {
			fmt.Println(v)
		}
	}
	// Output:
	// 1
	// 2
	// 3
}

// An event loop that would rather handle 64 events at a time, but keeps none waiting for longer than a millisecond.
func ExampleInbox_RecvBatch() {
	in := taskwork.NewInbox(&mpscq.Queue[int]{}, taskwork.InboxConfig[int]{})
	go func() {
		for event := range 1000 {
			_ = in.PushLazy(event)
		}
		in.Close()
	}()
	events, sum := make([]int, 256), 0
	for {
		n, err := in.RecvBatch(context.Background(), events, 64, time.Millisecond)
		for _, event := range events[:n] {
			sum += event
		}
		if err != nil {
			break // taskwork.ErrClosed: everything has been received
		}
	}
	fmt.Println(sum)
	// Output: 499500
}

// A connection writer that makes one write of all the small ones that have come meanwhile.
func ExampleInbox() {
	var conn bytes.Buffer // a net.Conn, say
	out := taskwork.NewInbox(&fakenode.Queue[string]{}, taskwork.InboxConfig[string]{})
	for i := range 3 {
		_ = out.Push(fmt.Sprintf("message %d\n", i))
	}
	out.Close()
	messages, buffer, writes := make([]string, 64), []byte(nil), 0
	for {
		n, err := out.RecvBatch(context.Background(), messages, 1, 0)
		if err != nil {
			break
		}
		buffer = buffer[:0]
		for _, m := range messages[:n] {
			buffer = append(buffer, m...)
		}
		conn.Write(buffer)
		writes++
	}
	fmt.Print(conn.String(), writes, " write")
	// Output:
	// message 0
	// message 1
	// message 2
	// 1 write
}

// task is a scheduler's: its node is a part of it, so scheduling it allocates nothing.
type task struct {
	node taskwork.Node[*task]
	name string
	left int
}

// A scheduler of tasks that run a bit at a time and are scheduled again from inside their own run.
func ExampleNodeQueue() {
	var q mpscq.Queue[*task]
	schedule := func(t *task) (wake bool) {
		t.node.Value = t
		return q.PushNode(&t.node)
	}
	wake := schedule(&task{name: "a", left: 2})
	schedule(&task{name: "b", left: 1})
	if wake {
		taskwork.Run(&q, 0, func(t *task) {
			fmt.Println(t.name, t.left)
			if t.left--; t.left > 0 {
				schedule(t)
			}
		})
	}
	// Output:
	// a 2
	// b 1
	// a 1
}
