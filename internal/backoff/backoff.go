// Package backoff lets a goroutine wait a moment where the next look at a contended word pays better than one now.
//
// A consumer that has caught up with its producers takes a few entries with each look, and each look takes the cache line of
// the queue away from a producer that is about to push. Both then spend their time on moving lines. If the consumer lets a
// microsecond pass, the producers work undisturbed meanwhile, and the next look brings a batch:
//
//	looks at once     |3|2|4|1|3|2|3|1|2|   each a line moved there and back
//	with waits        |·····41|·····38|·····45|
//
// But if nothing is on its way, or entries come slowly, or the producer needs this very processor, waiting is a loss. So a
// [Looker] finds out: it tries one wait, and goes on waiting only while batches of some length follow. Otherwise it tries again
// after ever more looks.
//
//	                 16, 32, … 8192 looks
//	┌──────────┐ ──────────────────────────▶ ┌───────┐ ──┐ at least 8 entries after the wait
//	│ does not │                             │ waits │   │
//	│   wait   │ ◀────────────────────────── └───────┘ ◀─┘
//	└──────────┘    fewer after the wait
//
// What this costs is bounded: a microsecond before a look of a consumer that is awake and finds that entries come fast;
// nothing before the first look after a rest, so that a woken consumer starts at once; and one wait in 8192 looks where
// waiting does not pay. It is a loop without a system call, a timer or a yield: a fraction of what it costs to put a
// goroutine to sleep and wake it.
package backoff

const (
	// long is the length of a batch after which there is no need to wait: what it cost to move the lines is small beside it.
	long = 32
	// paid is the length of a batch that shows that the wait before it has paid.
	paid = 8
	// microsecond is how often the processor goes round an empty loop in about that time.
	microsecond = 3000
	// soon and late are how many looks go by until the next try, at first and in the end.
	soon, late = 16, 1 << 13
)

// Looker is the memory of a consumer about its looks. It belongs to the active consumer, as the batch does. The zero Looker is
// ready.
type Looker struct {
	// Brought is the number of entries that looks have brought. The consumer adds to it.
	Brought int

	// quiet is how many looks are still to go by without a thought: a load and a store.
	quiet uint16
	// patience is how many go by before the next try; 0: it is the first.
	patience uint16
	// waits is the state in the package comment's picture, and waited says that there was a wait before the last look.
	waits, waited bool
}

// Look is called before each look for entries. It may wait.
func (l *Looker) Look() {
	if l.quiet > 0 {
		l.quiet--
		return
	}
	l.think()
}

// think is Look when no look is to go by without a thought: there were as many looks as patience says since the last time, or
// one if that ended in a wait or waits pay.
func (l *Looker) think() {
	tried, first, looks := l.waited, l.patience == 0, 1
	switch {
	case tried:
		l.judge()
	case first:
		l.patience = soon
	case !l.waits:
		looks += int(l.patience)
	}
	short := l.Brought/looks < long
	l.Brought = 0
	switch {
	case short && (l.waits || !tried && !first):
		l.waited = true
		spin(microsecond)
	case !l.waits:
		l.quiet = l.patience
	}
}

// judge finds out whether the wait before the last look has paid.
func (l *Looker) judge() {
	paid := l.Brought >= paid
	switch {
	case paid:
		l.patience = soon
	case !l.waits:
		l.patience = min(2*l.patience, late)
	}
	l.waits, l.waited = paid, false
}

// Rest is called when the queue is about to go to rest, which it does because the last look has brought nothing, or almost.
func (l *Looker) Rest() {
	if l.waited {
		l.judge()
		l.Brought = 0
		if !l.waits {
			l.quiet = l.patience
		}
	}
	l.quiet = max(l.quiet, 1)
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
