package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/taskwork/taskwork/bench/internal/stats"
)

// outputFlags are the forms in which every command prints its figures, beside a table.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print the figures as JSON"},
		&cli.BoolFlag{Name: "bench", Usage: "print the figures as benchmarks, for benchstat"},
	}
}

// figures is what a command prints, in each of its forms.
type figures struct {
	table func(io.Writer) error
	json  any
	bench func(io.Writer) error
}

// print writes f in the form that the flags ask for.
func (f figures) print(cmd *cli.Command) error {
	w := cmd.Root().Writer
	switch {
	case cmd.Bool("json") && cmd.Bool("bench"):
		return usagef("-json and -bench exclude each other")
	case cmd.Bool("json"):
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"machine": thisMachine(), "figures": f.json})
	case cmd.Bool("bench"):
		m := thisMachine()
		_, err := fmt.Fprintf(w, "goos: %s\ngoarch: %s\npkg: github.com/taskwork/taskwork/bench\ncpu: %s\n", m.OS, m.Arch, m.CPU)
		if err != nil {
			return err
		}
		return f.bench(w)
	default:
		return f.table(w)
	}
}

// checkOutput refuses flags that exclude each other before anything is measured.
func checkOutput(cmd *cli.Command) error {
	if cmd.Bool("json") && cmd.Bool("bench") {
		return usagef("-json and -bench exclude each other")
	}
	return nil
}

// machine says where figures were taken.
type machine struct {
	CPU    string
	OS     string
	Arch   string
	Go     string
	Commit string
	Procs  int
}

func thisMachine() machine {
	m := machine{
		CPU: cpuModel(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Commit: "unknown",
		Procs: runtime.GOMAXPROCS(0),
	}
	// The build has no stamp under go run, so git is asked: commands are run in the repository that they belong to.
	if head, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output(); err == nil {
		m.Commit = strings.TrimSpace(string(head))
	}
	return m
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d processors, %s/%s, %s, commit %s", m.CPU, m.Procs, m.OS, m.Arch, m.Go, m.Commit)
}

// cpuModel asks Linux for the processor's name; elsewhere it is not worth the trouble.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// remark says something on standard error. There is nowhere to report that this failed.
func remark(cmd *cli.Command, format string, args ...any) {
	_, _ = fmt.Fprintf(cmd.Root().ErrWriter, "bench: "+format+"\n", args...)
}

// interrupted says on standard error that figures are incomplete.
func interrupted(cmd *cli.Command) {
	remark(cmd, "interrupted; this is what has been measured")
}

// cell prints a summary in few characters: median [10 %–90 %].
func cell(s stats.Summary) string {
	if s.N == 0 {
		return ""
	}
	if s.N == 1 {
		return short(s.Median)
	}
	return fmt.Sprintf("%s [%s–%s]", short(s.Median), short(s.P10), short(s.P90))
}

// short prints three digits or so.
func short(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}
