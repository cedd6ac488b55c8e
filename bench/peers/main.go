package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"webmcphub/bench/machine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	only := flag.String("only", "", "names of the peers to measure, with commas between; all if empty")
	rounds := flag.Int("rounds", 0, "how often each is measured, 3 if it isn't given; with -automation how often each "+
		"operation is timed, 100 if it isn't given")
	automation := flag.Bool("automation", false, "measure how the servers operate pages, and not the pages' tools")
	corpus := flag.Bool("corpus", false, "take snapshots of the pages of automation/corpus, and nothing else")
	flag.Parse()
	if *rounds < 0 {
		return errors.New("rounds is at least 1")
	}
	modules, err := installed()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	hub, err := machine.HubBinary(ctx, temp)
	if err != nil {
		return err
	}
	all, err := peers(hub, modules)
	if err != nil {
		return err
	}
	if *automation || *corpus {
		all = slices.DeleteFunc(all, func(p *peer) bool { return p.dialect == nil })
	}
	if all, err = chosen(all, *only); err != nil {
		return err
	}
	c, err := startChromium(ctx, modules, 0)
	if err != nil {
		return err
	}
	defer c.close()
	fmt.Printf("%s; %s, headless, Node %s; %s, %s before\n\n", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		c.version(), nodeVersion(modules), machine.Describe(), machine.Load())
	switch {
	case *corpus:
		return compareSnapshots(ctx, c, all)
	case *automation:
		return compareAutomation(ctx, c, all, cmp.Or(*rounds, 100))
	}
	return compareTools(ctx, c, modules, all, cmp.Or(*rounds, 3))
}

// chosen are the peers of those names; all if there are none.
func chosen(all []*peer, only string) ([]*peer, error) {
	if only == "" {
		return all, nil
	}
	var some []*peer
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(p *peer) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no peer %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}
