package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "measure a set of things and write one page about them, with plots",
		Description: `Runs the sets one after the other and writes index.html, which needs no other file, and every plot as SVG and PNG. With
-docs it writes Markdown with PNG plots instead: that is how docs/benchmarks.md is made.

Examples:
  bench report -quick                                      a page in bench/out
  bench report -set compare,latency -o /tmp/report
  bench report -docs ../docs/benchmarks.md                 on a quiet machine, some 15 minutes`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "quick", Usage: "short rounds, and few of them"},
			&cli.StringSliceFlag{Name: "set", Usage: "what to measure: " + strings.Join(setNames(), ", ") + " (default: all)"},
			&cli.StringFlag{Name: "o", Value: "out", Usage: "folder for the page"},
			&cli.StringFlag{Name: "docs", Usage: "file for Markdown, in place of the page"},
		},
		Action: runReport,
	}
}

func setNames() []string {
	var names []string
	for _, m := range makers() {
		names = append(names, m.id)
	}
	return names
}

func runReport(ctx context.Context, cmd *cli.Command) error {
	sets, err := choose("set", setNames(), cmd.StringSlice("set"))
	if err != nil {
		return err
	}
	r := &report{machine: thisMachine(), taken: time.Now(), command: reportLine(cmd)}
	for _, m := range makers() {
		if !slices.Contains(sets, m.id) || ctx.Err() != nil {
			continue
		}
		remark(cmd, "measuring %s", m.id)
		s, err := m.make(ctx, cmd, cmd.Bool("quick"))
		if err != nil {
			return fmt.Errorf("%s: %w", m.id, err)
		}
		if s != nil {
			r.sections = append(r.sections, s)
		}
	}
	if docs := cmd.String("docs"); docs != "" {
		if err := r.writeDocs(docs); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.Root().Writer, docs)
		return err
	}
	if err := r.writePage(cmd.String("o")); err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.Root().Writer, cmd.String("o")+"/index.html")
	return err
}

// reportLine is the command line that makes the same report.
func reportLine(cmd *cli.Command) string {
	line := "go run -C bench . report"
	if cmd.Bool("quick") {
		line += " -quick"
	}
	if sets := cmd.StringSlice("set"); len(sets) > 0 {
		line += " -set " + strings.Join(sets, ",")
	}
	if docs := cmd.String("docs"); docs != "" {
		line += " -docs " + docs
	}
	return line
}
