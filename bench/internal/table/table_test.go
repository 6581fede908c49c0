package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sample() *Table {
	t := New("queue", "blank", "ns")
	t.Add("a|b", "", "1.5 [1–2]")
	t.Add("<c>")
	return t
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Text(&b))
	require.Equal(t, "queue         ns\n-----  ---------\na|b    1.5 [1–2]\n<c>\n", b.String(),
		"columns without a figure are left out, and dashes are one wide")
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().Markdown(&b))
	require.Equal(t, "| queue | ns |\n|---|--:|\n| a\\|b | 1.5 [1–2] |\n| <c> |  |\n", b.String())
}

func TestHTML(t *testing.T) {
	var b strings.Builder
	require.NoError(t, sample().HTML(&b))
	require.Contains(t, b.String(), "<tr><td>&lt;c&gt;</td><td></td></tr>")
	require.NotContains(t, b.String(), "blank")
}

func TestAnEmptyTableKeepsItsHeader(t *testing.T) {
	var b strings.Builder
	require.NoError(t, New("queue", "ns").Text(&b))
	require.Equal(t, "queue  ns\n-----  --\n", b.String())
}
