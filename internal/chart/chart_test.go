package chart

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"
)

// drawChart returns the picture of a chart, and how many pixels have a colour.
func drawChart(t *testing.T, c Chart) (image.Image, func(of [4]uint32) int) {
	t.Helper()
	file, err := WritePNG(c)
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("AQUEDUCK_SHOTS"); dir != "" {
		if err := os.WriteFile(dir+"/"+t.Name()+".png", file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return picture, func(of [4]uint32) (n int) {
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				r, g, b, a := picture.At(x, y).RGBA()
				if [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8} == of {
					n++
				}
			}
		}
		return n
	}
}

var (
	accentOf = [4]uint32{0x0f, 0x6a, 0x80, 0xff}
	fallenOf = [4]uint32{0xe0, 0xa0, 0x30, 0xff}
	softOf   = [4]uint32{0x5b, 0x69, 0x77, 0xff}
)

func TestBarsAreAsLargeAsTheirValues(t *testing.T) {
	t.Parallel()
	c := Chart{Title: "How many?", Measure: "conversations", Standing: true, Ticks: []Tick{{-10, "−10"}, {0, "0"}, {10, "10"}},
		Bars: []Bar{{"2026-01", "10", 10}, {"2026-02", "–", math.NaN()}, {"2026-03", "−5", -5}, {"2026-04", "0", 0}}}
	_, pixels := drawChart(t, c)
	up, down := pixels(accentOf), pixels(fallenOf)
	if up < 50_000 || math.Abs(float64(up)/float64(down)-2) > 0.02 {
		t.Errorf("10 has %d pixels and -5 has %d", up, down)
	}
	c.Standing = false
	picture, pixels := drawChart(t, c)
	up, down = pixels(accentOf), pixels(fallenOf)
	if up < 10_000 || math.Abs(float64(up)/float64(down)-2) > 0.02 {
		t.Errorf("lying, 10 has %d pixels and -5 has %d", up, down)
	}
	if picture.Bounds().Dx() != wide {
		t.Errorf("it is %v", picture.Bounds())
	}
}

func TestLongTextsStayInThePicture(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long question about many things ", 12)
	c := Chart{Title: long, Measure: "n", Ticks: []Tick{{0, "0"}}, Bars: []Bar{{long, "0", 0}}}
	picture, pixels := drawChart(t, c)
	for y := range picture.Bounds().Dy() {
		if r, _, _, _ := picture.At(wide-edge/2, y).RGBA(); r>>8 != 0xff {
			t.Fatalf("a text reaches the right edge at line %d", y)
		}
	}
	if pixels(softOf) == 0 {
		t.Error("the measure is not written")
	}
}

// TestALineHasGaps: a missing value divides the line; one value alone is a dot.
func TestALineHasGaps(t *testing.T) {
	t.Parallel()
	bars := []Bar{{"1", "", 4}, {"2", "", 4}, {"3", "", 4}, {"4", "", math.NaN()}, {"5", "", 4}, {"6", "", math.NaN()}}
	picture, _ := drawChart(t, Chart{Title: "Line", Measure: "n", Standing: true, Line: true, Ticks: []Tick{{0, "0"}, {8, "8"}}, Bars: bars})
	left, right, drawn := picture.Bounds().Dx(), 0, 0
	middle := 0 // the line of pixels through the values
	for y := range picture.Bounds().Dy() {
		n := 0
		for x := range picture.Bounds().Dx() {
			if r, g, b, _ := picture.At(x, y).RGBA(); [3]uint32{r >> 8, g >> 8, b >> 8} == [3]uint32{0x0f, 0x6a, 0x80} {
				n++
			}
		}
		if n > drawn {
			drawn, middle = n, y
		}
	}
	var gaps int
	inside := false
	for x := range picture.Bounds().Dx() {
		r, g, b, _ := picture.At(x, middle).RGBA()
		on := [3]uint32{r >> 8, g >> 8, b >> 8} == [3]uint32{0x0f, 0x6a, 0x80}
		if on {
			left, right = min(left, x), max(right, x)
		}
		if inside && !on {
			gaps++
		}
		inside = on
	}
	if gaps != 2 || right-left < 900 || drawn > 600 {
		t.Errorf("%d stretches from %d to %d, %d pixels", gaps, left, right, drawn)
	}
}
