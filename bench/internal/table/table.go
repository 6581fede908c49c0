// Package table sets figures in columns: as plain text for a terminal, and as Markdown for the docs.
package table

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a header and rows of cells. The first column is set flush left, all others flush right.
type Table struct {
	Header []string
	Rows   [][]string
}

// New returns a Table with the given header.
func New(header ...string) *Table {
	return &Table{Header: header}
}

// Add appends a row. Missing cells are blank.
func (t *Table) Add(cells ...string) {
	t.Rows = append(t.Rows, cells)
}

// Text writes the table for a terminal. Columns without a single figure are left out.
func (t *Table) Text(w io.Writer) error {
	widths := t.widths()
	var b strings.Builder
	t.line(&b, t.Header, widths)
	rule := make([]string, len(t.Header))
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
	}
	t.line(&b, rule, widths)
	for _, row := range t.Rows {
		t.line(&b, row, widths)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line writes one row; a column of width zero does not exist.
func (t *Table) line(b *strings.Builder, cells []string, widths []int) {
	var line strings.Builder
	for i, width := range widths {
		if width == 0 {
			continue
		}
		cell := at(cells, i)
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
		if line.Len() > 0 {
			line.WriteString("  ")
		}
		if i == 0 {
			line.WriteString(cell + pad)
		} else {
			line.WriteString(pad + cell)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// widths returns the width of each column, and zero for a column that is blank in every row.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Header))
	for i := range widths {
		used := len(t.Rows) == 0
		for _, row := range t.Rows {
			used = used || at(row, i) != ""
			widths[i] = max(widths[i], utf8.RuneCountInString(at(row, i)))
		}
		if used {
			widths[i] = max(widths[i], utf8.RuneCountInString(t.Header[i]))
		} else {
			widths[i] = 0
		}
	}
	return widths
}

// Markdown writes the table in GitHub's form.
func (t *Table) Markdown(w io.Writer) error {
	widths := t.widths()
	var b strings.Builder
	row := func(cells []string) {
		b.WriteString("|")
		for i, width := range widths {
			if width > 0 {
				fmt.Fprintf(&b, " %s |", strings.ReplaceAll(at(cells, i), "|", "\\|"))
			}
		}
		b.WriteString("\n")
	}
	row(t.Header)
	b.WriteString("|")
	for i, width := range widths {
		switch {
		case width == 0:
		case i == 0:
			b.WriteString("---|")
		default:
			b.WriteString("--:|")
		}
	}
	b.WriteString("\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func at(cells []string, i int) string {
	if i < len(cells) {
		return cells[i]
	}
	return ""
}

// HTML writes the table as an element of a page.
func (t *Table) HTML(w io.Writer) error {
	widths := t.widths()
	var b strings.Builder
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, width := range widths {
			if width > 0 {
				fmt.Fprintf(&b, "<%s>%s</%s>", tag, html.EscapeString(at(cells, i)), tag)
			}
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<div class=\"scroll\"><table>\n<thead>")
	row("th", t.Header)
	b.WriteString("</thead>\n<tbody>\n")
	for _, cells := range t.Rows {
		row("td", cells)
	}
	b.WriteString("</tbody></table></div>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
