// Command cluster shows what a cluster of nodes and gateways does at scale and when things break.
// See the package bench/cluster for how.
//
//	go -C bench run ./cmd/cluster                     every scenario
//	go -C bench run ./cmd/cluster kill-node --rounds 5
//
// What it finds goes to stdout. It exits with 1 if a scenario failed or could not be run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"webmcphub/bench/cluster"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/bench/machine"
)

// flags are the command line. Zeros leave scenarios as large as they are.
type flags struct {
	Scenarios []string `arg:"" optional:"" placeholder:"NAME" help:"Which ones; none is all. There are ${scenarios}."`
	Binary    string   `type:"path" placeholder:"FILE" help:"The webmcp-hub-cluster to run. Default: it is built."`

	cluster.Scale `embed:""`
}

func main() {
	fleet.Chrome()
	var f flags
	var names []string
	for _, s := range cluster.Scenarios() {
		names = append(names, s.Name)
	}
	kong.Parse(&f, kong.Name("cluster"), kong.Description("Shows what a cluster does at scale and when things break."),
		kong.Vars{"scenarios": strings.Join(names, ", ")})
	if len(f.Scenarios) == 0 {
		f.Scenarios = names
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := f.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
	}
	if err != nil || !ok {
		stop()
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) (ok bool, err error) {
	var all []cluster.Scenario
	for _, name := range f.Scenarios {
		s, err := cluster.Named(name)
		if err != nil {
			return false, err
		}
		all = append(all, s)
	}
	folder, err := os.MkdirTemp("", "webmcp-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	if f.Binary == "" {
		if f.Binary, err = cluster.Build(ctx, folder, "webmcp-hub-cluster"); err != nil {
			return false, err
		}
	}
	fmt.Println(machine.Describe())
	ok = true
	for _, s := range all {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		ok = f.one(ctx, s, folder) && ok
	}
	return ok, nil
}

// one runs one scenario and prints what it found.
func (f *flags) one(ctx context.Context, s cluster.Scenario, folder string) bool {
	fmt.Printf("\n== %s: %s\n   %s\n", s.Name, s.Shows, machine.Load())
	begun := time.Now()
	report := cluster.NewReport(os.Stdout)
	err := s.Run(ctx, f.Binary, folder, f.Scale, report)
	fmt.Print(report)
	fmt.Printf("   %s, after %s; %s\n", outcome(err, report.Failed()), time.Since(begun).Round(time.Second/10),
		machine.Load())
	return err == nil && !report.Failed()
}

func outcome(err error, failed bool) string {
	switch {
	case err != nil:
		return "COULD NOT BE RUN: " + err.Error()
	case failed:
		return "FAILED"
	}
	return "ok"
}
