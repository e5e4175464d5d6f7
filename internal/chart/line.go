package chart

import "math"

// stretches are the points of a line, divided where a value is missing.
func stretches(values []float64, left int, step float64, y func(float64) int) (all [][]point) {
	open := false
	for i, v := range values {
		if math.IsNaN(v) {
			open = false
			continue
		}
		if !open {
			all, open = append(all, nil), true
		}
		last := len(all) - 1
		all[last] = append(all[last], point{float64(left) + (float64(i)+0.5)*step, float64(y(v))})
	}
	return all
}

// drawArea fills what lies between a line and 0.
func (k *canvas) drawArea(all [][]point, zero float64) {
	for _, s := range all {
		k.fillShape(tint, append(append([]point{{s[0].x, zero}}, s...), point{s[len(s)-1].x, zero}))
	}
}

// drawLine draws a line with a dot for each value. With many values only those that stand alone have a dot.
func (k *canvas) drawLine(all [][]point, step float64) {
	const half, dot, dotted = 2.5, 6.0, 24
	for _, s := range all {
		for i := 1; i < len(s); i++ {
			a, b := s[i-1], s[i]
			length := math.Hypot(b.x-a.x, b.y-a.y)
			dx, dy := half*(b.y-a.y)/length, half*(b.x-a.x)/length
			k.fillShape(accent, []point{{a.x + dx, a.y - dy}, {b.x + dx, b.y - dy}, {b.x - dx, b.y + dy}, {a.x - dx, a.y + dy}})
		}
		for _, p := range s {
			if step >= dotted || len(s) == 1 {
				k.fillDot(p, dot)
			} else {
				k.fillDot(p, half) // rounds the corner
			}
		}
	}
}

func (k *canvas) fillDot(p point, radius float64) {
	const corners = 24
	var round []point
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		round = append(round, point{p.x + radius*cos, p.y + radius*sin})
	}
	k.fillShape(accent, round)
}
