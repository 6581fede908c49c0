package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskwork/taskwork/bench/internal/measure"
	"github.com/taskwork/taskwork/bench/internal/ours"
	"github.com/taskwork/taskwork/bench/internal/sock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// figuresOf runs a command line with -json and decodes its figures.
func figuresOf(t *testing.T, line string, into any) {
	t.Helper()
	code, stdout, stderr := bench(t, line+" -json")
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stderr, "no progress bar without a terminal")
	got := struct {
		Machine machine
		Figures any
	}{Figures: into}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.NotEmpty(t, got.Machine.Go)
}

// bench runs a command line as main would.
func bench(t *testing.T, line string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"bench"}, strings.Fields(line)...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestBadUseIsOneLineAndExit2(t *testing.T) {
	for line, want := range map[string]string{
		"nope":                     "no command",
		"-nope":                    "-nope",
		"sock -nope":               "-nope",
		"sock nope":                "takes no arguments",
		"sock -clients":            "needs an argument",
		"sock -clients x":          "-clients",
		"sock -clients 8,0":        "-clients is 0",
		"sock -size 15 -clients 0": "-clients is 0",
		"sock -size 15":            "-size is 15",
		"sock -size 9999999":       "-size is 9999999",
		"sock -duration 1":         "-duration",
		"sock -duration 0s":        "-duration is 0s",
		"sock -queue fast":         "spinlist, fakenode, mpscq",
		"sock -json -bench":        "exclude each other",

		"compare -rounds 0":      "-rounds is 0",
		"compare -producers 0":   "-producers is 0",
		"compare -producers 257": "-producers is 257",
		"compare -only nothing":  "leaves nothing",
		"compare -json -bench":   "exclude each other",
		"adds -producers -1":     "-producers is -1",
		"adds -json -bench":      "exclude each other",
		"latency -depth 0":       "-depth is 0",
		"latency -queue llist":   "spinlist, fakenode",
		"latency -rate -1":       "-rate is -1",
		"latency -completers 0":  "-completers is 0",
		"latency -json -bench":   "exclude each other",
		"targets -rounds 0":      "-rounds is 0",
		"targets -json -bench":   "exclude each other",
		"stress -workers 0":      "-workers is 0",
		"stress -duration 0s":    "-duration is 0s",
		"soak -queue none":       "spinlist, fakenode",
		"actors -ring 0":         "-ring is 0",
		"actors -actors 5":       "-actors is 5",
		"report -set everything": "compare, adds",
		"smoke now":              "takes no arguments",
	} {
		code, stdout, stderr := bench(t, line)
		require.Equal(t, exitUsage, code, line)
		require.Empty(t, stdout, line)
		require.Contains(t, stderr, want, line)
		require.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %q", line, stderr)
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, cmd := range commands() {
		code, stdout, stderr := bench(t, cmd.Name+" --help")
		require.Equal(t, exitOK, code)
		require.Empty(t, stderr)
		require.Contains(t, stdout, "Examples:\n     bench "+cmd.Name)
	}
}

func TestSock(t *testing.T) {
	var got struct{ Results []sockRow }
	figuresOf(t, "sock -clients 4 -duration 10ms -queue channel,mpscq,mpscq", &got)
	require.Len(t, got.Results, 2)
	require.Equal(t, "mpscq", got.Results[0].Ring)
	require.Equal(t, "channel", got.Results[1].Ring)
	require.InDelta(t, 1, got.Results[1].ToChannel, 1e-9)

	code, stdout, _ := bench(t, "sock -clients 4 -duration 10ms")
	require.Equal(t, exitOK, code)
	for _, name := range append(sock.Rings(), "messages/s", "GB/s", "entries/run", "woken runs") {
		require.Contains(t, stdout, name)
	}
}

func TestCompare(t *testing.T) {
	var got struct {
		Results []measure.Figure
		Rounds  int
	}
	figuresOf(t, "compare -quick -rounds 2 -producers 2 -only channel -only mpscq", &got)
	require.Equal(t, 2, got.Rounds)
	require.NotEmpty(t, got.Results)
	subjects := map[string]bool{}
	for _, f := range got.Results {
		subjects[f.Subject] = true
		require.Equal(t, 2, f.Ns.N)
		require.Positive(t, f.Ns.Median)
		if f.Column.Kind == measure.Pair {
			require.NotNil(t, f.ToChannel)
			require.Equal(t, measure.Channel, f.BestPeer)
		}
	}
	require.Len(t, subjects, 4, "the channel, and mpscq in three forms")

	code, stdout, stderr := bench(t, "compare -quick -rounds 1 -producers 1 -only channel -only spinlist")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "What to pick")
	require.Contains(t, stdout, "Noise of the machine")
}

