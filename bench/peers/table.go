package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A column is a server's.
type column struct {
	title  string
	rounds []values
}

// medians of all rounds. A figure that a round lacks isn't known.
func (c *column) medians() values {
	if len(c.rounds) == 0 {
		return nil
	}
	all := values{}
	for f := range c.rounds[0] {
		var got []float64
		for _, r := range c.rounds {
			if v, ok := r[f]; ok {
				got = append(got, v)
			}
		}
		if len(got) == len(c.rounds) {
			all[f] = quantile(got, 0.5)
		}
	}
	return all
}

// quantile gives the smallest value that at least the share q does not exceed.
func quantile(of []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// write prints the table.
func write(w io.Writer, rows []row, columns []*column) {
	titles := []string{""}
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(titles)
	line(slices.Repeat([]string{"---"}, len(titles)))
	for _, r := range rows {
		cells := []string{r.title}
		for _, c := range columns {
			cells = append(cells, r.show(c.medians()))
		}
		line(cells)
	}
}

// writeNews prints the rows of one server that have changed, a line each.
func writeNews(w io.Writer, rows []row, before, now values) {
	for _, r := range rows {
		if is := r.show(now); is != r.show(before) {
			fmt.Fprintf(w, "  %s: %s\n", r.title, is)
		}
	}
}
