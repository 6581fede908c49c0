package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"
)

// atLeast makes sure that every one of the numbers given is sensible.
func atLeast(name string, least int, given ...int) error {
	for _, n := range given {
		if n < least {
			return usagef("-%s is %d, and has to be at least %d", name, n, least)
		}
	}
	return nil
}

// atLeastDuration is the same for a time.
func atLeastDuration(name string, least, given time.Duration) error {
	if given < least {
		return usagef("-%s is %v, and has to be at least %v", name, given, least)
	}
	return nil
}

// choose returns the names given, each of which must be one of all, or all if none is given; in
// the order of all, each once.
func choose(name string, all, given []string) ([]string, error) {
	if len(given) == 0 {
		return all, nil
	}
	for _, g := range given {
		if !slices.Contains(all, g) {
			return nil, usagef("-%s %q does not exist; there are: %s", name, g, strings.Join(all, ", "))
		}
	}
	slices.Sort(given)
	given = slices.Compact(given)
	slices.SortFunc(given, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) })
	return given, nil
}

// firstOf returns the first of several joined errors: one clear line is enough.
func firstOf(err error) error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()[0]
	}
	return err
}

// atMost is the other side of [atLeast].
func atMost(name string, most int, given ...int) error {
	for _, n := range given {
		if n > most {
			return usagef("-%s is %d, and has to be at most %d", name, n, most)
		}
	}
	return nil
}

// finite makes a number fit for JSON, which has no NaN.
func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}
