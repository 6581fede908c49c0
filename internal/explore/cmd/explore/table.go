package main

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// result is the line that one exploration logged.
type result struct {
	pkg    string
	fields map[string]string
}

var field = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*"|\S+)`)

// parseResult finds an exploration's line in a line of output.
func parseResult(line string) (r result, ok bool) {
	_, rest, ok := strings.Cut(line, "explore: name=")
	if !ok {
		return r, false
	}
	r.fields = map[string]string{}
	for _, m := range field.FindAllStringSubmatch("name="+rest, -1) {
		v := m[2]
		if s, err := strconv.Unquote(v); err == nil {
			v = s
		}
		r.fields[m[1]] = v
	}
	return r, r.fields["executions"] != ""
}

// verdict says in words how an exploration ended.
func (r result) verdict() string {
	switch {
	case r.fields["failure"] != "":
		return "**" + r.fields["failure"] + "**"
	case r.fields["exhausted"] == "true":
		return "exhausted"
	case r.fields["limit"] != "":
		return "not exhausted: " + r.fields["limit"]
	}
	return "sampled"
}

// markdown is the table of all explorations.
func markdown(results []result, module string) string {
	sort.SliceStable(results, func(i, j int) bool { return results[i].pkg < results[j].pkg })
	var b strings.Builder
	b.WriteString("| package | exploration | mode | executions | steps | seconds | result |\n")
	b.WriteString("|---|---|---|---:|---:|---:|---|\n")
	for _, r := range results {
		pkg := strings.TrimPrefix(strings.TrimPrefix(r.pkg, module), "/")
		if pkg == "" {
			pkg = "."
		}
		seconds, _ := strconv.ParseFloat(r.fields["seconds"], 64)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.1f | %s |\n", pkg, r.fields["name"], r.fields["mode"],
			grouped(r.fields["executions"]), grouped(r.fields["steps"]), seconds, r.verdict())
	}
	return b.String()
}

// grouped puts thin gaps into a number.
func grouped(s string) string {
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

const (
	beginMark = "<!-- explore:begin -->"
	endMark   = "<!-- explore:end -->"
)

// save writes the table to a file; if the file has the markers, only what is between them changes.
func save(file, table string) error {
	if old, err := os.ReadFile(file); err == nil {
		head, rest, ok := strings.Cut(string(old), beginMark)
		_, tail, ok2 := strings.Cut(rest, endMark)
		if ok && ok2 {
			table = head + beginMark + "\n" + table + endMark + tail
		}
	}
	return os.WriteFile(file, []byte(table), 0o644)
}
