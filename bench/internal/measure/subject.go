package measure

// Policy is how a consumer waits. Figures of different policies do not compare, so each has columns of its own.
type Policy string

const (
	// Poll: the consumer takes what is there and yields its processor when there is nothing. It never sleeps.
	Poll Policy = "poll"
	// Block: the consumer sleeps when there is nothing, and is woken.
	Block Policy = "block"
	// Run: no consumer exists while there is nothing; a push starts one.
	Run Policy = "run"
)

// Policies returns all of them.
func Policies() []Policy { return []Policy{Poll, Block, Run} }

// Setup says what an instance has to be good for.
type Setup struct {
	Kind      Kind
	Policy    Policy
	Producers int
	// Room is how many entries of one producer may be on their way at a time. It is a multiple of AckEvery. An adapter that
	// brings its own nodes needs so many for each producer, used in turn. For a Fill,
	// all the Room of all producers must fit in.
	Room int
	// Chunk is how many entries one publication carries; 1: each its own.
	Chunk int
}

// Instance is one queue, made for one Setup. The functions are loops, so that what the harness costs an entry is a few plain
// instructions: no call through a pointer, and no atomic operation but one store for AckEvery entries.
type Instance struct {
	// Push pushes the n entries first, first+1, … of producer p, each (or each chunk) with a publication of its own. n is a
	// multiple of the chunk. One goroutine at a time calls it for one p.
	Push func(p int, first Entry, n int)
	// Start is told of the sink of the next round before the first push; nil if the adapter need not know.
	Start func(s *Sink)
	// Consume hands everything to s until s is done, or until s says stop when the queue is dry. One goroutine calls it.
	Consume func(s *Sink)
	// Pair pushes and takes n entries, one by one, in one goroutine; nil if the adapter cannot. n is a multiple of the chunk,
	// and is pushed and taken chunk by chunk.
	Pair func(s *Sink, first Entry, n int)
	// Close ends what the instance has started, with nothing on its way. nil: nothing to do.
	Close func()
}

// Subject is one way to hand entries from many goroutines to one: a queue, and how it is used.
type Subject struct {
	Name string
	Ours bool
	// Blocks says how producers and consumer wait, Allocates what a push allocates, and File where the adapter is.
	Blocks, Allocates, File string
	// New returns a new instance, or nil if the subject cannot do that.
	New func(Setup) *Instance
}
