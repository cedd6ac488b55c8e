package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"webmcphub/bench/machine"
)

// A figure is what one row is about.
type figure string

// values are what was measured of one server.
type values map[figure]float64

// never marks a time that was not reached.
var never = math.Inf(1)

// A row of the table. A server that lacks the figure has a dash in it.
type row struct {
	title string
	needs figure
	show  func(v values) string
}

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
			all[f] = machine.Quantile(got, 0.5)
		}
	}
	return all
}

// write prints the table.
func write(w io.Writer, rows []row, columns []*column) {
	titles := []string{""}
	for _, c := range columns {
		titles = append(titles, c.title)
	}
	writeLine(w, titles)
	writeLine(w, slices.Repeat([]string{"---"}, len(titles)))
	for _, r := range rows {
		cells := []string{r.title}
		for _, c := range columns {
			cell := dash
			if v := c.medians(); has(v, r.needs) {
				cell = r.show(v)
			}
			cells = append(cells, cell)
		}
		writeLine(w, cells)
	}
}

func writeLine(w io.Writer, cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

func has(v values, f figure) bool {
	_, ok := v[f]
	return ok
}

const dash = "–"

// whole shows a number without a fraction.
func whole(f figure) func(values) string {
	return func(v values) string {
		if v[f] == never {
			return "never"
		}
		return thousands(v[f])
	}
}

// precise shows milliseconds, or a rate, with digits where it is small.
func precise(f figure) func(values) string {
	return func(v values) string {
		if v[f] < 10 {
			return fmt.Sprintf("%.2f", v[f])
		}
		return thousands(v[f])
	}
}

// thousands has a comma before each three digits.
func thousands(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
