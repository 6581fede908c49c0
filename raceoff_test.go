//go:build !race

package taskwork_test

// raceEnabled: see raceon_test.go.
const raceEnabled = false
