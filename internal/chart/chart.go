package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// Bar is a value with its name. A value that is not a number has no bar.
type Bar struct {
	Name, Text string // Text is the value as people write it
	Value      float64
}

// Tick is a value that an axis names.
type Tick struct {
	Value float64
	Text  string
}

// Chart is what a picture shows: a title, the name of the values, and a bar for each. The ticks are from the least to the most; they must include 0.
type Chart struct {
	Title, Measure, Source string
	Bars                   []Bar
	Ticks                  []Tick
	Standing               bool // the bars stand beside each other; otherwise they lie below each other
	Line                   bool // of a standing chart: a line instead of the bars; a value that is not a number leaves a gap
}

// Sizes in pixels. A picture is shown at half its size on a fine screen.
const (
	wide     = 1600
	edge     = 48
	standing = 560 // height of standing bars
	lying    = 44  // height of a lying bar with the space below it
	lineHigh = 34
)

// WritePNG draws a chart. Its font has the letters of Latin, Greek and Cyrillic scripts; others are drawn as boxes.
func WritePNG(c Chart) ([]byte, error) {
	k := &canvas{}
	for _, f := range []struct {
		face *font.Face
		file []byte
		size float64
	}{{&k.title, gobold.TTF, 34}, {&k.text, goregular.TTF, 26}, {&k.small, goregular.TTF, 22}} {
		parsed, err := opentype.Parse(f.file)
		if err == nil {
			*f.face, err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingFull})
		}
		if err != nil {
			return nil, fmt.Errorf("read the font of a chart: %w", err)
		}
	}
	title := k.wrap(k.title, c.Title, wide-2*edge)
	top := edge + len(title)*44 + lineHigh + 30
	high := top + len(c.Bars)*lying + 2*edge
	if c.Standing {
		high = top + standing + 2*lineHigh + 8 + 2*edge
	}
	k.RGBA = image.NewRGBA(image.Rect(0, 0, wide, high))
	k.fill(0, 0, wide, high, paper)
	for i, text := range title {
		k.write(k.title, ink, edge, edge+34+i*44, text)
	}
	k.write(k.text, soft, edge, edge+len(title)*44+lineHigh-6, c.Measure)
	if c.Standing {
		k.drawStanding(c, top)
	} else {
		k.drawLying(c, top)
	}
	k.write(k.small, soft, edge, high-24, c.Source)
	var b bytes.Buffer
	if err := png.Encode(&b, k.RGBA); err != nil {
		return nil, fmt.Errorf("write a chart as PNG: %w", err)
	}
	return b.Bytes(), nil
}

func (c Chart) values() (all []float64) {
	for _, b := range c.Bars {
		all = append(all, b.Value)
	}
	return all
}

// span returns the least and the most value that the ticks leave room for.
func (c Chart) span() (least, most float64) {
	least, most = c.Ticks[0].Value, c.Ticks[len(c.Ticks)-1].Value
	if least == most {
		most = least + 1
	}
	return least, most
}

func (k *canvas) drawStanding(c Chart, top int) {
	left := edge
	for _, t := range c.Ticks {
		left = max(left, edge+k.measure(k.small, t.Text)+16)
	}
	least, most := c.span()
	y := func(v float64) int { return top + int(math.Round(standing*(most-v)/(most-least))) }
	step := float64(wide-edge-left) / float64(len(c.Bars))
	all := stretches(c.values(), left, step, y)
	if c.Line {
		k.drawArea(all, float64(y(0)))
	}
	for _, t := range c.Ticks {
		k.fill(left, y(t.Value), wide-edge, y(t.Value)+2, line)
		k.write(k.small, soft, left-16-k.measure(k.small, t.Text), y(t.Value)+8, t.Text)
	}
	if c.Line {
		k.drawLine(all, step)
	}
	longest := 1
	for _, b := range c.Bars {
		longest = max(longest, k.measure(k.small, b.Name))
	}
	every := int(math.Ceil(float64(longest+24) / step)) // names that do not touch each other
	for i, b := range c.Bars {
		x := float64(left) + float64(i)*step
		if !math.IsNaN(b.Value) && !c.Line {
			k.bar(int(x+step*0.12), y(max(b.Value, 0)), int(x+step*0.88), y(min(b.Value, 0)), b.Value)
		}
		if i%every == 0 {
			k.write(k.small, soft, int(x+step/2)-k.measure(k.small, b.Name)/2, top+standing+lineHigh+8, b.Name)
		}
	}
}

func (k *canvas) drawLying(c Chart, top int) {
	const mostName = 520
	name, value := 0, 0
	for _, b := range c.Bars {
		name, value = max(name, min(mostName, k.measure(k.text, b.Name))), max(value, k.measure(k.text, b.Text))
	}
	left, right := edge+name+20, wide-edge-value-20
	least, most := c.span()
	x := func(v float64) int { return left + int(math.Round(float64(right-left)*(v-least)/(most-least))) }
	for i, b := range c.Bars {
		y := top + i*lying
		k.write(k.text, ink, edge, y+26, k.shorten(k.text, b.Name, mostName))
		end := x(0)
		if !math.IsNaN(b.Value) {
			k.bar(x(min(b.Value, 0)), y+4, x(max(b.Value, 0)), y+lying-10, b.Value)
			end = max(end, x(b.Value))
		}
		k.write(k.text, ink, end+14, y+26, b.Text)
	}
	k.fill(x(0), top-6, x(0)+2, top+len(c.Bars)*lying, soft)
}
