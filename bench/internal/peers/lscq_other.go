//go:build !amd64 && !arm64

package peers

// lscqQueue does not exist for this processor.
func lscqQueue() []subject { return nil }
