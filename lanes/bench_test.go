package lanes

import "testing"

// BenchmarkSolo is a push and the pop of its entry by one goroutine: what the two cost where nobody interferes.
func BenchmarkSolo(b *testing.B) {
	b.Run("handle", func(b *testing.B) {
		var q Queue[int]
		p := q.Producer()
		for i := 0; b.Loop(); i++ {
			p.Push(i)
			if v, ok := q.Pop(); !ok || v != i {
				b.Fatal(v, ok)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		var q Queue[int]
		for i := 0; b.Loop(); i++ {
			q.Push(i)
			if v, ok := q.Pop(); !ok || v != i {
				b.Fatal(v, ok)
			}
		}
	})
	b.Run("chan", func(b *testing.B) {
		c := make(chan int, 1024)
		for i := 0; b.Loop(); i++ {
			c <- i
			if v, ok := <-c; !ok || v != i {
				b.Fatal(v, ok)
			}
		}
	})
}
