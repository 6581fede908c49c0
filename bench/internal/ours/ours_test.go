package ours

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/bench/internal/measure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEverySubjectPassesTheCheck(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Subjects() {
		require.False(t, seen[s.Name], "two subjects of one name")
		seen[s.Name] = true
		require.True(t, s.Ours)
		require.NotEmpty(t, s.Blocks)
		require.NotEmpty(t, s.Allocates)
		require.FileExists(t, "../../../"+s.File)
		require.Nil(t, measure.Check(s))
	}
	require.Len(t, seen, 3*3+2)
}

// Own nodes, handles and Batch are claimed not to allocate in steady state.
func TestAllocations(t *testing.T) {
	const entries = 200_000
	for _, s := range Subjects() {
		sample, err := measure.Round(s, measure.Column{Kind: measure.Flow, Policy: measure.Poll, Producers: 2}, entries)
		require.NoError(t, err)
		most := 1.1
		if s.Name == Name("lanes", Values) || s.Name == Name("lanes", Handle) {
			most = 0.2 // a chunk has 64 slots or more, and few of them are new
		} else if want := map[string]float64{Nodes: 0.01, Batch: 0.05}[formOf(s.Name)]; want > 0 {
			most = want
		}
		require.LessOrEqual(t, float64(sample.Allocs)/float64(sample.Entries), most, s.Name)
	}
}

// formOf returns the form in a subject's name.
func formOf(name string) string {
	for _, f := range forms() {
		for _, q := range Names() {
			if Name(q, f.name) == name {
				return f.name
			}
		}
	}
	return ""
}
