package peers

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryPeerPassesTheCheck(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		require.False(t, seen[s.Name], "two peers of one name")
		seen[s.Name] = true
		require.False(t, s.Ours)
		require.NotEmpty(t, s.Blocks)
		require.NotEmpty(t, s.Allocates)
		require.FileExists(t, "../../../"+s.File)
		require.Nil(t, measure.Check(s))
	}
	require.True(t, seen[measure.Channel])
	require.Contains(t, seen, "mutex+slices")
}

// A column that a queue cannot do is left blank; one that it can do is not.
func TestColumns(t *testing.T) {
	flow := func(p measure.Policy) measure.Column {
		return measure.Column{Kind: measure.Flow, Policy: p, Producers: 2}
	}
	fill := measure.Column{Kind: measure.Fill, Policy: measure.Poll, Producers: 2}
	pair := measure.Column{Kind: measure.Pair, Policy: measure.Poll, Producers: 1}
	chain := measure.Column{Kind: measure.Flow, Policy: measure.Poll, Producers: 2, Chunk: 16}
	for name, want := range map[string][]measure.Column{
		"channel":                 {flow("poll"), flow("block"), fill, pair},
		"mutex+slices":            {flow("poll"), flow("block"), fill, pair, chain},
		"mutex+deque (gammazero)": {flow("poll"), flow("block"), fill, pair},
		"xsync.UMPSCQueue":        {flow("block"), fill, pair},
		"xsync.MPMCQueue":         {flow("poll"), pair},
		"gnet pkg/queue":          {flow("poll"), fill, pair},
		"bytedance lscq":          {flow("poll"), fill, pair},
		"Workiva RingBuffer":      {flow("poll"), pair},
		"Workiva Queue":           {flow("poll"), flow("block"), fill, pair, chain},
	} {
		for _, s := range All() {
			if s.Name != name {
				continue
			}
			var got []measure.Column
			for _, c := range []measure.Column{flow("poll"), flow("block"), flow("run"), fill, pair, chain} {
				if _, err := measure.Round(s, c, 1000); err == nil {
					got = append(got, c)
				} else {
					require.ErrorIs(t, err, measure.ErrCannot)
				}
			}
			require.Equal(t, want, got, name)
		}
	}
}
