package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"webmcphub/bench/machine"
	"webmcphub/bench/storm"
)

// figures are in the order of the table.
var figures = []figure{
	{"changes a second, 100 pages, the right list at the end", "≥ 200,000", "go -C bench run ./cmd/storm --scenario " +
		"all-mad --duration 5s",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "all-mad", storm.Options{Runtime: storm.Fake}, lasting(5*time.Second))
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%.0f; lost %d; right after %.0f ms; %.1f µs CPU a change, fake included",
				r.ChangesPerSecond, r.Lost, r.RightAfterMS, r.CPUPerChange), nil
		}},
	{"the same, the hub in a process of its own with half of the cores", "–", "go -C bench run ./cmd/storm " +
		"--scenario all-mad --duration 5s --apart",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "all-mad", storm.Options{Runtime: storm.Fake, Apart: true}, lasting(5*time.Second))
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%.0f; %.1f µs CPU and %.0f allocations a change", r.ChangesPerSecond, r.CPUPerChange,
				r.AllocsPerChange), nil
		}},
	{"cost of a change, 1,000 pages to 10", "≤ 1.5 ×", "go -C bench test -run '^$' -bench Scale -benchtime 3x ./storm",
		scale},
	{"no-op flip-flop", "no notification, 0 allocations in the catalog", "go test -run '^$' -bench StepFlipFlop " +
		"-benchmem ./registry",
		benched("./registry", "StepFlipFlop$")},
	{"hub's share of Chromium's CPU: 16 pages change", "≤ 10 %", "go -C bench run ./cmd/storm --scenario all-mad " +
		"--runtime native", share("all-mad")},
	{"hub's share: 20 tabs reload", "≤ 10 %", "go -C bench run ./cmd/storm --scenario reload --runtime native",
		share("reload")},
	{"hub's share: now and then a change", "≤ 10 %", "go -C bench run ./cmd/storm --scenario trickle --runtime native",
		share("trickle")},
	{"calls in a storm of all pages, p99 to quiet", "≤ 3 ×", "go -C bench run ./cmd/storm --scenario calls " +
		"--runtime native", calls("calls")},
	{"calls beside one mad page, p50 and p99 to quiet", "≤ 1.2 ×", "go -C bench run ./cmd/storm --scenario one-mad " +
		"--runtime native", calls("one-mad")},
	{"tools/list, 20,000 tools whole", "≤ 60 ms", "go test -run '^$' -bench ListFirst ./mcpserver",
		benched("./mcpserver", "ListFirst$")},
	{"… a page of 200 of them", "≤ 2 ms", "go test -run '^$' -bench ListPage ./mcpserver",
		benched("./mcpserver", "ListPage$")},
	{"… again, unchanged", "next to nothing", "go test -run '^$' -bench ListAgain ./mcpserver",
		benched("./mcpserver", "ListAgain$")},
	{"a flush beside a client that lists all the time", "never waits",
		"go test -run '^$' -bench ListBesideFlush ./mcpserver", benched("./mcpserver", "ListBesideFlush$")},
	{"RSS with 1,000 pages × 20 tools standing", "≤ 300 MiB", "go -C bench run ./cmd/storm --scenario standing " +
		"--apart --duration 5s",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "standing", storm.Options{Runtime: storm.Fake, Apart: true}, lasting(5*time.Second))
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("peak %.0f MiB, %.0f in use", r.PeakRSSMiB, r.HeapAfterMiB), nil
		}},
	{"10,000 tabs opened and closed", "heap and goroutines flat",
		"go -C bench run ./cmd/storm --scenario churn --apart",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "churn", storm.Options{Runtime: storm.Fake, Apart: true}, nil)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("heap %.1f → %.1f MiB, goroutines %d → %d, RSS at most %.0f MiB", r.HeapBeforeMiB,
				r.HeapAfterMiB, r.GoroutinesBefore, r.GoroutinesAfter, r.PeakRSSMiB), nil
		}},
	{"a client that reads slowly and one that doesn't", "nobody waits, merged, nothing lost",
		"go -C bench run ./cmd/storm --scenario slow-deaf --apart",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "slow-deaf", storm.Options{Runtime: storm.Fake, Apart: true}, nil)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("lost %d; the deaf one found %d notification; the others' list right after %.0f ms",
				r.Lost, r.DeafBacklog, r.RightAfterMS), nil
		}},
	{"a call by the extension, p50 to CDP's in the same run", "≤ 3 ×; p99 ≤ 500 ms",
		"go -C bench test -run '^$' -bench CallByExtension .", benched("./bench", "CallByExtension/native$")},
	{"ten tools of a tab behind another, by the extension", "≤ 100 ms", "go -C bench test -run '^$' -bench " +
		"TenToolsByExtension .", benched("./bench", "TenToolsByExtension/behind$")},
	{"200 tabs on one extension connection", "lost 0", "go -C bench run ./cmd/storm --runtime extension --scenario " +
		"trickle --pages 200 --tools 5 --rate 40 --duration 20s",
		func(ctx context.Context) (string, error) {
			r, err := blow(ctx, "trickle", storm.Options{Runtime: storm.Extension}, func(s *storm.Scenario) {
				s.Pages, s.Tools, s.Rate, s.Duration = 200, 5, 40, 20*time.Second
			})
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("lost %d of %d changes, %.0f a second; right after %.0f ms; hub's RSS at most %.0f MiB",
				r.Lost, r.Changes, r.ChangesPerSecond, r.RightAfterMS, r.PeakRSSMiB), nil
		}},
}

