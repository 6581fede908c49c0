package sched

// Op is what a thread is about to do.
type Op uint8

// The operations that the twins announce.
const (
	Load Op = iota + 1
	Store
	Swap
	CAS
	Add
	And
	Or
	Lock
	TryLock
	Unlock
	Park
	ParkUntil
	Unpark
	Yield
	Pass
	Passed
	Cancel
	Done
	Err
	Get
	Put
	Wait
	Tick
	// Choice is not an operation but a value that the strategy picks for a thread; it is in the same history.
	Choice
)

var opNames = [...]string{
	Load: "load", Store: "store", Swap: "swap", CAS: "cas", Add: "add", And: "and", Or: "or",
	Lock: "lock", TryLock: "trylock", Unlock: "unlock", Park: "park", ParkUntil: "parkuntil", Unpark: "unpark", Yield: "yield",
	Pass: "pass", Passed: "passed", Cancel: "cancel", Done: "done", Err: "err", Get: "get", Put: "put", Wait: "wait", Tick: "tick",
	Choice: "choose",
}

// String names the operation as a trace does.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "?"
}

// waits tells whether the operation is enabled only while one of its objects is open.
func (o Op) waits() bool {
	return o == Lock || o == Park || o == ParkUntil || o == Wait
}

// Waits tells whether the operation may have to wait until some event enables it.
func (o Op) Waits() bool { return o.waits() || o == Yield }

// reads tells whether the thread learns something about the object, which a later yield then waits to see changed.
func (o Op) reads() bool {
	switch o {
	case Load, Swap, CAS, Add, And, Or, TryLock, Passed, Done, Err, Get:
		return true
	}
	return false
}

// Effect is what an operation did to an object, as far as its order among others matters.
type Effect uint8

// The effects. Two of them on the same object may change places without anybody noticing if both are Read or both are Set.
const (
	// Read left the object alone: a load, a compare-and-swap that failed.
	Read Effect = iota + 1
	// Set brought the object to a fixed state however often it is done, and told nothing: an Unpark.
	Set
	// Write is everything else, also the store of an equal value: what the order of two stores leaves behind differs in general.
	Write
)

// Dependent tells whether the order of two effects on one object matters.
func Dependent(a, b Effect) bool {
	return a != b || a == Write
}

// Access is one object's part in an event.
type Access struct {
	// Obj is the object's number: objects are numbered as they are first announced.
	Obj int32
	// Effect of the event on the object.
	Effect Effect
	// Changed tells whether the object's value differs from what it was before.
	Changed bool
	// Open is, for an object that can be waited for, whether a waiter could go on after the event.
	Open bool
	// Since is, for a yield, the event in which the thread read the object; a change in it or later ends the yield.
	Since int32
	// Prev is the event before this one with an access to the same object, or −1.
	Prev int32
}

// Event is one step of an execution, or a choice.
type Event struct {
	// Thread is the thread's stable number, Seq its rank in the order of creation in this execution.
	Thread, Seq int
	Op          Op
	// Value is the value picked, and N the number of values, if the event is a choice.
	Value, N int
	// Base is the thread's event before this one, or for its first event the event in which it was started, or −1.
	Base int32
	// Local counts the thread's events from one.
	Local    uint16
	Accesses []Access
}

// On returns the event's access to an object that it is known to have touched.
func (e *Event) On(obj int32) *Access {
	for i := range e.Accesses {
		if e.Accesses[i].Obj == obj {
			return &e.Accesses[i]
		}
	}
	panic("taskwork: explore: broken history")
}
