package report

import (
	"fmt"
	"image/color"
	"io"

	"webmcphub/bench/storm"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	tileWidth  = 16 * vg.Centimeter
	tileHeight = 10 * vg.Centimeter
)

// Plot draws results as SVG: how soon clients know, what a change costs, calls
// in quiet and in the storm, and memory.
func Plot(w io.Writer, results []*storm.Result) error {
	known, err := knownPlot(results)
	if err != nil {
		return err
	}
	cost, err := barPlot("Processor time of a change, µs", results,
		bar{"", func(r *storm.Result) float64 { return r.CPUPerChange }})
	if err != nil {
		return err
	}
	calls, err := barPlot("Calls, p99 in ms", called(results),
		bar{"in quiet", func(r *storm.Result) float64 { return r.QuietP99 }},
		bar{"in the storm", func(r *storm.Result) float64 { return r.CallP99 }})
	if err != nil {
		return err
	}
	memory, err := barPlot("Peak RSS, MiB", results, bar{"", func(r *storm.Result) float64 { return r.PeakRSSMiB }})
	if err != nil {
		return err
	}
	return tiles(w, [][]*plot.Plot{{known, cost}, {calls, memory}})
}

// Tradeoff draws what the flush interval and the time to settle trade: how
// soon clients know against how often they are told. The first results differ in
// their Interval, the second in their Settle.
func Tradeoff(w io.Writer, byInterval, bySettle []*storm.Result) error {
	told := line{"", func(r *storm.Result) float64 { return float64(r.Notifications) / float64(max(1, r.Changes)) }}
	interval := axis{"--notify-interval, ms", func(r *storm.Result) float64 { return r.Interval }}
	settle := axis{"--settle, ms (0 at the left edge)", func(r *storm.Result) float64 { return max(1, r.Settle) }}
	rows := make([][]*plot.Plot, 2)
	for _, p := range []struct {
		row         int
		title, unit string
		by          axis
		results     []*storm.Result
		lines       []line
	}{
		{0, "From a change to a client's knowledge of it", "ms", interval, byInterval, []line{
			{"median", func(r *storm.Result) float64 { return r.KnownP50 }},
			{"p99", func(r *storm.Result) float64 { return r.KnownP99 }}}},
		{0, "Notifications per change", "", interval, byInterval, []line{told}},
		{1, "From the last change, a removal, to the right list", "ms", settle, bySettle, []line{
			{"", func(r *storm.Result) float64 { return r.RightAfterMS }}}},
		{1, "Notifications per change", "", settle, bySettle, []line{told}},
	} {
		drawn, err := tunedPlot(p.title, p.unit, p.by, p.results, p.lines...)
		if err != nil {
			return err
		}
		rows[p.row] = append(rows[p.row], drawn)
	}
	return tiles(w, rows)
}

// tiles draws plots in rows.
func tiles(w io.Writer, rows [][]*plot.Plot) error {
	columns := len(rows[0])
	canvas := vgsvg.New(vg.Length(columns)*tileWidth, vg.Length(len(rows))*tileHeight)
	grid := draw.Tiles{Rows: len(rows), Cols: columns, PadX: vg.Centimeter, PadY: vg.Centimeter,
		PadTop: vg.Millimeter, PadBottom: vg.Millimeter, PadLeft: vg.Millimeter, PadRight: vg.Millimeter}
	for i, canvases := range plot.Align(rows, grid, draw.New(canvas)) {
		for j, c := range canvases {
			rows[i][j].Draw(c)
		}
	}
	_, err := canvas.WriteTo(w)
	return err
}

// knownPlot draws, for each result, which share of changes was known after
// which time.
func knownPlot(results []*storm.Result) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "From a change to a client's knowledge of it"
	p.X.Label.Text, p.Y.Label.Text = "ms", "share of changes known, %"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	drawn := false
	for i, r := range results {
		var points plotter.XYs
		for share, v := range r.KnownPercentiles {
			points = append(points, plotter.XY{X: max(v, 0.01), Y: float64(share)})
		}
		if len(points) == 0 {
			continue
		}
		l, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		l.Color, l.Dashes = plotutil.Color(i), plotutil.Dashes(i/7)
		p.Add(l)
		p.Legend.Add(r.Scenario.Name, l)
		drawn = true
	}
	if !drawn {
		p.X.Min, p.X.Max = 0.1, 100 // an empty logarithmic axis can't be drawn
	}
	return p, nil
}

// bar is one figure of each result.
type bar struct {
	name  string
	value func(*storm.Result) float64
}

func barPlot(title string, results []*storm.Result, bars ...bar) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.Y.Min = 0
	p.Legend.Top = true
	grid := plotter.NewGrid()
	grid.Vertical.Color = color.Transparent
	p.Add(grid)
	width := vg.Length(float64(tileWidth) * 0.6 / float64(max(1, len(results)*len(bars))))
	width = min(width, vg.Centimeter)
	var names []string
	for _, r := range results {
		names = append(names, r.Scenario.Name)
	}
	if len(results) == 0 {
		return p, nil
	}
	for i, b := range bars {
		var values plotter.Values
		for _, r := range results {
			values = append(values, max(0, b.value(r)))
		}
		chart, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		chart.Color, chart.LineStyle.Width = plotutil.Color(i), 0
		chart.Offset = width * vg.Length(float64(i)-float64(len(bars)-1)/2)
		p.Add(chart)
		if b.name != "" {
			p.Legend.Add(b.name, chart)
		}
	}
	p.NominalX(names...)
	return p, nil
}

// called are the results with calls.
func called(results []*storm.Result) (some []*storm.Result) {
	for _, r := range results {
		if r.Calls > 0 {
			some = append(some, r)
		}
	}
	return some
}

// axis is what results differ in.
type axis struct {
	name  string
	value func(*storm.Result) float64
}

// line is one figure over that.
type line struct {
	name  string
	value func(*storm.Result) float64
}

func tunedPlot(title, unit string, by axis, results []*storm.Result, lines ...line) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text, p.Y.Label.Text = by.name, unit
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min = 0
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		var points plotter.XYs
		for _, r := range results {
			points = append(points, plotter.XY{X: by.value(r), Y: max(0, l.value(r))})
		}
		drawn, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", title, err)
		}
		drawn.Color, dots.Color = plotutil.Color(i), plotutil.Color(i)
		p.Add(drawn, dots)
		if l.name != "" {
			p.Legend.Add(l.name, drawn, dots)
		}
	}
	return p, nil
}
