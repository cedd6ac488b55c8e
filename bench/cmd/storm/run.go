package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"

	"webmcphub/bench/storm"
	"webmcphub/internal/terminal"
)

func (f *flags) run(ctx context.Context) error {
	all, err := f.scenarios()
	if err != nil {
		return err
	}
	o := f.options()
	line := terminal.On(os.Stderr, f.Quiet)
	defer line.Done()
	o.Progress = f.progress(line)
	if o.OwnProcess() {
		o.CPUProfile, o.MemProfile = f.CPUProfile, f.MemProfile
	}
	var results []*storm.Result
	failed := false
	for _, s := range all {
		r, err := storm.Run(ctx, s, o)
		line.Clear()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "storm: %v\n", err)
			failed = true
			continue
		}
		results = append(results, r)
		failed = failed || len(r.Failures) > 0
	}
	if err := table(os.Stdout, results); err != nil {
		return err
	}
	if failed {
		return errFailed
	}
	return nil
}

func (f *flags) options() storm.Options {
	return storm.Options{Runtime: f.Runtime, Bare: f.Bare, Apart: f.Apart, NotifyInterval: f.NotifyInterval}
}

// progress shows how far a storm is.
func (f *flags) progress(line *terminal.Line) func(storm.Progress) {
	if line == nil {
		return nil
	}
	return func(p storm.Progress) {
		what := fmt.Sprintf("%s: %s", p.Scenario, p.Phase)
		if p.Phase == "storm" {
			what = fmt.Sprintf("%s: %d changes, %d told, %d MiB", p.Scenario, p.Changes, p.Notices, p.RSS>>20)
		}
		line.Say(what)
	}
}

// profiled runs f with the profiles that were asked for.
func (f *flags) profiled(do func() error) (err error) {
	if f.CPUProfile != "" && !f.options().OwnProcess() {
		file, err := os.Create(f.CPUProfile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if f.Trace != "" {
		file, err := os.Create(f.Trace)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := trace.Start(file); err != nil {
			return err
		}
		defer trace.Stop()
	}
	err = do()
	if f.MemProfile == "" || f.options().OwnProcess() {
		return err
	}
	file, e := os.Create(f.MemProfile)
	if e != nil {
		return errors.Join(err, e)
	}
	return errors.Join(err, pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}
