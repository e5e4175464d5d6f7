package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
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
}

// Sizes in pixels. A picture is shown at half its size on a fine screen.
const (
	wide     = 1600
	edge     = 48
	standing = 560 // height of standing bars
	lying    = 44  // height of a lying bar with the space below it
	lineHigh = 34
)

var (
	paper  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.RGBA{0x17, 0x21, 0x2b, 0xff}
	soft   = color.RGBA{0x5b, 0x69, 0x77, 0xff}
	line   = color.RGBA{0xdf, 0xe4, 0xea, 0xff}
	accent = color.RGBA{0x0f, 0x6a, 0x80, 0xff}
	fallen = color.RGBA{0xe0, 0xa0, 0x30, 0xff} // of bars below 0
)

// canvas is a picture that is being drawn.
type canvas struct {
	*image.RGBA
	title, text, small font.Face
}

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
		high = top + standing + 2*lineHigh + 2*edge
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
	for _, t := range c.Ticks {
		k.fill(left, y(t.Value), wide-edge, y(t.Value)+2, line)
		k.write(k.small, soft, left-16-k.measure(k.small, t.Text), y(t.Value)+8, t.Text)
	}
	step := float64(wide-edge-left) / float64(len(c.Bars))
	longest := 1
	for _, b := range c.Bars {
		longest = max(longest, k.measure(k.small, b.Name))
	}
	every := int(math.Ceil(float64(longest+24) / step)) // names that do not touch each other
	for i, b := range c.Bars {
		x := float64(left) + float64(i)*step
		if !math.IsNaN(b.Value) {
			k.bar(int(x+step*0.12), y(max(b.Value, 0)), int(x+step*0.88), y(min(b.Value, 0)), b.Value)
		}
		if i%every == 0 {
			k.write(k.small, soft, int(x+step/2)-k.measure(k.small, b.Name)/2, top+standing+lineHigh, b.Name)
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

// bar fills the rectangle of a value, which is never invisible unless the value is 0.
func (k *canvas) bar(x, y, toX, toY int, value float64) {
	shade := accent
	if value < 0 {
		shade = fallen
	}
	if value != 0 {
		k.fill(x, y, max(toX, x+2), max(toY, y+2), shade)
	}
}

func (k *canvas) fill(x, y, toX, toY int, c color.Color) {
	draw.Draw(k.RGBA, image.Rect(x, y, toX, toY), image.NewUniform(c), image.Point{}, draw.Src)
}

// plain replaces the narrow space of formatted numbers, which the font lacks.
func plain(text string) string { return strings.ReplaceAll(text, "\u202f", "\u00a0") }

func (k *canvas) write(face font.Face, c color.Color, x, y int, text string) {
	d := font.Drawer{Dst: k.RGBA, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(plain(text))
}

func (k *canvas) measure(face font.Face, text string) int {
	return font.MeasureString(face, plain(text)).Ceil()
}

// shorten cuts a text to a width.
func (k *canvas) shorten(face font.Face, text string, most int) string {
	letters := []rune(text)
	for n := len(letters); n > 0 && k.measure(face, text) > most; n-- {
		text = string(letters[:n-1]) + "…"
	}
	return text
}

// wrap divides a text into at most three lines.
func (k *canvas) wrap(face font.Face, text string, most int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && (len(lines) == 3 || k.measure(face, lines[last]+" "+word) <= most) {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	if len(lines) == 3 {
		lines[2] = k.shorten(face, lines[2], most)
	}
	return lines
}
