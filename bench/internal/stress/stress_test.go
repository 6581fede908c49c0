package stress

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEverythingHolds(t *testing.T) {
	for _, everything := range []bool{false, true} {
		ticks := 0
		totals, err := Run(t.Context(), Config{
			Duration: 1100 * time.Millisecond, Workers: 2, Seed: rand.Uint64(), Queues: Queues(), Everything: everything,
			Tick: func(*Totals) { ticks++ },
		})
		require.NoError(t, err)
		require.Positive(t, ticks)
		require.Positive(t, totals.Episodes.Load())
		require.Positive(t, totals.Entries.Load())
		require.Positive(t, totals.Wakes.Load())
		if everything {
			require.Positive(t, totals.Closes.Load())
			require.Positive(t, totals.Panics.Load())
		}
	}
}

func TestLedger(t *testing.T) {
	l := newLedger()
	for _, it := range []item{{1, 0}, {2, 0}, {1, 1}, {2, 1}} {
		l.enter(it)
	}
	require.NoError(t, l.err)
	l.enter(item{1, 3})
	require.ErrorContains(t, l.err, "stream 1: entry 3 came, 2 was due")
	l.enter(item{2, 1})
	require.ErrorContains(t, l.err, "stream 1", "the first fault is the one to look at")
	require.EqualValues(t, 6, l.n)
}
