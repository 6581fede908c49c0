package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string
}

// outcome is what one go test said.
type outcome struct {
	code    int
	results []result
	failed  []string // tests
	output  strings.Builder
	broken  bool // something did not compile
	raced   bool
	timeout bool
}

// runExplorations runs the explorations of the targets and prints the table.
func runExplorations(o *options, v *overlay, targets []target) (int, error) {
	run := o.run
	if run == "" {
		// Ordinary tests are no business of this command: name the explorations.
		var names []string
		for _, t := range targets {
			names = append(names, t.tests...)
		}
		run = "^(" + strings.Join(names, "|") + ")$"
	}
	targets, err := matching(targets, run)
	if err != nil {
		return 2, err
	}
	if len(targets) == 0 {
		return 2, errors.New("no package has a matching test behind the build tag explore")
	}
	file := filepath.Join(v.dir, "overlay.json")
	if err := write(v.replace, file); err != nil {
		return 2, err
	}
	out, err := o.goTest(file, run, targets, o.race, func(text string, verbose bool) {
		if !verbose || o.verbose || o.replay != "" {
			fmt.Print(text)
		}
	})
	if err != nil {
		return 2, err
	}
	table := markdown(out.results, v.module.path)
	fmt.Print("\n", table)
	if o.output != "" {
		err = save(o.output, table)
	}
	return out.code, err
}

// goTest runs go test on the targets. Output goes to show, with true for what belongs to tests that have not failed.
func (o *options) goTest(overlay, run string, targets []target, race bool, show func(text string, verbose bool)) (*outcome, error) {
	args := []string{"test", "-json", "-count=1", "-tags", "explore", "-overlay", overlay, "-run", run, "-timeout", o.timeout.String()}
	if race {
		args = append(args, "-race")
	}
	for _, t := range targets {
		args = append(args, t.path)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "EXPLORE_SCALE="+strconv.FormatFloat(o.scale, 'g', -1, 64))
	if o.replay != "" {
		cmd.Env = append(cmd.Env, "EXPLORE_REPLAY="+o.replay)
	}
	if o.budget > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("EXPLORE_DEADLINE=%d", time.Now().Add(o.budget).UnixMilli()))
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out := &outcome{}
	readErr := out.read(pipe, show)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out.code, err = exit.ExitCode(), nil
	}
	return out, errors.Join(readErr, err)
}

// read follows the stream of events. A test's output is kept back until it is known whether it failed.
func (out *outcome) read(r io.Reader, show func(text string, verbose bool)) error {
	held := map[string]string{}
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			show(string(line), false)
			continue
		}
		key := e.Package + "\x00" + e.Test
		switch e.Action {
		case "build-output":
			out.output.WriteString(e.Output)
			show(e.Output, false)
		case "build-fail":
			out.broken = true
		case "output":
			out.output.WriteString(e.Output)
			out.scan(e)
			held[key] += e.Output
		case "pass", "skip":
			show(held[key], e.Test != "")
			delete(held, key)
		case "fail":
			if e.Test != "" {
				out.failed = append(out.failed, e.Test)
			}
			show(held[key], false)
			delete(held, key)
		}
	}
}

// scan looks for what matters in a line of output.
func (out *outcome) scan(e event) {
	if r, ok := parseResult(e.Output); ok {
		r.pkg = e.Package
		out.results = append(out.results, r)
	}
	if strings.Contains(e.Output, "WARNING: DATA RACE") {
		out.raced = true
	}
	if strings.Contains(e.Output, "panic: test timed out") {
		out.timeout = true
	}
	if strings.Contains(e.Output, "[build failed]") || strings.Contains(e.Output, "[setup failed]") {
		out.broken = true
	}
}
