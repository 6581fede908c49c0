package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// module is the module that the command runs in.
type module struct {
	path, dir string
	packages  []pkg
}

type pkg struct {
	ImportPath, Dir                                    string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

func loadModule() (*module, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}\n{{.Dir}}").Output()
	if err != nil {
		return nil, explain("go list -m", err)
	}
	m := &module{}
	var ok bool
	m.path, m.dir, ok = strings.Cut(strings.TrimSpace(string(out)), "\n")
	if !ok {
		return nil, fmt.Errorf("go list -m: %q", out)
	}
	m.packages, err = list(m.path + "/...")
	return m, err
}

// list asks go list about packages, as they are with the tag explore.
func list(patterns ...string) ([]pkg, error) {
	args := append([]string{"list", "-e", "-tags", "explore", "-json=ImportPath,Dir,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles"},
		patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, explain("go list", err)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

func explain(what string, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %w\n%s", what, err, exit.Stderr)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// overlay is the set of production files that import something that has a twin.
type overlay struct {
	module *module
	dir    string
	// replace maps a file to its rewritten copy, as go's -overlay wants it.
	replace map[string]string
}

// twins maps import paths to their twins'. The packages have the same names.
func (m *module) twins() map[string]string {
	base := m.path + "/internal/explore/"
	return map[string]string{
		"sync/atomic":             base + "atomic",
		"sync":                    base + "sync",
		"runtime":                 base + "runtime",
		m.path + "/internal/park": base + "park",
		m.path + "/internal/slab": base + "slab",
		m.path + "/internal/spin": base + "spin",
	}
}

// covers tells whether a package is under test rather than part of the explorer.
func (m *module) covers(path string) bool {
	explorer := m.path + "/internal/explore"
	return path != m.path+"/internal/park" && path != explorer && !strings.HasPrefix(path, explorer+"/")
}

// build writes the rewritten files.
func (v *overlay) build() error {
	v.replace = map[string]string{}
	for _, p := range v.module.packages {
		if !v.module.covers(p.ImportPath) {
			continue
		}
		for _, f := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(f, "_test.go") || !strings.HasSuffix(f, ".go") {
				continue
			}
			file := filepath.Join(p.Dir, f)
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := v.add(v.replace, v.dir, file, src, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// add puts file with the contents src into the overlay replace. If it needs no rewriting it is left out, unless always is set.
func (v *overlay) add(replace map[string]string, dir, file string, src []byte, always bool) error {
	out, err := rewrite(file, src, v.module.twins())
	if err != nil {
		return err
	}
	if !always && bytes.Equal(out, src) {
		return nil
	}
	copied := filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(file)))
	replace[file] = copied
	return os.WriteFile(copied, out, 0o600)
}

// write writes the JSON file that -overlay takes.
func write(replace map[string]string, file string) error {
	b, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// rewrite replaces the paths of imports that have a twin. Lines and names stay as they are: a twin has its original's name.
func rewrite(name string, src []byte, twins map[string]string) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(src)+256)
	last := 0
	for _, imp := range f.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, err
		}
		twin, ok := twins[path]
		if !ok {
			continue
		}
		start := set.Position(imp.Path.Pos()).Offset
		out = append(out, src[last:start]...)
		out = append(out, strconv.Quote(twin)...)
		last = start + len(imp.Path.Value)
	}
	return append(out, src[last:]...), nil
}
