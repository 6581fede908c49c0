package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
)

// smokeLines is every command, as short as it gets. Each checks every entry that it pushes.
var smokeLines = []string{
	"compare -quick -rounds 1 -producers 2",
	"adds -quick -rounds 1 -producers 2",
	"latency -duration 40ms -depth 1,16",
	"targets -quick -rounds 1",
	"stress -duration 1s",
	"soak -duration 2s",
	"actors -actors 20000 -duration 200ms",
	"sock -duration 200ms -clients 8,128",
	"report -quick -set memory -o OUT",
}

func smokeCommand() *cli.Command {
	return &cli.Command{
		Name:  "smoke",
		Usage: "every command, briefly: fails if one of them does, or loses an entry",
		Description: `Takes about 20 seconds. It says nothing about speed.

Examples:
  bench smoke
  bench smoke -v           with what the commands print`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "v", Usage: "print what the commands print"}},
		Action: runSmoke,
	}
}

func runSmoke(ctx context.Context, cmd *cli.Command) (err error) {
	out, err := os.MkdirTemp("", "taskwork-smoke")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(out)) }()
	w := cmd.Root().Writer
	for _, line := range smokeLines {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		start := time.Now()
		var printed bytes.Buffer
		args := strings.Fields("bench " + strings.ReplaceAll(line, "OUT", out))
		code := runAlone(ctx, args, &printed)
		_, err := fmt.Fprintf(w, "%-45s %6.1f s  exit %d\n", line, time.Since(start).Seconds(), code)
		if err != nil {
			return err
		}
		if code != exitOK || cmd.Bool("v") {
			if _, err := printed.WriteTo(w); err != nil {
				return err
			}
		}
		if code != exitOK {
			return fmt.Errorf("smoke: %q exits with %d", line, code)
		}
	}
	return nil
}

// runAlone runs a command line as a program of its own: the context of a running command would make it a part of that one.
func runAlone(ctx context.Context, args []string, w io.Writer) (code int) {
	own, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return run(own, args, w, w)
}
