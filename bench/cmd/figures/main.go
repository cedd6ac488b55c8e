// Command figures measures what the hub is to reach, one figure after the other,
// and prints a table as docs/benchmarks.md has it. It takes some minutes, and
// wants the machine for itself.
//
//	go -C bench run ./cmd/figures        # all
//	go -C bench run ./cmd/figures RSS    # those with that text in their name
//
// Progress goes to stderr. It exits with 1 if something could not be measured
// or an update was lost; a figure that isn't reached is only a figure.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"webmcphub/bench/storm"
	"webmcphub/bench/storm/hubs"
	"webmcphub/internal/terminal"
)

// figure is one row.
type figure struct {
	name, target, command string
	measure               func(ctx context.Context) (string, error)
}

func main() {
	hubs.Child()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if !run(ctx, os.Args[1:]) {
		os.Exit(1)
	}
}

func run(ctx context.Context, wanted []string) (ok bool) {
	quiet := slices.Contains(wanted, "--quiet")
	wanted = slices.DeleteFunc(wanted, func(text string) bool { return text == "--quiet" })
	line := terminal.On(os.Stderr, quiet)
	defer line.Done()
	all := slices.DeleteFunc(slices.Clone(figures), func(f figure) bool { return !f.wanted(wanted) })
	fmt.Println("| figure | target | measured | command |\n|---|---|---|---|")
	ok = true
	for i, f := range all {
		if ctx.Err() != nil {
			return false
		}
		line.Step(i+1, len(all), f.name)
		measured, err := f.measure(ctx)
		if err != nil {
			ok, measured = false, "failed: "+strings.ReplaceAll(err.Error(), "\n", " ")
		}
		line.Clear()
		fmt.Printf("| %s | %s | %s | `%s` |\n", f.name, f.target, measured, f.command)
	}
	return ok
}

func (f figure) wanted(texts []string) bool {
	for _, t := range texts {
		if strings.Contains(f.name, t) {
			return true
		}
	}
	return len(texts) == 0
}

// blow runs a named scenario, as changed.
func blow(ctx context.Context, name string, o storm.Options, change func(*storm.Scenario)) (*storm.Result, error) {
	s, err := storm.Named(name, o.Runtime)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&s)
	}
	r, err := storm.Run(ctx, s, o)
	if err == nil && len(r.Failures) > 0 {
		err = fmt.Errorf("%s", strings.Join(r.Failures, "; "))
	}
	return r, err
}
