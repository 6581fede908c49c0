// Package plots draws figures so that everybody can read them: colours that the colour-blind can tell apart, a marker of its own
// for every line besides, and a dark variant.
package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is one of a line, with the range around its value if there is one.
type Point struct {
	X, Y      float64
	Low, High float64 // 0, 0: no range
}

// Line is one line, with a marker at each point.
type Line struct {
	Name   string
	Points []Point
}

// Chart is a picture.
type Chart struct {
	Name           string // of its files
	Title          string
	X, Y           string // labels
	LogX, LogY     bool
	XTicks, YTicks []float64          // nil: by themselves
	Names          map[float64]string // of ticks that their number does not say
	Lines          []Line
}

// okabeIto is the palette of Okabe and Ito, which people with any form of colour blindness can tell apart; its black is drawn in
// the colour of the text, and its yellow is left out, since it is hard to see on white.
var okabeIto = []color.RGBA{
	{},
	{0xD5, 0x5E, 0x00, 0xFF},
	{0x00, 0x72, 0xB2, 0xFF},
	{0x00, 0x9E, 0x73, 0xFF},
	{0xCC, 0x79, 0xA7, 0xFF},
	{0xE6, 0x9F, 0x00, 0xFF},
	{0x56, 0xB4, 0xE9, 0xFF},
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	draw.SquareGlyph{},
	draw.TriangleGlyph{},
	draw.CrossGlyph{},
	draw.RingGlyph{},
	draw.PlusGlyph{},
	draw.BoxGlyph{},
	draw.PyramidGlyph{},
}

// theme is the colours of a variant.
type theme struct{ back, text, grid color.RGBA }

var (
	light = theme{color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}, color.RGBA{0x1B, 0x1F, 0x24, 0xFF}, color.RGBA{0xDD, 0xE1, 0xE6, 0xFF}}
	dark  = theme{color.RGBA{0x16, 0x1B, 0x22, 0xFF}, color.RGBA{0xE6, 0xED, 0xF3, 0xFF}, color.RGBA{0x38, 0x40, 0x4A, 0xFF}}
)

// width and height are those of all pictures.
const (
	width  = 24 * vg.Centimeter
	height = 13 * vg.Centimeter
)

// legendWidth is the strip on the right in which lines are named, margin the air around everything.
const (
	legendWidth = 5.6 * vg.Centimeter
	margin      = 0.35 * vg.Centimeter
)

// SVG returns the chart as a picture that scales.
func (c Chart) SVG(inTheDark bool) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	if err := c.draw(draw.New(canvas), inTheDark); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	return b.Bytes(), err
}

// PNG returns the chart as pixels.
func (c Chart) PNG(inTheDark bool) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(120))
	if err := c.draw(draw.New(canvas), inTheDark); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	return b.Bytes(), err
}

// draw draws the plot, and the legend beside it.
func (c Chart) draw(on draw.Canvas, inTheDark bool) error {
	th := light
	if inTheDark {
		th = dark
	}
	on.SetColor(th.back)
	on.Fill(on.Path())
	p := plot.New()
	p.BackgroundColor = th.back
	p.Title.Text = c.Title
	p.Title.TextStyle.Color = th.text
	p.Title.TextStyle.Font.Variant = "Sans"
	p.Title.TextStyle.Font.Size = vg.Points(12)
	p.Title.Padding = vg.Points(8)
	c.axis(&p.X, c.X, c.LogX, c.XTicks, th)
	c.axis(&p.Y, c.Y, c.LogY, c.YTicks, th)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = th.grid, th.grid
	p.Add(grid)
	legend := plot.NewLegend()
	legend.TextStyle.Color = th.text
	legend.TextStyle.Font.Variant = "Sans"
	legend.TextStyle.Font.Size = vg.Points(9)
	legend.ThumbnailWidth = vg.Points(26)
	legend.Padding = vg.Points(3)
	legend.Top, legend.Left = true, true
	for i, l := range c.Lines {
		if err := addLine(p, &legend, l, i, th); err != nil {
			return fmt.Errorf("%s, %s: %w", c.Name, l.Name, err)
		}
	}
	p.Draw(draw.Crop(on, margin, -legendWidth-margin, margin, -margin))
	legend.Draw(draw.Crop(on, width-legendWidth, -margin, margin, -1.2*vg.Centimeter))
	return nil
}

// axis sets one axis up.
func (c Chart) axis(a *plot.Axis, label string, log bool, ticks []float64, th theme) {
	a.Label.Text = label
	a.Label.TextStyle.Color = th.text
	a.Label.TextStyle.Font.Variant = "Sans"
	a.Label.TextStyle.Font.Size = vg.Points(10)
	a.Tick.Label.Color = th.text
	a.Tick.Label.Font.Variant = "Sans"
	a.Tick.Label.Font.Size = vg.Points(9)
	a.Color, a.Tick.Color = th.text, th.text
	a.Tick.Marker = evenTicks{}
	if log {
		a.Scale = plot.LogScale{}
		a.Tick.Marker = logTicks{}
	}
	if ticks != nil {
		var marks []plot.Tick
		for _, x := range ticks {
			name := number(x)
			if given, ok := c.Names[x]; ok {
				name = given
			}
			marks = append(marks, plot.Tick{Value: x, Label: name})
		}
		a.Tick.Marker = plot.ConstantTicks(marks)
	}
}

// addLine draws one line; i chooses its colour, marker and dashes.
func addLine(p *plot.Plot, legend *plot.Legend, l Line, i int, th theme) error {
	hue := okabeIto[i%len(okabeIto)]
	if hue.A == 0 {
		hue = th.text
	}
	xys := make(plotter.XYs, len(l.Points))
	ranges := make(plotter.YErrors, len(l.Points))
	ranged := false
	for j, pt := range l.Points {
		xys[j].X, xys[j].Y = pt.X, pt.Y
		if pt.High > 0 {
			ranges[j].Low, ranges[j].High = pt.Y-pt.Low, pt.High-pt.Y
			ranged = true
		}
	}
	line, points, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	line.Color, line.Width = hue, vg.Points(1.6)
	if i >= len(okabeIto) {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	points.Color, points.Shape, points.Radius = hue, glyphs[i%len(glyphs)], vg.Points(3.5)
	if ranged {
		bars, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{xys, ranges})
		if err != nil {
			return err
		}
		bars.Color, bars.Width = hue, vg.Points(0.9)
		p.Add(bars)
	}
	p.Add(line, points)
	legend.Add(l.Name, line, points)
	return nil
}

// logTicks marks 1, 2 and 5 of each decade.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(low))); decade <= high; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if x := decade * step; x >= low && x <= high {
				ticks = append(ticks, plot.Tick{Value: x, Label: number(x)})
			}
		}
	}
	return ticks
}

// evenTicks marks round numbers, zero among them if it is in sight.
type evenTicks struct{}

// Ticks implements plot.Ticker.
func (evenTicks) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, finer := range []float64{2, 2.5, 2} {
		if (high-low)/step >= 4 {
			break
		}
		step /= finer
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		x := i * step
		if x == 0 {
			x = 0 // and not minus zero
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: number(x)})
	}
	return ticks
}

// number prints a tick's value in few characters.
func number(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%gk", x/1e3)
	default:
		return fmt.Sprintf("%g", x)
	}
}
