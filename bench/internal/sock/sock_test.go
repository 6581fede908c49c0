package sock

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCheckFindsEveryKindOfDamage(t *testing.T) {
	msg := make([]byte, 64)
	seal(msg, 7, 11)
	require.NoError(t, check(msg, 7, 11))
	require.ErrorContains(t, check(msg, 7, 12), "message 11, expected 12")
	require.ErrorContains(t, check(msg, 8, 11), "connection 7")
	for i := range msg {
		msg[i] ^= 0x10
		require.ErrorIs(t, check(msg, 7, 11), errChecksum, "byte %d", i)
		msg[i] ^= 0x10
	}
	seal(msg[:MinSize], 1, math.MaxUint64)
	require.NoError(t, check(msg[:MinSize], 1, math.MaxUint64))
}

func TestFileLimit(t *testing.T) {
	require.NoError(t, checkFiles(1024, 2080))
	var low *LimitError
	require.ErrorAs(t, checkFiles(1024, 2079), &low)
	require.Equal(t, &LimitError{Clients: 1024, Files: 2080, Limit: 2079, Fits: 1023}, low)
	require.NoError(t, checkFiles(low.Fits, low.Limit), "what is said to fit has to fit")
	require.ErrorAs(t, checkFiles(1, 20), &low)
	require.Zero(t, low.Fits)
}

// Messages of an odd size make reads end in the middle of one; many clients with one slot each make every reader wait.
func TestEveryRingHandlesEveryMessage(t *testing.T) {
	for _, size := range []int{MinSize, 1000, 2*bufferBytes + 1} {
		cfg := Config{Clients: []int{1, 20}, Size: size, Duration: 40 * time.Millisecond, Rings: Rings()}
		var passed time.Duration
		cfg.Progress = func(d time.Duration, _ string) { passed += d }
		results, err := Run(t.Context(), cfg)
		require.NoError(t, err)
		require.Len(t, results, len(cfg.Clients)*len(cfg.Rings))
		for i, r := range results {
			require.Equal(t, cfg.Clients[i/len(cfg.Rings)], r.Clients)
			require.Equal(t, cfg.Rings[i%len(cfg.Rings)], r.Ring)
			require.Zero(t, r.Errors, "%+v", r)
			require.Positive(t, r.Messages)
			require.LessOrEqual(t, r.Messages, budget*r.Runs)
			require.LessOrEqual(t, r.Woken, r.Runs)
		}
		require.Equal(t, time.Duration(len(results))*cfg.Duration, passed, "the progress bar has to end full")
	}
}

func TestAnInterruptKeepsWhatIsMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := Config{Clients: []int{2, 3}, Size: 100, Duration: time.Minute, Rings: Rings()}
	cfg.Progress = func(d time.Duration, _ string) {
		if d > 0 {
			cancel()
		}
	}
	results, err := Run(ctx, cfg)
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Positive(t, results[0].Messages)
	require.Zero(t, results[0].Errors)
}

// faulty is a ring that harms one message in a thousand before it handles it.
type faulty struct {
	ring
	harm func(r *request, push func(*request))
}

func (f faulty) sender() func(*request) {
	push := f.ring.sender()
	n := 0
	return func(r *request) {
		if n++; n%1000 == 0 {
			f.harm(r, push)
			return
		}
		push(r)
	}
}

func TestFaultyRingsAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		harm  func(r *request, push func(*request))
		fault string
		stuck bool
	}{
		"damages": {harm: func(r *request, push func(*request)) { r.buf[20] ^= 1; push(r) }, fault: "wrong checksum"},
		"repeats": {harm: func(r *request, push func(*request)) { seal(r.buf, 0, 7); push(r) }, fault: "message 7, expected"},
		"loses":   {harm: func(*request, func(*request)) {}, fault: "message 1000, expected 999", stuck: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newServer(1, 64)
			require.NoError(t, err)
			defer s.close()
			s.patience = 300 * time.Millisecond
			// A lost completion is a lost slot: when all are gone, the client hangs. The channel keeps a closed test tidy.
			inner := newChannelRing(s.handle)
			res, err := s.phase(t.Context(), faulty{inner, test.harm}, 50*time.Millisecond, func(time.Duration) {})
			require.Positive(t, res.Errors)
			require.Contains(t, res.FirstErr, test.fault)
			if test.stuck {
				require.ErrorContains(t, err, "stuck")
				inner.stop()
			} else {
				require.NoError(t, err)
			}
		})
	}
}
