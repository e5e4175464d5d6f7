package team

import (
	"math"

	"aqueduck/internal/emulator/event"
)

// Streams of randomness, one for each purpose.
const (
	forTalk = iota + 20_000
	forLater
	forPeople
	forCompany
	forNote
	forTicket
	forActions
	forContent
	forHour
	forReview
	forDialogue
	forGuest
)

// spread draws seconds whose logarithm is normal, by their median and their 90th percentile.
func spread(r *event.RNG, median, p90 float64) int64 {
	return int64(math.Exp(math.Log(median) + math.Log(p90/median)/1.2816*normal(r)))
}

// normal draws from the standard normal distribution.
func normal(r *event.RNG) float64 {
	u := max(r.Float64(), 1e-12)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*r.Float64())
}

// pick draws an index by weights.
func pick(r *event.RNG, weights ...float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	x := r.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// zipf draws a rank below count: the first is the most frequent.
func zipf(r *event.RNG, count int) int {
	weights := make([]float64, count)
	for i := range weights {
		weights[i] = 1 / float64(i+1)
	}
	return pick(r, weights...)
}
