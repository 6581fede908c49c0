//go:build !unix

package sock

import "math"

// fileLimit returns how many files may be open: nothing here says so.
func fileLimit() int { return math.MaxInt }
