package explore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskwork/taskwork/internal/explore"
	"github.com/taskwork/taskwork/internal/explore/atomic"
)

func outcomes(cfg explore.Config, body func(m *explore.M, out func(string))) (map[string]int, explore.Result) {
	set := map[string]int{}
	res := explore.Check(cfg, func(m *explore.M) {
		body(m, func(s string) { set[s]++ })
	})
	return set, res
}

func TestStoreBuffering(t *testing.T) {
	set, res := outcomes(explore.Config{}, func(m *explore.M, out func(string)) {
		var x, y atomic.Int32
		var a, b int32
		m.Go("a", func() { x.Store(1); a = y.Load() })
		m.Go("b", func() { y.Store(1); b = x.Load() })
		m.Final(func() { out(fmt.Sprint(a, b)) })
	})
	require.Nil(t, res.Failure)
	require.True(t, res.Exhausted)
	t.Log(set, res)
	require.Len(t, set, 3)
}
