//go:build race

package taskwork_test

// raceEnabled: the race detector makes everything slower by a factor of ten.
const raceEnabled = true
