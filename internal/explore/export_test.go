package explore

// RaceEnabled tells whether the race detector is on.
const RaceEnabled = raceEnabled

// Unexpected is the number of races that DPOR could reverse only by trying all threads.
func Unexpected() int { return unexpected }
