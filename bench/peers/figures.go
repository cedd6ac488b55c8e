package main

import (
	"fmt"
	"math"
)

// A figure is what one row is about.
type figure string

const (
	firstList   figure = "first list"
	firstTool   figure = "first tool"
	ownTools    figure = "own tools"
	ownBytes    figure = "own bytes"
	pageBytes   figure = "page bytes"
	callP50     figure = "call p50"
	callP99     figure = "call p99"
	told        figure = "told"
	knownMS     figure = "known"
	listedTools figure = "listed"
	askedTools  figure = "asked"
	rssOne      figure = "RSS, one tab"
	rssMany     figure = "RSS, many tabs"
	ends        figure = "ends"
)

// A row of the table. Of a figure that is missing, it has a dash.
type row struct {
	title string
	show  func(v values) string
}

// values are medians of what was measured of one server.
type values map[figure]float64

// never marks a time that was not reached.
var never = math.Inf(1)

func rows(tabs int) []row {
	return []row{
		{"start to the first answer of `tools/list`, ms", whole(firstList)},
		{"start until the tools of a page that is open can be called, ms", whole(firstTool)},
		{"`tools/list` without pages' tools: tools; bytes; tokens, about", func(v values) string {
			if _, ok := v[ownBytes]; !ok {
				return dash
			}
			return fmt.Sprintf("%.0f; %s; %s", v[ownTools], thousands(v[ownBytes]), thousands(tokensIn(v[ownBytes])))
		}},
		{fmt.Sprintf("… what a page of %d tools adds: bytes; tokens, about", toolsOfAPage), func(v values) string {
			if v[pageBytes] == 0 {
				return dash
			}
			return fmt.Sprintf("%s; %s", thousands(v[pageBytes]), thousands(tokensIn(v[pageBytes])))
		}},
		{"call of a page's tool, p50; p99, ms", func(v values) string {
			if _, ok := v[callP50]; !ok {
				return dash
			}
			return millis(v[callP50]) + "; " + millis(v[callP99])
		}},
		{fmt.Sprintf("%d tabs with %d tools each: tools in `tools/list`", tabs, tabs*toolsOfAPage/tabs),
			func(v values) string {
				n, ok := v[listedTools]
				if !ok {
					return dash
				}
				text := fmt.Sprintf("%.0f of %d", n, tabs*toolsOfAPage)
				if asked, ok := v[askedTools]; ok {
					text += fmt.Sprintf("; %.0f by asking for each tab", asked)
				}
				return text
			}},
		{"a page registers a tool: how many `list_changed`", whole(told)},
		{"… until `tools/list` has it, p50, ms", func(v values) string {
			switch n, ok := v[knownMS]; {
			case !ok:
				return dash
			case n == never:
				return "not before the agent's next call"
			default:
				return millis(n)
			}
		}},
		{"memory (RSS of all its processes) with one tab, MiB", whole(rssOne)},
		{fmt.Sprintf("… with %d tabs", tabs), whole(rssMany)},
		{"end of stdin until it has ended, ms", whole(ends)},
	}
}

const dash = "–"

func whole(f figure) func(values) string {
	return func(v values) string {
		n, ok := v[f]
		switch {
		case !ok:
			return dash
		case n == never:
			return "never"
		}
		return thousands(n)
	}
}

// tokensIn estimates: 4 bytes of JSON are about one.
func tokensIn(bytes float64) float64 { return bytes / 4 }

func millis(ms float64) string {
	if ms < 10 {
		return fmt.Sprintf("%.2f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// thousands has a comma before each three digits.
func thousands(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
