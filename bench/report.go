package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taskwork/taskwork/bench/internal/plots"
	"github.com/taskwork/taskwork/bench/internal/table"
)

//go:embed report.html
var page string

// repository is where the sources that a report links to can be read.
const repository = "https://github.com/taskwork/taskwork/blob/"

// report is what has been measured, ready to be written in any form.
type report struct {
	machine  machine
	taken    time.Time
	command  string
	sections []*section
}

// about is the table of subjects: how each waits and what it allocates.
func about(link func(name, file string) string) *table.Table {
	t := table.New("subject", "how it waits", "what a push allocates", "adapter")
	for _, s := range allSubjects() {
		t.Add(s.Name, s.Blocks, s.Allocates, link(s.File[strings.LastIndexByte(s.File, '/')+1:], s.File))
	}
	return t
}

// modules returns the versions of the peers.
func modules() []string {
	var all []string
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, dep := range info.Deps {
		for _, peer := range []string{"xsync", "gammazero", "gnet", "Workiva", "bytedance"} {
			if strings.Contains(dep.Path, peer) {
				all = append(all, dep.Path+" "+dep.Version)
			}
		}
	}
	return all
}

// htmlStyle sets tables and text for the page.
var htmlStyle = style{
	title: func(w io.Writer, s string) error {
		_, err := fmt.Fprintf(w, "<h3>%s</h3>\n", template.HTMLEscapeString(s))
		return err
	},
	table: func(t *table.Table, w io.Writer) error { return t.HTML(w) },
	text: func(w io.Writer, s string) error {
		_, err := fmt.Fprintf(w, "<p>%s</p>\n", strings.ReplaceAll(template.HTMLEscapeString(s), "\n", "<br>\n"))
		return err
	},
}

// markdownStyle sets them for the docs.
var markdownStyle = style{
	title: func(w io.Writer, s string) error { _, err := fmt.Fprintf(w, "\n### %s\n\n", s); return err },
	table: func(t *table.Table, w io.Writer) error { return t.Markdown(w) },
	text: func(w io.Writer, s string) error {
		end := "\n"
		if !strings.HasPrefix(s, "- ") {
			end = "\n\n"
		}
		_, err := io.WriteString(w, strings.ReplaceAll(s, "\n", "  \n")+end)
		return err
	},
}

// pageSection and pageChart are what the template gets.
type pageSection struct {
	ID, Title, Command, Intro string
	Tables                    template.HTML
	Charts                    []pageChart
}

type pageChart struct {
	Name, Title string
	Light       template.URL
	Dark        template.Srcset
}

// html returns the whole report as one page that needs nothing else.
func (r *report) html() ([]byte, error) {
	var sections []pageSection
	for _, s := range r.sections {
		var tables bytes.Buffer
		if err := s.tables(&tables, htmlStyle); err != nil {
			return nil, err
		}
		ps := pageSection{
			ID: s.ID, Title: s.Title, Command: s.Command, Intro: s.Intro,
			Tables: template.HTML(tables.String()), //nolint:gosec // every cell and text in it has been escaped by its style
		}
		for _, c := range s.charts {
			pc := pageChart{Name: c.Name, Title: c.Title}
			light, err := dataURL(c, false)
			if err != nil {
				return nil, err
			}
			dark, err := dataURL(c, true)
			if err != nil {
				return nil, err
			}
			pc.Light, pc.Dark = template.URL(light), template.Srcset(dark) //nolint:gosec // our own pictures
			ps.Charts = append(ps.Charts, pc)
		}
		sections = append(sections, ps)
	}
	var aboutSubjects bytes.Buffer
	if err := about(func(name, _ string) string { return name }).HTML(&aboutSubjects); err != nil {
		return nil, err
	}
	linked := aboutSubjects.String()
	for _, s := range allSubjects() {
		name := s.File[strings.LastIndexByte(s.File, '/')+1:]
		linked = strings.ReplaceAll(linked, "<td>"+name+"</td>",
			fmt.Sprintf("<td><a href=\"%s%s/%s\">%s</a></td>", repository, r.commit(), s.File, name))
	}
	tmpl, err := template.New("report").Parse(page)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, map[string]any{
		"Machine": r.machine, "Taken": r.taken.UTC().Format("2006-01-02 15:04 MST"), "Command": r.command, "Modules": modules(),
		"Sections": sections, "About": template.HTML(linked), //nolint:gosec // escaped by the table
	})
	return b.Bytes(), err
}

// commit is what links to sources point at.
func (r *report) commit() string {
	if r.machine.Commit == "unknown" {
		return "main"
	}
	return r.machine.Commit
}

// dataURL returns a chart as an address that contains it.
func dataURL(c plots.Chart, inTheDark bool) (string, error) {
	svg, err := c.SVG(inTheDark)
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg), err
}

// writePage writes the page and its pictures, as SVG and PNG, into dir.
func (r *report) writePage(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	b, err := r.html()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), b, 0o644); err != nil {
		return err
	}
	return r.writePictures(dir, true)
}

// writePictures writes every chart in light and dark, as PNG and, if asked for, as SVG.
func (r *report) writePictures(dir string, svgs bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range r.sections {
		for _, c := range s.charts {
			for suffix, dark := range map[string]bool{"": false, "-dark": true} {
				png, err := c.PNG(dark)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, c.Name+suffix+".png"), png, 0o644); err != nil {
					return err
				}
				if !svgs {
					continue
				}
				svg, err := c.SVG(dark)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, c.Name+suffix+".svg"), svg, 0o644); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeDocs writes the report as Markdown to path, and its pictures into a folder beside it.
func (r *report) writeDocs(path string) error {
	const pictures = "images"
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Benchmarks\n\nGenerated by `%s`; do not edit. How to read it: times are medians of interleaved rounds with the "+
		"range from the 10th to the 90th percentile; ratios below 1 are faster; compare ratios, not nanoseconds, with those of "+
		"another machine. What the library makes of its algorithms is in [performance.md](performance.md).\n\n", r.command)
	m := table.New("measured on", "")
	m.Add("processor", fmt.Sprintf("%s, %d processors", r.machine.CPU, r.machine.Procs))
	m.Add("system", r.machine.OS+"/"+r.machine.Arch+", "+r.machine.Go)
	m.Add("commit", r.machine.Commit)
	m.Add("date", r.taken.UTC().Format("2006-01-02"))
	m.Add("peers", strings.Join(modules(), ", "))
	if err := m.Markdown(&b); err != nil {
		return err
	}
	for _, s := range r.sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.Title, s.Intro)
		if s.Command != "" {
			fmt.Fprintf(&b, "```sh\n%s\n```\n", s.Command)
		}
		for _, c := range s.charts {
			fmt.Fprintf(&b, "\n<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"%[1]s/%[2]s-dark.png\">\n"+
				"  <img alt=\"%[3]s\" src=\"%[1]s/%[2]s.png\">\n</picture>\n", pictures, c.Name, template.HTMLEscapeString(c.Title))
		}
		if err := s.tables(&b, markdownStyle); err != nil {
			return err
		}
	}
	fmt.Fprint(&b, "\n## The subjects\n\nThe same payload, the same consumer and the same waiting in a column; no queue is made larger than it is "+
		"by default, apart from the bounded ones, which have no default and get 1024 entries (a channel that nobody receives from, as "+
		"much as is pushed).\n\n")
	err := about(func(name, file string) string { return fmt.Sprintf("[%s](../%s)", name, file) }).Markdown(&b)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	return r.writePictures(filepath.Join(filepath.Dir(path), pictures), false)
}
