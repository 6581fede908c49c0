package explore_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRaceDetector runs explorations under -race: those with a planted race must be reported, the clean ones must not. Each race
// is of a kind that a hand-over of ours, or an extra look of a twin, would hide if the detector could see it.
func TestRaceDetector(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary with -race")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	binary := t.TempDir() + "/race.test"
	out, err := exec.CommandContext(ctx, "go", "test", "-race", "-c", "-o", binary, "./testdata/race").CombinedOutput()
	if err != nil && strings.Contains(string(out), "requires cgo") {
		t.Skip("the race detector is not available")
	}
	require.NoError(t, err, "%s", out)
	for name, racy := range map[string]bool{
		"TestCleanMessage": false, "TestCleanLocks": false, "TestCleanAbort": false,
		"TestRacyMessage": true, "TestRacyInOneSchedule": true, "TestRacyStore": true,
	} {
		out, err := exec.CommandContext(ctx, binary, "-test.run", "^"+name+"$", "-test.v").CombinedOutput()
		require.Contains(t, string(out), name)
		require.Equal(t, racy, strings.Contains(string(out), "DATA RACE"), "%s:\n%s", name, out)
		require.Equal(t, racy, err != nil, "%s:\n%s", name, out)
	}
}
