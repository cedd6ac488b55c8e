package live

import (
	"fmt"
	"time"
)

// Timeline is what happened in a tab, on one axis.
type Timeline struct {
	Lanes []Lane
	Marks []Mark
	Ticks []Tick
}

// Tick is a time on the axis.
type Tick struct {
	X    int
	Text string
}

// Lane is the line for one kind of moments.
type Lane struct {
	Name string
	Y    int
}

// Mark is one moment. Its position is in a drawing of 1000 by 150.
type Mark struct {
	Kind        string
	X, Y, Width int
	Text        string
}

var lanes = []struct {
	kind Kind
	name string
}{{Navigation, "navigation"}, {Tools, "tools"}, {CallMade, "calls"}, {Dialog, "dialogs"}}

const (
	axisFrom, axisTo = 150, 1000
	ticks            = 5 // on the axis
	laneHeight       = 30
)

// Label returns the moment's text, and says how many other moments it stands for.
func (m Moment) Label() string {
	if m.More == 0 {
		return m.Text
	}
	return fmt.Sprintf("%s (and %d more until %s)", m.Text, m.More, m.end().Local().Format("15:04:05"))
}

// Timeline returns the timeline of the chosen tab, for the filter's span until now.
func (p Page) Timeline() (t Timeline) {
	y := map[Kind]int{}
	for i, l := range lanes {
		y[l.kind] = laneHeight * (i + 1)
		t.Lanes = append(t.Lanes, Lane{l.name, y[l.kind]})
	}
	from := p.Now.Add(-p.Filter.Span)
	layout := "15:04"
	if p.Filter.Span < 10*time.Minute {
		layout = "15:04:05"
	}
	for i := range ticks {
		when := from.Add(p.Filter.Span * time.Duration(i) / ticks)
		t.Ticks = append(t.Ticks, Tick{axisFrom + (axisTo-axisFrom)*i/ticks, when.Local().Format(layout)})
	}
	at := func(when time.Time) int {
		return axisFrom + int(float64(axisTo-axisFrom)*float64(max(0,
			min(when.Sub(from), p.Filter.Span)))/float64(p.Filter.Span))
	}
	for _, m := range p.Past {
		until := m.Until
		switch {
		case m.Running:
			until = p.Now
		case until.IsZero():
			until = m.At
		}
		if until.Before(from) {
			continue
		}
		x := min(at(m.At), axisTo-4)
		t.Marks = append(t.Marks, Mark{Kind: string(m.Kind), X: x, Y: y[m.Kind] - 8, Width: max(4, at(until)-x),
			Text: m.At.Local().Format("15:04:05.000") + " " + m.Label()})
	}
	return t
}
