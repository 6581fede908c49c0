package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// mutant is a plausible mistake in a production file, and the exploration that has to notice it.
//
//	file: mpscq/mpscq.go
//	why: the stub's link is not cleared, so a node is handed out twice
//	kill: ^TestExploreTwoByTwo$
//	race: true                      optional: it takes the race detector to see it
//	--- old
//	        q.stub.next = nil
//	+++ new
//	        _ = 0
//
// Old text must occur in the file exactly once. There may be several pairs, and several files: a file line begins a new one.
type mutant struct {
	name, why, kill string
	race            bool
	edits           []edit
}

type edit struct{ file, old, new string }

// readMutant parses a mutant.
func readMutant(name, text string) (*mutant, error) {
	m := &mutant{name: name}
	file := ""
	var into *string
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		key, value, _ := strings.Cut(bare, ":")
		value = strings.TrimSpace(value)
		switch {
		case bare == "--- old":
			m.edits = append(m.edits, edit{file: file})
			into = &m.edits[len(m.edits)-1].old
		case bare == "+++ new" && len(m.edits) > 0:
			into = &m.edits[len(m.edits)-1].new
		case key == "file":
			file, into = value, nil
		case into != nil:
			*into += line
		case key == "why":
			m.why = value
		case key == "kill":
			m.kill = value
		case key == "race":
			m.race = value == "true"
		case bare == "" || strings.HasPrefix(bare, "#"):
		default:
			return nil, fmt.Errorf("%s: what is %q?", name, bare)
		}
	}
	if m.why == "" || m.kill == "" || len(m.edits) == 0 || m.edits[0].file == "" {
		return nil, fmt.Errorf("%s: a mutant needs file, why, kill and at least one pair of old and new text", name)
	}
	return m, nil
}

// apply returns the mutated files' contents.
func (m *mutant) apply(root string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, e := range m.edits {
		file := filepath.Join(root, filepath.FromSlash(e.file))
		src, ok := out[file]
		if !ok {
			var err error
			if src, err = os.ReadFile(file); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
		}
		if n := strings.Count(string(src), e.old); n != 1 || e.old == "" {
			return nil, fmt.Errorf("%s: this occurs %d times in %s, not once:\n%s", m.name, n, e.file, e.old)
		}
		out[file] = []byte(strings.Replace(string(src), e.old, e.new, 1))
	}
	return out, nil
}

// readMutants reads those of the directory whose names match.
func readMutants(dir, match string) ([]*mutant, error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.mutant"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var all []*mutant
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".mutant")
		if !re.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		m, err := readMutant(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no mutant in %s matches %q", dir, match)
	}
	return all, nil
}

// runMutants requires each mutant to be killed, and prints by what.
func runMutants(o *options, v *overlay, targets []target) (int, error) {
	all, err := readMutants(filepath.Join(v.module.dir, o.mutants), o.run)
	if err != nil {
		return 2, err
	}
	code := 0
	var problems []error
	fmt.Print("| mutant | mistake | killed by | how | steps | preemptions | schedule |\n|---|---|---|---|---:|---:|---|\n")
	for _, m := range all {
		row, err := runMutant(o, v, targets, m)
		if err != nil {
			code = 1
			problems = append(problems, err)
			row = fmt.Sprintf("| %s | %s | **nothing** | | | | |", m.name, m.why)
		}
		fmt.Println(row)
	}
	return code, errors.Join(problems...)
}

// runMutant applies one mutant, runs the explorations that must kill it, and returns its row of the table.
func runMutant(o *options, v *overlay, targets []target, m *mutant) (string, error) {
	files, err := m.apply(v.module.dir)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(v.dir, m.name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for k, f := range v.replace {
		replace[k] = f
	}
	for f, src := range files {
		if err := v.add(replace, dir, f, src, true); err != nil {
			return "", fmt.Errorf("%s does not parse: %w", m.name, err)
		}
	}
	file := filepath.Join(dir, "overlay.json")
	if err := write(replace, file); err != nil {
		return "", err
	}
	targets, err = matching(targets, m.kill)
	if err != nil {
		return "", err
	}
	if len(targets) == 0 {
		return "", fmt.Errorf("%s: no exploration matches %s", m.name, m.kill)
	}
	out, err := o.goTest(file, m.kill, targets, m.race || o.race, func(string, bool) {})
	switch {
	case err != nil:
		return "", err
	case out.broken:
		return "", fmt.Errorf("%s does not compile:\n%s", m.name, out.output.String())
	case out.timeout:
		return "", fmt.Errorf("%s hangs outside of the explorer's control:\n%s", m.name, out.output.String())
	case out.code == 0:
		return "", fmt.Errorf("%s survived %s: %s", m.name, m.kill, m.why)
	}
	for _, r := range out.results {
		if f := r.fields["failure"]; f != "" {
			return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | `%s` |", m.name, m.why, r.fields["name"], f,
				r.fields["failsteps"], r.fields["preemptions"], r.fields["schedule"]), nil
		}
	}
	by, how := strings.Join(out.failed, ", "), "failed"
	if out.raced {
		how = "data race"
	}
	if by == "" {
		return "", fmt.Errorf("%s: go test failed, but no test did:\n%s", m.name, out.output.String())
	}
	return fmt.Sprintf("| %s | %s | %s | %s | | | |", m.name, m.why, by, how), nil
}
