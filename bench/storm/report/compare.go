package report

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Chart compares several programs by several values, on a logarithmic scale.
type Chart struct {
	Title, Unit string
	Names       []string // of the values
	Series      []Series // of the programs
}

// Series are one program's values. One that isn't above 0 is unknown, and not drawn.
type Series struct {
	Name   string
	Values []float64
	Upper  []float64 // up to where a line is drawn from each value, or nil
}

// Compare draws charts side by side as SVG.
func Compare(w io.Writer, charts []Chart) error {
	var row []*plot.Plot
	for _, c := range charts {
		p, err := c.plot()
		if err != nil {
			return err
		}
		row = append(row, p)
	}
	return tiles(w, [][]*plot.Plot{row})
}

func (c Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = c.Title, c.Unit
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	drawn := false
	for i, s := range c.Series {
		aside := (float64(i) - float64(len(c.Series)-1)/2) * 0.12
		var dots plotter.XYs
		for at, v := range s.Values {
			if v <= 0 {
				continue
			}
			x := float64(at) + aside
			dots = append(dots, plotter.XY{X: x, Y: v})
			if at >= len(s.Upper) || s.Upper[at] <= v {
				continue
			}
			up, err := plotter.NewLine(plotter.XYs{{X: x, Y: v}, {X: x, Y: s.Upper[at]}})
			if err != nil {
				return nil, err
			}
			up.Color = plotutil.Color(i)
			p.Add(up)
		}
		if len(dots) == 0 {
			continue
		}
		points, err := plotter.NewScatter(dots)
		if err != nil {
			return nil, err
		}
		points.Color, points.Shape, points.Radius = plotutil.Color(i), draw.CircleGlyph{}, vg.Points(3)
		p.Add(points)
		p.Legend.Add(s.Name, points)
		drawn = true
	}
	if !drawn {
		p.Y.Min, p.Y.Max = 0.1, 100 // an empty logarithmic axis can't be drawn
	}
	p.Y.Max *= 8 // for the legend
	p.NominalX(c.Names...)
	p.X.Min, p.X.Max = -0.5, float64(len(c.Names))-0.5
	p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0.5, draw.XRight, draw.YCenter
	return p, nil
}
