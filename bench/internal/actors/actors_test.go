package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/bench/internal/ours"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTokensGoRound(t *testing.T) {
	for _, queue := range ours.Names() {
		var passed time.Duration
		res, err := Run(t.Context(), Config{
			Queue: queue, Actors: 1007, Ring: 10, Time: 20 * time.Millisecond,
			Progress: func(d time.Duration, _ string) { passed += d },
		})
		require.NoError(t, err)
		require.Equal(t, 1000, res.Actors)
		require.Equal(t, 100, res.Rings)
		require.GreaterOrEqual(t, res.Messages, int64(100))
		require.Zero(t, res.GoroutinesIdle)
		require.Zero(t, res.GoroutinesRest)
		require.Positive(t, res.BytesIdle)
		require.Equal(t, 20*time.Millisecond, passed)
	}
	_, err := Run(t.Context(), Config{Queue: "mpscq", Actors: 9, Ring: 10})
	require.Error(t, err)
}
