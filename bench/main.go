// Command bench puts the queues of github.com/taskwork/taskwork to work and measures them beside what else there is.
//
//	go run -C bench . compare -quick        every queue beside the channel and other people's
//	go run -C bench . adds                  contended adds of the four generations
//	go run -C bench . latency               percentiles by queue depth, before and after the spinlock list
//	go run -C bench . targets               what is promised, measured
//	go run -C bench . actors                a million Runners
//	go run -C bench . sock -duration 2s     a receive ring over real sockets
//	go run -C bench . stress -duration 8h   missed wakeups wanted
//	go run -C bench . soak -duration 10m    everything at once, and the books have to balance
//	go run -C bench . report                one page with plots; -docs ../docs/benchmarks.md: the docs
//	go run -C bench . smoke                 all of it, briefly, for CI
//
// Every command has --help with examples. Commands exit with 0 if all went well, 1 if entries were lost or something failed,
// and 2 if they were called in a way that makes no sense. Interrupted by Ctrl-C, a command ends what it is doing and prints
// what it has measured so far; a second Ctrl-C ends it at once.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/urfave/cli/v3"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	// Only the first interrupt is asked for politely.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program, but for the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	root := &cli.Command{
		Name:      "bench",
		Usage:     "put the taskwork queues to work, and measure them beside what else there is",
		Commands:  commands(),
		Writer:    stdout,
		ErrWriter: stderr,
		// Errors are printed below, in one place.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usagef("no command %q; there are: %s", cmd.Args().First(), names(cmd.Commands))
			}
			return cli.ShowRootCommandHelp(cmd)
		},
	}
	prepare(root)
	err := root.Run(ctx, args)
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitFailed
	}
}

func commands() []*cli.Command {
	return []*cli.Command{
		compareCommand(),
		targetsCommand(),
		addsCommand(),
		latencyCommand(),
		actorsCommand(),
		stressCommand(),
		soakCommand(),
		reportCommand(),
		smokeCommand(),
		sockCommand(),
	}
}

// prepare makes each command report a bad flag as one line, and refuse arguments, since none takes any.
func prepare(cmd *cli.Command) {
	cmd.HideHelpCommand = true
	cmd.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		return &usageError{err}
	}
	for _, sub := range cmd.Commands {
		prepare(sub)
		action := sub.Action
		sub.Action = func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usagef("%s takes no arguments, but there is %q", cmd.Name, cmd.Args().First())
			}
			return action(ctx, cmd)
		}
	}
}

// usageError is a way to call bench that makes no sense.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func names(cmds []*cli.Command) string {
	var all []string
	for _, c := range cmds {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}
