package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	code, stdout, stderr := bench(t, "sock -clients 4 -duration 10ms -queue channel,mpscq,mpscq -json")
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stderr, "no progress bar without a terminal")
	var got struct{ Figures struct{ Results []sockRow } }
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Len(t, got.Figures.Results, 2)
	require.Equal(t, "mpscq", got.Figures.Results[0].Ring)
	require.Equal(t, "channel", got.Figures.Results[1].Ring)
	require.InDelta(t, 1, got.Figures.Results[1].ToChannel, 1e-9)

	code, stdout, _ = bench(t, "sock -clients 4 -duration 10ms")
	require.Equal(t, exitOK, code)
	for _, name := range []string{"spinlist", "fakenode", "mpscq", "channel", "messages/s", "GB/s", "entries/run", "woken runs"} {
		require.Contains(t, stdout, name)
	}
}
