package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Figures of the servers that operate pages; those of an op are made by [opP50], those of a crowd by [clicksOf].
const (
	cpuOfAll  figure = "CPU of all ops"
	wrongOnes figure = "wrong successes"
	wrongOf   figure = "hostile acts"
	rssInUse  figure = "RSS in use"
)

// stages are measured one after the other, each with a server that has just started.
var stages = []struct {
	name string
	run  func(st *stand, ctx context.Context) error
}{
	{"tools", (*stand).lists},
	{"ops", (*stand).ops},
	{"at-once", (*stand).atOnce},
	{"hostile", (*stand).hostilePages},
	{"memory", (*stand).inUse},
}

// compareAutomation measures how servers operate pages, and prints the table. What fails has no figure, and doesn't
// keep the rest from being measured: the error says what it was.
func compareAutomation(ctx context.Context, c *chromium, all []*peer, rounds int) (failed error) {
	var columns []*column
	for _, at := range all {
		v := values{}
		for _, stage := range stages {
			begun := time.Now()
			if _, err := c.alone(ctx, c.light); err != nil {
				return err
			}
			err := at.serve(ctx, c, at.automationFlags, v, func(st *stand) error {
				st.rounds = rounds
				return stage.run(st, ctx)
			})
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", stage.name, err))
			}
			fmt.Fprintf(os.Stderr, "%s, %s: %.1f s\n", at.name, stage.name, time.Since(begun).Seconds())
		}
		columns = append(columns, &column{at.title + " " + at.version, []values{v}})
	}
	bare, err := bareOps(ctx, c, rounds)
	if err != nil {
		failed = errors.Join(failed, fmt.Errorf("bare: %w", err))
	}
	write(os.Stdout, automationRows(), append(columns, &column{bareTitle, []values{bare}}))
	return failed
}

// automationRows are the table of servers that operate pages.
func automationRows() []row {
	var all []row
	for _, tr := range trials {
		all = append(all, row{fmt.Sprintf("`%s`, p50, ms", tr.op), opP50(tr.op), precise(opP50(tr.op))})
	}
	for _, n := range crowds {
		all = append(all, row{fmt.Sprintf("clicks a second, tabs at once: %d; to %d × the rate of one", n, n), clicksOf(n),
			func(v values) string {
				return fmt.Sprintf("%s; %.2f", precise(clicksOf(n))(v), v[clicksOf(n)]/v[clicksOf(1)]/float64(n))
			}})
	}
	for _, n := range crowds {
		all = append(all, row{fmt.Sprintf("processor time of a click in %d at once, ms: Chrome's; the server's", n),
			chromeCPU(n), func(v values) string {
				if !has(v, serverCPU(n)) {
					return precise(chromeCPU(n))(v)
				}
				return precise(chromeCPU(n))(v) + "; " + precise(serverCPU(n))(v)
			}})
	}
	return append(all,
		row{"processor time of an action, ms", cpuOfAll, precise(cpuOfAll)},
		row{"success claimed falsely on hostile pages", wrongOnes,
			func(v values) string { return fmt.Sprintf("%.0f of %.0f", v[wrongOnes], v[wrongOf]) }},
		listRow,
		row{"… those with one of the 26 names: tools; tokens, about", sameTools,
			func(v values) string { return fmt.Sprintf("%.0f; %s", v[sameTools], thousands(v[sameTokens])) }},
		row{fmt.Sprintf("memory (RSS of all its processes) with %d tabs in use, MiB", tabsInUse), rssInUse,
			whole(rssInUse)},
	)
}

// look takes a snapshot of a tab, and gives the server's name of an element there.
func (st *stand) look(ctx context.Context, page int, name string) (string, error) {
	r, err := st.at.dialect.must(ctx, st.s, opSnapshot, aim{page: page})
	if err != nil {
		return "", err
	}
	return st.at.dialect.find(r.text, name)
}
