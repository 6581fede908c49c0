package plots

import (
	"bytes"
	"image"
	_ "image/png"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func chart() Chart {
	c := Chart{Name: "test", Title: "A title", X: "producers", Y: "ns", LogX: true, LogY: true, XTicks: []float64{1, 2, 4}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		c.Lines = append(c.Lines, Line{Name: name, Points: []Point{{X: 1, Y: 20, Low: 15, High: 25}, {X: 2, Y: 30}, {X: 4, Y: 400}}})
	}
	return c
}

func TestChartsAreDrawnInBothThemes(t *testing.T) {
	var last []byte
	for _, dark := range []bool{false, true} {
		svg, err := chart().SVG(dark)
		require.NoError(t, err)
		for _, text := range []string{"<svg", "A title", "producers", ">a<", ">i<"} {
			require.Contains(t, string(svg), text)
		}
		require.NotEqual(t, last, svg, "the two themes look the same")
		last = svg

		png, err := chart().PNG(dark)
		require.NoError(t, err)
		img, _, err := image.Decode(bytes.NewReader(png))
		require.NoError(t, err)
		r, g, b, _ := img.At(1, 1).RGBA()
		require.Equal(t, dark, r+g+b < 3*0x8000, "the background")
	}
}

func TestTicks(t *testing.T) {
	var labels []string
	for _, tick := range (logTicks{}).Ticks(15, 20_000) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"20", "50", "100", "200", "500", "1000", "2000", "5000", "10k", "20k"}, labels)
	labels = nil
	for _, tick := range (evenTicks{}).Ticks(-0.3, 12.2) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"0", "2", "4", "6", "8", "10", "12"}, labels)
	require.Equal(t, "2.5M", number(2.5e6))
}
