package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"webmcphub/bench/storm"
)

// table prints results side by side, one scenario a line.
func table(w io.Writer, results []*storm.Result) error {
	if len(results) == 0 {
		return nil
	}
	fmt.Fprintf(w, "%s, %s\n%s\n\n", results[0].Date.Format("2006-01-02 15:04 MST"), results[0].Machine,
		cpuNote(results[0]))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "scenario\tchanges\t/s\ttold\tknown p50\tp99\tright after\tlost\tCPU s\tµs/change\tallocs\tpeak "+
		"RSS\tgoroutines\tcall p50\tp99\tin quiet p50\tp99\t")
	fmt.Fprintln(t, "\t\t\t\tms\tms\tms\t\t\t\t/change\tMiB\tmost\tms\tms\tms\tms\t")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%d\t%s\t%s\t%.1f\t%d\t%s\t%.1f\t%.0f\t%.0f\t%d\t%s\t%s\t%s\t%s\t\n",
			r.Scenario.Name, r.Changes, r.ChangesPerSecond, r.Notifications,
			ms(r.KnownP50), ms(r.KnownP99), r.RightAfterMS, r.Lost, cpuOf(r), r.CPUPerChange, r.AllocsPerChange,
			r.PeakRSSMiB, r.GoroutinesPeak,
			ms(r.CallP50), ms(r.CallP99), ms(r.QuietP50), ms(r.QuietP99))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if extra := extra(r); extra != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Scenario.Name, extra)
		}
		for _, f := range r.Failures {
			fmt.Fprintf(w, "%s: FAILED: %s\n", r.Scenario.Name, f)
		}
	}
	return nil
}

func cpuNote(r *storm.Result) string {
	switch {
	case r.Runtime != storm.Fake && !r.Apart:
		return "CPU, allocations, memory and goroutines are those of the whole process: the bare client and what " +
			"drives the pages; CPU / Chrome's, and the ratio"
	case r.Runtime != storm.Fake:
		return "CPU, allocations, memory and goroutines are the hub's own process; CPU / Chrome's, and the ratio"
	case r.Apart:
		return "CPU, allocations, memory and goroutines are the hub's own process, at a fake Chrome over a websocket"
	}
	return "CPU, allocations, memory and goroutines are of the whole process: hub, fake Chrome, pages and clients"
}

func cpuOf(r *storm.Result) string {
	if r.BrowserCPU == 0 {
		return fmt.Sprintf("%.2f", r.CPUSeconds)
	}
	return fmt.Sprintf("%.2f / %.2f = %.0f %%", r.CPUSeconds, r.BrowserCPU, 100*r.CPUShare)
}

func ms(v float64) string {
	switch {
	case v < 0:
		return "–"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// extra says what has no column.
func extra(r *storm.Result) string {
	parts := []string{fmt.Sprintf("all listed after %.0f ms; heap at rest %.1f to %.1f MiB, goroutines %d to %d",
		r.ReadyMS, r.HeapBeforeMiB, r.HeapAfterMiB, r.GoroutinesBefore, r.GoroutinesAfter)}
	if r.HubP50 >= 0 {
		parts = append(parts, fmt.Sprintf("in the catalog after %s ms, p99 %s", ms(r.HubP50), ms(r.HubP99)))
	}
	parts = append(parts, fmt.Sprintf("%d lists, %.0f MiB", r.Lists, r.ListMiB))
	if want := r.Scenario.Rate; want > 0 && r.Scenario.Ops == 0 && r.ChangesPerSecond < 0.9*want {
		parts = append(parts, fmt.Sprintf("%.0f changes a second were too many for this machine, so times are those "+
			"of a backlog", want))
	}
	if r.DeafBacklog >= 0 {
		parts = append(parts, fmt.Sprintf("the deaf client found %d notifications", r.DeafBacklog))
	}
	return strings.Join(parts, "; ")
}