func lasting(d time.Duration) func(*storm.Scenario) {
	return func(s *storm.Scenario) { s.Duration = d }
}

// scale is BenchmarkScale's, of the hub and of a client that only reads the
// same events: their memory alone makes more pages dearer.
func scale(ctx context.Context) (string, error) {
	grown := func(bare bool) (string, error) {
		cost := map[int]float64{}
		for _, pages := range []int{10, 100, 1000} {
			s := storm.Scenario{Name: "scale", Pages: pages, Tools: 10, Audience: storm.Audience{Listless: true},
				Window: 40 * pages, Duration: 3 * time.Second}
			r, err := storm.Run(ctx, s, storm.Options{Bare: bare})
			if err != nil {
				return "", err
			}
			cost[pages] = r.CPUPerChange
		}
		return fmt.Sprintf("%.2f × (%.1f, %.1f and %.1f µs CPU with 10, 100 and 1,000)", cost[1000]/cost[10], cost[10],
			cost[100], cost[1000]), nil
	}
	hub, err := grown(false)
	if err != nil {
		return "", err
	}
	bare, err := grown(true)
	return hub + "; a client that only reads the events: " + bare, err
}

// benched gives what a benchmark prints. Its package is a folder of the repository.
func benched(pkg, pattern string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		in, err := machine.Hub(ctx)
		if err != nil {
			return "", err
		}
		out, err := exec.CommandContext(ctx, "go", "test", "-C", filepath.Join(in, pkg), "-run", "^$", "-bench",
			pattern, "-benchmem", "-benchtime", "1s", ".").CombinedOutput()
		found := benchLine.FindSubmatch(out)
		if err != nil || found == nil {
			return "", fmt.Errorf("go test -bench %s %s: %v: %.300s", pattern, pkg, err, out)
		}
		return strings.Join(strings.Fields(string(found[1])), " "), nil
	}
}

var benchLine = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+(.*)$`)

// share is the hub's processor time in a storm on a real Chromium, of all that
// Chromium's processes used on it.
func share(scenario string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		r, err := blow(ctx, scenario, storm.Options{Runtime: storm.Native}, nil)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%.0f %% (%.2f / %.2f s), %.0f changes/s", 100*r.CPUShare, r.CPUSeconds, r.BrowserCPU,
			r.ChangesPerSecond), nil
	}
}

// calls compares calls in a storm with those before it: by the hub, and by a bare
// client right after, which shows how much of that is Chromium itself.
func calls(scenario string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		hub, err := blow(ctx, scenario, storm.Options{Runtime: storm.Native}, nil)
		if err != nil {
			return "", err
		}
		bare, err := blow(ctx, scenario, storm.Options{Runtime: storm.Native, Bare: true}, nil)
		if err != nil {
			return "", fmt.Errorf("the bare client: %w", err)
		}
		return fmt.Sprintf("%s, hub's share %.0f %%; a bare client: %s", slower(hub), 100*hub.CPUShare, slower(bare)),
			nil
	}
}

// slower says how much slower calls in the storm were than in quiet.
func slower(r *storm.Result) string {
	return fmt.Sprintf("p50 %.2f × (%.1f / %.1f ms), p99 %.2f × (%.1f / %.1f ms)",
		r.CallP50/r.QuietP50, r.CallP50, r.QuietP50, r.CallP99/r.QuietP99, r.CallP99, r.QuietP99)
}
