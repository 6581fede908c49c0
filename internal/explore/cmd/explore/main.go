// Command explore runs the module's explorations: tests behind the build tag explore, against production source whose atomics,
// locks, yields and parking are replaced by instrumented twins.
//
//	production source            overlay (a temporary directory)              go test
//	─────────────────            ───────────────────────────────              ───────
//	import "sync/atomic"    ──▶  import ".../internal/explore/atomic"    ──▶  -overlay overlay.json -tags explore
//	import ".../internal/park"   import ".../internal/explore/park"           the packages that have explorations
//
// Only import paths change; line numbers and names stay. Usage:
//
//	explore [flags] [packages]
//
//	explore ./...                          all explorations, and a table of them
//	explore -race -run Shutdown .          those of the root package whose names match, with plain memory race-checked
//	explore -budget 4m ./...               stop after four minutes; what is not exhausted by then has failed
//	explore -scale 10 ./...                ten times the budget for those explorations that sample
//	explore -replay 'p0*3.p1' -run X ./m   one schedule of one exploration, as a table
//	explore -mutants ./...                 apply each mutant in turn and demand that its exploration fails
//
// The exit status is that of go test; of a mutant run, one if a mutant survived, did not compile or did not apply.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	run, replay, output, mutants string
	race, verbose, mutate, keep  bool
	budget, timeout              time.Duration
	scale                        float64
	packages                     []string
}

func main() {
	var o options
	flag.StringVar(&o.run, "run", "", "explorations (or mutants) whose names match this `regexp`")
	flag.BoolVar(&o.race, "race", false, "race-check plain memory")
	flag.BoolVar(&o.verbose, "v", false, "print the output of tests that pass, too")
	flag.DurationVar(&o.budget, "budget", 0, "time for everything")
	flag.DurationVar(&o.timeout, "timeout", time.Hour, "time after which go test kills a package's tests")
	flag.Float64Var(&o.scale, "scale", 1, "multiplies the budgets of explorations that have one")
	flag.StringVar(&o.replay, "replay", "", "run this `schedule` alone; give -run as well")
	flag.StringVar(&o.output, "o", "", "write the table to this `file` too, between its explore markers if it has them")
	flag.BoolVar(&o.mutate, "mutants", false, "run the mutants instead")
	flag.StringVar(&o.mutants, "mutantdir", "internal/explore/mutants", "`directory` of the mutants, from the module's root")
	flag.BoolVar(&o.keep, "keep", false, "keep the overlay and say where it is")
	flag.Parse()
	o.packages = flag.Args()
	if len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	code, err := explore(&o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "explore:", err)
		code = max(code, 2)
	}
	os.Exit(code)
}

func explore(o *options) (code int, err error) {
	m, err := loadModule()
	if err != nil {
		return 2, err
	}
	dir, err := os.MkdirTemp("", "explore")
	if err != nil {
		return 2, err
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "explore: the overlay is in", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	v := &overlay{module: m, dir: dir}
	if err := v.build(); err != nil {
		return 2, err
	}
	targets, err := findTargets(o.packages)
	if err != nil {
		return 2, err
	}
	if o.mutate {
		return runMutants(o, v, targets)
	}
	return runExplorations(o, v, targets)
}
