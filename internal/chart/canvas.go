package chart

import (
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

var (
	paper  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.RGBA{0x17, 0x21, 0x2b, 0xff}
	soft   = color.RGBA{0x5b, 0x69, 0x77, 0xff}
	line   = color.RGBA{0xdf, 0xe4, 0xea, 0xff}
	accent = color.RGBA{0x0f, 0x6a, 0x80, 0xff}
	tint   = color.RGBA{0xdc, 0xe9, 0xec, 0xff} // between a line and 0
	fallen = color.RGBA{0xe0, 0xa0, 0x30, 0xff} // of bars below 0
)

// canvas is a picture that is being drawn.
type canvas struct {
	*image.RGBA
	title, text, small font.Face
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

// point is a place in a picture.
type point struct{ x, y float64 }

// fillShape fills a shape with smooth edges. It draws into the rectangle around it alone.
func (k *canvas) fillShape(shade color.Color, shape []point) {
	least, most := shape[0], shape[0]
	for _, p := range shape {
		least = point{min(least.x, p.x), min(least.y, p.y)}
		most = point{max(most.x, p.x), max(most.y, p.y)}
	}
	box := image.Rect(int(least.x)-1, int(least.y)-1, int(most.x)+2, int(most.y)+2)
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range shape {
		x, y := float32(p.x-float64(box.Min.X)), float32(p.y-float64(box.Min.Y))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(k.RGBA, box, image.NewUniform(shade), image.Point{})
}
