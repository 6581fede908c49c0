package sock

import "fmt"

// spareFiles is what a process has open beside the connections: standard streams, the listener, the poller, and some air.
const spareFiles = 32

// filesPerClient counts both ends of a connection, which live in this one process.
const filesPerClient = 2

// LimitError says that the limit on open files is too low for the clients wanted.
type LimitError struct {
	Clients, Files, Limit, Fits int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d clients need %d open files, but the limit is %d (ulimit -n); the largest count that fits is %d",
		e.Clients, e.Files, e.Limit, e.Fits)
}

// CheckFiles raises the limit on open files as far as it may, and returns a *LimitError if it is still too low.
func CheckFiles(clients int) error {
	return checkFiles(clients, fileLimit())
}

func checkFiles(clients, limit int) error {
	need := filesPerClient*clients + spareFiles
	if need <= limit {
		return nil
	}
	return &LimitError{
		Clients: clients, Files: need, Limit: limit,
		Fits: max(0, (limit-spareFiles)/filesPerClient),
	}
}
