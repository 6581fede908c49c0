// Package backoff lets a goroutine wait a moment where the next look at a contended word pays better than one now.
//
// A consumer that has caught up with its producers takes a few entries with each look, and each look takes the cache line of the
// queue away from a producer that is about to push. Both then spend their time on moving lines. If the consumer lets a
// microsecond pass, the producers work undisturbed meanwhile, and the next look brings a batch:
//
//	looks at once     |3|2|4|1|3|2|3|1|2|   each a line moved there and back
//	with waits        |·····41|·····38|·····45|
//
// But if nothing is on its way, or entries come slowly, or the producer needs this very processor, waiting is a loss. So a
// [Looker] finds out: it tries one wait, and goes on waiting only while batches of some length follow. Otherwise it tries again
// after ever more looks.
//
//	                 16, 32, … 1024 looks
//	┌──────────┐ ──────────────────────────▶ ┌───────┐ ──┐ at least 8 entries after the wait
//	│ does not │                             │ waits │   │
//	│   wait   │ ◀────────────────────────── └───────┘ ◀─┘
//	└──────────┘    fewer after the wait
//
// What this costs is bounded: a microsecond before a look of a consumer that is awake and finds that entries come fast; nothing
// before the first look after a rest, so that a woken consumer starts at once; and one wait in 1024 looks where waiting does not
// pay. It is a loop without a system call, a timer or a yield: a fraction of what it costs to put a goroutine to sleep and wake
// it.
package backoff

const (
	// long is the length of a batch after which there is no need to wait: what it cost to move the lines is small beside it.
	long = 32
	// paid is the length of a batch that shows that the wait before it has paid.
	paid = 8
	// microsecond is how often the processor goes round an empty loop in about that time.
	microsecond = 3000
	// soon and late are how many looks go by until the next try, at first and in the end.
	soon, late = 16, 1024
)

// Looker is the memory of a consumer about its looks. It belongs to the active consumer, as the batch does. The zero Looker is
// ready.
type Looker struct {
	// Brought is the number of entries that the last look has brought. The consumer counts; Look starts anew.
	Brought int

	// quiet is how many looks are still to go by without a thought.
	quiet uint16
	// patience is how many go by before the next try; 0: it is the first.
	patience uint16
	// waits is the state in the package comment's picture, and waited says that there was a wait before the last look.
	waits, waited bool
}

// Look is called before each look for entries. It may wait.
func (l *Looker) Look() {
	brought := l.Brought
	l.Brought = 0
	if l.quiet > 0 {
		l.quiet--
		return
	}
	l.think(brought)
}

func (l *Looker) think(brought int) {
	tried, first := l.waited, l.patience == 0
	l.waited = false
	switch {
	case tried && brought >= paid:
		l.waits, l.patience = true, soon
	case tried:
		l.waits, l.patience = false, min(2*l.patience, late)
	case first:
		l.patience = soon
	}
	if brought < long && (l.waits || !tried && !first) {
		l.waited = true
		spin(microsecond)
	} else if !l.waits {
		l.quiet = l.patience
	}
}

// Rest is called when the queue is about to go to rest.
func (l *Looker) Rest() {
	l.quiet = max(l.quiet, 1)
	l.waited = false
}

// Lost is called by a producer that has lost a compare-and-swap to another one, before it tries again: while it waits, the
// winner keeps the line and may well win a few more. It takes less time than to move the line to and fro a few times.
func Lost() {
	spin(microsecond / 6)
}

// spin goes round an empty loop n times.
func spin(n int) {
	for range n {
	}
}
