package main

import (
	"fmt"
	"io"
	"strings"

	"webmcphub/bench/storm/report"
)

// Figures of the servers that operate pages; those of an op are made by [opP50], those of
// a crowd by [clicksOf], those of a page by [sizeOf].
const (
	cpuOfAll       figure = "CPU of all ops"
	wrongOnes      figure = "wrong successes"
	wrongOf        figure = "hostile acts"
	confusions     figure = "confusions"
	agentRounds    figure = "agents' rounds"
	focusStolen    figure = "focus stolen"
	focusActions   figure = "actions behind"
	allTools       figure = "tools"
	allBytes       figure = "bytes of tools"
	allTokens      figure = "tokens of tools"
	sameTools      figure = "tools of the 26"
	sameBytes      figure = "bytes of the 26"
	sameTokens     figure = "tokens of the 26"
	snapshotBytes  figure = "bytes of snapshots"
	snapshotTokens figure = "tokens of snapshots"
	wholeBytes     figure = "bytes of whole snapshots"
	wholeTokens    figure = "tokens of whole snapshots"
	labelsThere    figure = "labels there"
	labelsOf       figure = "labels"
	controlsThere  figure = "controls there"
	rssInUse       figure = "RSS in use"
)

// impossible marks confusions of a server that has one client only.
const impossible = -1

// operatedRows are the table of servers that operate pages.
func (o operating) operatedRows() []row {
	var all []row
	add := func(title string, needs figure, show func(v values) string) {
		all = append(all, row{title, func(v values) string {
			if _, ok := v[needs]; !ok {
				return dash
			}
			return show(v)
		}})
	}
	for _, tr := range trials {
		add(fmt.Sprintf("`%s`, p50; p99, ms", tr.op), opP50(tr.op),
			func(v values) string { return millis(v[opP50(tr.op)]) + "; " + millis(v[opP99(tr.op)]) })
	}
	add("clicks a second in one tab", clicksOf(1), func(v values) string { return rate(v[clicksOf(1)]) })
	for _, n := range crowds[1:] {
		add(fmt.Sprintf("… in %d tabs at once, to %d × the rate of one", n, n), clicksOf(n), func(v values) string {
			return fmt.Sprintf("%s; %.2f", rate(v[clicksOf(n)]), v[clicksOf(n)]/v[clicksOf(1)]/float64(n))
		})
	}
	for _, n := range crowds {
		add(fmt.Sprintf("processor time of a click in %d at once, ms: the server's; Chrome's; of all processors, busy",
			n), chromesShare(n), func(v values) string {
			its := dash
			if used, ok := v[serversShare(n)]; ok {
				its = millis(used)
			}
			return fmt.Sprintf("%s; %s; %.2f", its, millis(v[chromesShare(n)]), v[busyIn(n)])
		})
	}
	of := func(got, all figure) func(v values) string {
		return func(v values) string { return fmt.Sprintf("%.0f of %.0f", v[got], v[all]) }
	}
	add("wrong successes on hostile pages", wrongOnes, of(wrongOnes, wrongOf))
	add("confusions of tabs, two agents, rounds", confusions, func(v values) string {
		if v[confusions] == impossible {
			return "not possible: one client"
		}
		return of(confusions, agentRounds)(v)
	})
	add("actions that took the front from the person's tab", focusStolen, of(focusStolen, focusActions))
	sized := func(v values, bytes, tokens figure) string { return thousands(v[bytes]) + "; " + thousands(v[tokens]) }
	add("`tools/list`: tools; bytes; tokens, about", allBytes,
		func(v values) string { return fmt.Sprintf("%.0f; %s", v[allTools], sized(v, allBytes, allTokens)) })
	add("… those with one of the 26 names", sameBytes,
		func(v values) string { return fmt.Sprintf("%.0f; %s", v[sameTools], sized(v, sameBytes, sameTokens)) })
	add("snapshots of ten pages, as they come: bytes; tokens, about", snapshotBytes,
		func(v values) string { return sized(v, snapshotBytes, snapshotTokens) })
	add("… whole, without a budget", wholeBytes, func(v values) string { return sized(v, wholeBytes, wholeTokens) })
	add("… controls in view whose name they have", labelsOf, of(labelsThere, labelsOf))
	add("… and have as a control, not only as text", labelsOf, of(controlsThere, labelsOf))
	for _, page := range tenPages {
		add(fmt.Sprintf("… of `%s`: bytes; tokens, about; controls in view", page), sizeOf(page),
			func(v values) string {
				return fmt.Sprintf("%s; %s; %.0f", thousands(v[sizeOf(page)]), thousands(v[tokensOf(page)]),
					v[controlsOf(page)])
			})
	}
	add(fmt.Sprintf("memory (RSS of all its processes) with %d tabs in use, MiB", o.tabs), rssInUse, whole(rssInUse))
	add("processor time of an action, all of the above, ms", cpuOfAll,
		func(v values) string { return millis(v[cpuOfAll]) })
	for _, o := range []op{opClick, opSnapshot} {
		add(fmt.Sprintf("… of `%s`", o), opCPU(o), func(v values) string { return millis(v[opCPU(o)]) })
	}
	return all
}

func rate(n float64) string {
	if n < 10 {
		return fmt.Sprintf("%.1f", n)
	}
	return thousands(n)
}

// drawOperated draws what the table says of times, rates and snapshots, as SVG.
func drawOperated(w io.Writer, columns []*column) error {
	var ops, tabs []string
	for _, tr := range trials {
		ops = append(ops, string(tr.op))
	}
	for _, n := range crowds {
		tabs = append(tabs, fmt.Sprint(n))
	}
	charts := []report.Chart{
		{Title: "Time of an operation: p50, and the line to p99", Unit: "ms", Names: ops},
		{Title: "Clicks a second in so many tabs at once", Unit: "1/s", Names: tabs},
		{Title: "Snapshots of ten pages", Unit: "tokens, about", Names: tenPages},
	}
	for _, c := range columns {
		v := c.medians()
		if v == nil {
			continue
		}
		name, _, _ := strings.Cut(c.title, ":")
		series := make([]report.Series, len(charts))
		for i := range series {
			series[i].Name = name
		}
		for _, tr := range trials {
			series[0].Values = append(series[0].Values, v[opP50(tr.op)])
			series[0].Upper = append(series[0].Upper, v[opP99(tr.op)])
		}
		for _, n := range crowds {
			series[1].Values = append(series[1].Values, v[clicksOf(n)])
		}
		for _, page := range tenPages {
			series[2].Values = append(series[2].Values, v[tokensOf(page)])
		}
		for i := range charts {
			charts[i].Series = append(charts[i].Series, series[i])
		}
	}
	return report.Compare(w, charts)
}
