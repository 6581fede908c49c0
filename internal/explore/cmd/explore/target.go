package main

import (
	"go/build/constraint"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// target is a package that has explorations.
type target struct {
	path  string
	tests []string
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// findTargets returns the packages, of those that match the patterns, with test files that need the tag explore.
func findTargets(patterns []string) ([]target, error) {
	all, err := list(patterns...)
	if err != nil {
		return nil, err
	}
	var found []target
	for _, p := range all {
		t := target{path: p.ImportPath}
		for _, f := range append(p.TestGoFiles, p.XTestGoFiles...) {
			src, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				return nil, err
			}
			if !needsTag(string(src)) {
				continue
			}
			for _, m := range testFunc.FindAllStringSubmatch(string(src), -1) {
				t.tests = append(t.tests, m[1])
			}
		}
		if len(t.tests) > 0 {
			found = append(found, t)
		}
	}
	return found, nil
}

// needsTag tells whether a file is built only with the tag explore.
func needsTag(src string) bool {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			return false
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(line)
		if err != nil {
			return false
		}
		possible := func(explore bool) bool {
			return expr.Eval(func(tag string) bool { return tag != "explore" || explore }) ||
				expr.Eval(func(tag string) bool { return tag == "explore" && explore })
		}
		return possible(true) && !possible(false)
	}
	return false
}

// matching are the packages with a test that the -run expression selects at its top level.
func matching(targets []target, run string) ([]target, error) {
	top, _, _ := strings.Cut(run, "/")
	re, err := regexp.Compile(top)
	if err != nil {
		return nil, err
	}
	var found []target
	for _, t := range targets {
		for _, name := range t.tests {
			if re.MatchString(name) {
				found = append(found, t)
				break
			}
		}
	}
	return found, nil
}
