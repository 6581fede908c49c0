package backoff

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// looks lets n looks of l bring the same and returns how many waits there were before them.
func looks(l *Looker, n, brought int) (waits int) {
	for range n {
		l.Look()
		if l.waited {
			waits++
		}
		l.Brought += brought
	}
	return waits
}

func TestNewLookerDoesNotWait(t *testing.T) {
	var l Looker
	require.Zero(t, looks(&l, 1+soon, 1))
	require.Equal(t, 1, looks(&l, 1, 1), "then it tries")
}

func TestLongBatchesNeedNoWait(t *testing.T) {
	var l Looker
	require.Zero(t, looks(&l, 10*late, long))
	require.LessOrEqual(t, looks(&l, soon+2, 1), 1, "the first short ones may be noticed late")
}

// waiting returns a Looker that has found waiting to pay.
func waiting(t *testing.T) *Looker {
	l := new(Looker)
	require.Equal(t, 1, looks(l, soon+2, paid))
	require.Equal(t, 1, looks(l, 1, paid))
	require.True(t, l.waits)
	return l
}

// TestWaitsWhileTheyPay: after a try that paid, each short batch is followed by a wait, and a long one by none.
func TestWaitsWhileTheyPay(t *testing.T) {
	l := waiting(t)
	require.Equal(t, 100, looks(l, 100, paid))
	require.Equal(t, 1, looks(l, 1, long))
	require.Zero(t, looks(l, 1, long))
	require.Zero(t, looks(l, 1, 0), "the batch before was long, and this one came without a wait: it is no sign")
	require.Equal(t, 1, looks(l, 1, paid-1))
	require.Zero(t, looks(l, soon, 0), "that was one")
	require.False(t, l.waits)
}

// TestWaitsThatDoNotPay become rare.
func TestWaitsThatDoNotPay(t *testing.T) {
	for brought := range paid {
		var l Looker
		require.InDelta(t, 16+9, looks(&l, 16*(late+1), brought), 2, "batches of %d", brought)
	}
}

// TestNoWaitAfterRest: the first look of a woken consumer comes at once, even if waits pay.
func TestNoWaitAfterRest(t *testing.T) {
	l := waiting(t)
	for range 3 {
		l.Rest()
		require.Zero(t, looks(l, 1, paid))
		require.True(t, l.waits)
		require.Equal(t, 3, looks(l, 3, paid))
	}
}

// TestRuns: a consumer that is woken for a few entries at a time, and rests when it finds no more, does not wait in each run.
func TestRuns(t *testing.T) {
	for _, l := range []*Looker{new(Looker), waiting(t)} {
		for _, entries := range []int{1, 2, paid} {
			waits := 0
			for range 10000 {
				waits += looks(l, 1, entries) + looks(l, 1, 0)
				l.Rest()
			}
			require.LessOrEqual(t, waits, 20, "%d entries a run", entries)
		}
	}
}

func TestCountersStayInBounds(t *testing.T) {
	var l Looker
	for i := range 1 << 16 {
		l.Look()
		l.Brought += i % (paid + 1)
		if l.patience > late || l.quiet > late {
			t.Fatalf("%+v", l)
		}
	}
}