func TestAdds(t *testing.T) {
	code, stdout, stderr := bench(t, "adds -quick -rounds 1 -producers 2")
	require.Equal(t, exitOK, code, stderr)
	for _, name := range []string{"spinlist", "llist", "fakenode", "mpscq", "per kick"} {
		require.Contains(t, stdout, name)
	}
	require.NotContains(t, stdout, "lanes")
	code, stdout, _ = bench(t, "adds -quick -rounds 1 -producers 1 -bench")
	require.Equal(t, exitOK, code)
	require.Regexp(t, `(?m)^goos: `, stdout)
	require.Equal(t, 8, strings.Count(stdout, "\nBenchmark"))
}

func TestLatency(t *testing.T) {
	var got []latencyCell
	figuresOf(t, "latency -duration 8ms -depth 1,8", &got)
	require.Len(t, got, 2*len(ours.Names()))
	for _, c := range got {
		require.Positive(t, c.Rate)
		require.LessOrEqual(t, c.Percentiles["1"], c.Percentiles["50"])
		require.LessOrEqual(t, c.Percentiles["50"], c.Percentiles["99.99"])
	}
	code, stdout, _ := bench(t, "latency -duration 8ms -depth 8 -rate 10000")
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "depth 8, batch 2")
	require.Contains(t, stdout, "Diff")
	require.Contains(t, stdout, "99.95 %")
}

func TestActorsStressSoak(t *testing.T) {
	for _, line := range []string{"actors -actors 1000 -ring 100 -duration 10ms", "stress -duration 20ms", "soak -duration 20ms"} {
		code, stdout, stderr := bench(t, line)
		require.Equal(t, exitOK, code, stderr)
		require.Empty(t, stderr)
		require.NotEmpty(t, stdout)
	}
}

// A target is a ratio of two rows of one group: all of them have to be measured, and each verdict has to follow from its figures.
func TestTargets(t *testing.T) {
	promised := promises()
	rows := targetRows(promised)
	groups := map[string]map[string]bool{}
	for _, r := range rows {
		require.NotNil(t, r.Subject.New, "a target speaks of a subject that does not exist")
		if groups[r.Group] == nil {
			groups[r.Group] = map[string]bool{}
		}
		groups[r.Group][r.Subject.Name] = true
	}
	for _, subjects := range groups {
		require.True(t, subjects[measure.Channel], "%v has nothing to compare with", subjects)
	}
	out := &measure.Outcome{}
	for _, r := range rows {
		ns := 100
		if r.Subject.Name == fakenodeNodes {
			ns = 25
		}
		r.Samples = []measure.Sample{{Entries: 1, Elapsed: time.Duration(ns)}}
		out.Rows = append(out.Rows, r)
	}
	got := kept(promised, out)
	require.Len(t, got, len(promised))
	for _, x := range got {
		want := 1.0
		if x.Row == fakenodeNodes {
			want = 0.25
		}
		require.InDelta(t, want, x.Measured, 1e-9)
		require.Equal(t, x.Measured <= x.Limit, x.Pass())
	}
	var b strings.Builder
	require.NoError(t, targetTables(&b, got, out, plain))
	require.Contains(t, b.String(), "0.25 → 0.25 pass")
	require.Contains(t, b.String(), "MISS")
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := bench(t, "report -quick -set memory -o "+dir)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "index.html")
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "Memory over a burst")
	require.Equal(t, 2, strings.Count(string(page), `"data:image/svg`), "a light and a dark plot")
	require.NotContains(t, string(page), "ZgotmplZ", "the template has thrown something out")
	for _, banned := range []string{"<script", "src=\"http", "url(http"} {
		require.NotContains(t, string(page), banned, "the page has to stand alone")
	}
	for _, name := range []string{"burst.png", "burst.svg", "burst-dark.png", "burst-dark.svg"} {
		require.FileExists(t, filepath.Join(dir, name))
	}

	docs := filepath.Join(dir, "docs", "benchmarks.md")
	code, _, stderr = bench(t, "report -quick -set memory -docs "+docs)
	require.Equal(t, exitOK, code, stderr)
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	require.Contains(t, string(text), "report -quick -set memory -docs "+docs)
	require.Contains(t, string(text), "](../bench/internal/peers/mutex.go)")
	require.FileExists(t, filepath.Join(dir, "docs", "images", "burst.png"))
}

// An interrupted command prints what it has, and that is no failure.
func TestInterrupt(t *testing.T) {
	for _, line := range []string{"compare", "adds", "latency", "sock -clients 2", "stress", "actors -actors 1000"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		var out, errs bytes.Buffer
		code := run(ctx, append([]string{"bench"}, strings.Fields(line)...), &out, &errs)
		cancel()
		require.Equal(t, exitOK, code, "%s: %s", line, errs.String())
		require.Contains(t, errs.String(), "interrupted", line)
	}
}
