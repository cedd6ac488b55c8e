package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"time"

	"webmcphub/bench/storm"
	"webmcphub/bench/storm/report"
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
	if f.PlotTradeoff != "" {
		return f.tradeoff(ctx, all[0], o, line)
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
	if err := report.Table(os.Stdout, results); err != nil {
		return err
	}
	if err := toFile(f.JSON, func(w io.Writer) error { return report.JSON(w, results) }); err != nil {
		return err
	}
	if err := toFile(f.SVG, func(w io.Writer) error { return report.Plot(w, results) }); err != nil {
		return err
	}
	if failed {
		return errFailed
	}
	return nil
}

func (f *flags) options() storm.Options {
	return storm.Options{Runtime: f.Runtime, Kind: f.Hub, Apart: f.Apart,
		Tuning: storm.Tuning{NotifyInterval: f.NotifyInterval, Settle: f.Settle}, Bundle: f.Bundle}
}

// intervals and settles are what --plot-tradeoff compares.
var (
	intervals = []time.Duration{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
		20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}
	settles = []time.Duration{0, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond}
)

// tradeoff runs one scenario at several flush intervals, and render at several
// times to settle.
func (f *flags) tradeoff(ctx context.Context, s storm.Scenario, o storm.Options, line *terminal.Line) error {
	render, err := storm.Named("render", storm.Fake)
	if err != nil {
		return err
	}
	given(f.Duration, &render.Duration)
	var all, byInterval, bySettle []*storm.Result
	one := func(s storm.Scenario, t storm.Tuning, name string, to *[]*storm.Result) error {
		s.Name, o.Tuning = s.Name+", "+name, t
		r, err := storm.Run(ctx, s, o)
		line.Clear()
		if err != nil {
			return err
		}
		*to, all = append(*to, r), append(all, r)
		return nil
	}
	for _, interval := range intervals {
		if err := one(s, storm.Tuning{NotifyInterval: interval, Settle: f.Settle}, fmt.Sprint("interval ", interval),
			&byInterval); err != nil {
			return err
		}
	}
	for _, settle := range settles {
		if err := one(render, storm.Tuning{NotifyInterval: f.NotifyInterval, Settle: settle},
			fmt.Sprint("settle ", settle), &bySettle); err != nil {
			return err
		}
	}
	if err := report.Table(os.Stdout, all); err != nil {
		return err
	}
	return toFile(f.PlotTradeoff, func(w io.Writer) error { return report.Tradeoff(w, byInterval, bySettle) })
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

// toFile writes a file, if it has a name.
func toFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return file.Close()
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
	if f.options().OwnProcess() {
		return err
	}
	if e := toFile(f.MemProfile, func(w io.Writer) error { return pprof.Lookup("allocs").WriteTo(w, 0) }); err == nil {
		err = e
	}
	return err
}
