// Command storm blows storms of tool changes at the hub and says what came of
// them. See the package bench/storm for how things are measured.
//
//	go -C bench run ./cmd/storm --scenario all
//	go -C bench run ./cmd/storm --scenario calls --runtime native --bare
//	go -C bench run ./cmd/storm --scenario trickle --pages 200 --tools 30 --rate 5000
//
// The table goes to stdout, the progress to stderr. It exits with 1 if a run
// failed or an update was lost.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"webmcphub/bench/storm"
	"webmcphub/bench/storm/hubs"
)

// errFailed has been told already.
var errFailed = errors.New("a scenario failed")

func main() {
	hubs.Child()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var f flags
	parser, err := kong.New(&f,
		kong.Name("storm"),
		kong.Description("Blows storms of tool changes at the hub and measures what comes of them."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"scenarios": strings.Join(storm.Names(), ", ")},
	)
	if err != nil { // a mistake in flags itself
		panic(err)
	}
	if _, err := parser.Parse(args); err != nil {
		fmt.Fprintf(os.Stderr, "storm: %v\nRun \"storm --help\" to see what there is.\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := f.profiled(func() error { return f.run(ctx) }); {
	case err == nil:
		return 0
	case !errors.Is(err, errFailed):
		fmt.Fprintf(os.Stderr, "storm: %v\n", err)
	}
	return 1
}
