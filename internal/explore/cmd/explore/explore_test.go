package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRewrite(t *testing.T) {
	twins := (&module{path: "example.org/m"}).twins()
	src := "package p // import \"sync\" is not one\n\nimport (\n\t\"fmt\"\n\ta \"sync/atomic\"\n\t\"sync\" // why\n)\n\nimport \"runtime\"\n\n" +
		"var s = \"sync\"\n"
	want := strings.NewReplacer(
		`a "sync/atomic"`, `a "example.org/m/internal/explore/atomic"`,
		`"sync" // why`, `"example.org/m/internal/explore/sync" // why`,
		`import "runtime"`, `import "example.org/m/internal/explore/runtime"`,
	).Replace(src)
	got, err := rewrite("p.go", []byte(src), twins)
	require.NoError(t, err)
	require.Equal(t, want, string(got))

	plain := []byte("package p\n\nimport \"fmt\"\n")
	got, err = rewrite("p.go", plain, twins)
	require.NoError(t, err)
	require.Equal(t, plain, got)
}

func TestCovers(t *testing.T) {
	m := &module{path: "example.org/m"}
	for path, want := range map[string]bool{
		"example.org/m": true, "example.org/m/mpscq": true, "example.org/m/internal/node": true, "example.org/m/internal/parking": true,
		"example.org/m/internal/park": false, "example.org/m/internal/explore": false, "example.org/m/internal/explore/sched": false,
	} {
		require.Equal(t, want, m.covers(path), path)
	}
}

func TestNeedsTag(t *testing.T) {
	for src, want := range map[string]bool{
		"//go:build explore\n\npackage p\n":                  true,
		"// why\n\n//go:build explore && !race\n\npackage p": true,
		"//go:build !explore\n\npackage p\n":                 false,
		"//go:build race\n\npackage p\n":                     false,
		"package p\n\n//go:build explore\n":                  false,
	} {
		require.Equal(t, want, needsTag(src), src)
	}
}

func TestMutantText(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "q.go")
	require.NoError(t, os.WriteFile(file, []byte("package q\n\nvar a = 1\nvar b = 1\n"), 0o600))
	text := "file: q.go\nwhy: because\nkill: TestX\nrace: true\n--- old\nvar a = 1\n+++ new\nvar a = 2\n--- old\nvar b = 1\n+++ new\n"
	m, err := readMutant("m", text)
	require.NoError(t, err)
	require.True(t, m.race)
	require.Equal(t, "TestX", m.kill)
	out, err := m.apply(dir)
	require.NoError(t, err)
	require.Equal(t, "package q\n\nvar a = 2\n", string(out[file]))

	m, err = readMutant("m", strings.Replace(text, "var a = 1", "= 1", 1))
	require.NoError(t, err)
	_, err = m.apply(dir)
	require.ErrorContains(t, err, "occurs 2 times")
	for _, bad := range []string{"", "file: q.go\nkill: X\n--- old\na\n+++ new\n", "nonsense\n"} {
		_, err = readMutant("m", bad)
		require.Error(t, err)
	}
	m, err = readMutant("m", "file: q.go\nwhy: w\nkill: X\n--- old\nvar c = 1\n+++ new\n")
	require.NoError(t, err)
	_, err = m.apply(dir)
	require.ErrorContains(t, err, "occurs 0 times")
}

// TestStream reads what go test -json says and makes the table of it.
func TestStream(t *testing.T) {
	stream := `{"Action":"run","Package":"example.org/m/q","Test":"TestA"}
{"Action":"output","Package":"example.org/m/q","Test":"TestA","Output":"    a_test.go:1: explore: name=TestA mode=\"dpor\" executions=12345 redundant=1 steps=99 seconds=0.500 exhausted=true\n"}
{"Action":"pass","Package":"example.org/m/q","Test":"TestA"}
{"Action":"output","Package":"example.org/m","Test":"TestB","Output":"    b_test.go:1: explore: name=TestB mode=\"dfs(3)\" executions=7 redundant=0 steps=9 seconds=1.0 exhausted=false limit=\"7 executions\"\n"}
{"Action":"output","Package":"example.org/m","Test":"TestC","Output":"    explore: name=TestC mode=\"dpor\" executions=1 redundant=0 steps=3 seconds=1.0 exhausted=false failure=deadlock failsteps=3 preemptions=1 schedule=p0*3\n"}
{"Action":"output","Package":"example.org/m","Test":"TestC","Output":"WARNING: DATA RACE\n"}
{"Action":"fail","Package":"example.org/m","Test":"TestC"}
`
	var shown strings.Builder
	out := &outcome{}
	require.NoError(t, out.read(strings.NewReader(stream), func(s string, verbose bool) {
		if !verbose {
			shown.WriteString(s)
		}
	}))
	require.Equal(t, []string{"TestC"}, out.failed)
	require.True(t, out.raced)
	require.NotContains(t, shown.String(), "TestA")
	require.Contains(t, shown.String(), "DATA RACE")
	table := markdown(out.results, "example.org/m")
	require.Contains(t, table, "| q | TestA | dpor | 12 345 | 99 | 0.5 | exhausted |")
	require.Contains(t, table, "| . | TestB | dfs(3) | 7 | 9 | 1.0 | not exhausted: 7 executions |")
	require.Contains(t, table, "| . | TestC | dpor | 1 | 3 | 1.0 | **deadlock** |")

	file := filepath.Join(t.TempDir(), "doc.md")
	require.NoError(t, os.WriteFile(file, []byte("head\n"+beginMark+"\nold\n"+endMark+"\ntail\n"), 0o600))
	require.NoError(t, save(file, "new\n"))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "head\n"+beginMark+"\nnew\n"+endMark+"\ntail\n", string(got))
}
