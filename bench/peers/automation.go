package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// automationFlags are for -automation only.
type automationFlags struct {
	operating
	ten    string
	svg    string
	before string
	stages string
}

func (a *automationFlags) add(f *flag.FlagSet) {
	a.rounds = 100
	f.DurationVar(&a.within, "within", 8*time.Second, "with -automation: after how long an operation isn't "+
		"repeated any more")
	f.DurationVar(&a.span, "span", 2*time.Second, "with -automation: how long tabs are clicked in at once")
	f.IntVar(&a.hostile, "hostile", 2, "with -automation: how often each hostile page is tried")
	f.IntVar(&a.agents, "agents", 200, "with -automation: rounds of two agents at work at the same time")
	f.IntVar(&a.focus, "focus", 200, "with -automation: actions behind the tab in front")
	f.IntVar(&a.operating.tabs, "in-use", 50, "with -automation: tabs in use when memory is read")
	f.StringVar(&a.ten, "pages", "automation/snapshot/testdata/pages", "with -automation: the folder of the ten "+
		"pages of which snapshots are taken")
	f.StringVar(&a.svg, "plot", "", "with -automation: a file for the plot, as SVG")
	f.StringVar(&a.before, "before", "",
		"with -automation: another build of the hub, which is measured beside this one")
	f.StringVar(&a.stages, "stages", "", "with -automation: some of "+strings.Join(stageNames(), ",")+
		", with commas between; all if empty")
}

// run measures how servers operate pages, and prints the table.
func (a *automationFlags) run(ctx context.Context, hub, modules, only string) error {
	if min(a.rounds, a.hostile, a.agents, a.focus, a.operating.tabs) < 1 {
		return errors.New("rounds, hostile, agents, focus and in-use are at least 1")
	}
	var stages []string
	if a.stages != "" {
		stages = strings.Split(a.stages, ",")
	}
	for _, s := range stages {
		if !slices.Contains(stageNames(), s) {
			return fmt.Errorf("there is no stage %q; there are %s", s, strings.Join(stageNames(), ", "))
		}
	}
	all, err := dialects(hub, modules, nodeIn(modules))
	if err != nil {
		return err
	}
	if a.before != "" {
		if all, err = withBefore(all, a.before, modules); err != nil {
			return err
		}
	}
	if all, err = chosen(all, only, func(d *dialect) string { return d.name }); err != nil {
		return err
	}
	c, err := startChromium(ctx, modules, false, 0)
	if err != nil {
		return err
	}
	defer c.close()
	if c.ten, err = filepath.Abs(a.ten); err != nil {
		return err
	}
	begun, at := time.Now(), load()
	columns, notes, failed := a.operate(ctx, c, all, stages)
	if len(columns) == 0 {
		return failed
	}
	fmt.Printf("%s; %s, headless, Node %s; at most %d of each operation; %d processors, load before %s; took %s\n\n",
		begun.UTC().Format("2006-01-02 15:04 MST"),
		c.version(), nodeVersion(modules), a.rounds, runtime.NumCPU(), at, time.Since(begun).Round(time.Second))
	write(os.Stdout, a.operatedRows(), columns)
	if len(notes) > 0 {
		fmt.Println()
	}
	for _, n := range notes {
		fmt.Println("- " + n)
	}
	if a.svg == "" {
		return failed
	}
	file, err := os.Create(a.svg)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, drawOperated(file, columns), file.Close())
}
