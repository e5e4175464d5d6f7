package event

import "hash/fnv"

// RNG is a small seeded generator. Every drawn value is a function of the seed and of the numbers that it is drawn for, so two processes with
// the same seed have the same workspace.
type RNG uint64

// NewRNG returns a generator for the given numbers: the seed, then what the draw is for.
func NewRNG(parts ...uint64) *RNG {
	r := RNG(0x9e3779b97f4a7c15)
	for _, p := range parts {
		r = RNG(MixBits(uint64(r) ^ MixBits(p+0x632be59bd9b4e019)))
	}
	return &r
}

// MixBits is the finalizer of splitmix64: a bijection that spreads every bit over the word.
func MixBits(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 draws 64 random bits.
func (r *RNG) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	return MixBits(uint64(*r))
}

// IntN draws an integer from 0 up to, not including, a limit.
func (r *RNG) IntN(limit int) int {
	if limit <= 0 {
		return 0
	}
	return int(r.Uint64() % uint64(limit))
}

// Float64 draws a number from 0 up to, not including, 1.
func (r *RNG) Float64() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Chance draws true with probability p.
func (r *RNG) Chance(p float64) bool { return r.Float64() < p }

// PickText draws one item of a list.
func (r *RNG) PickText(of []string) string { return of[r.IntN(len(of))] }

// PickByShare draws one item of a list by its share in percent. The shares add up to 100.
func PickByShare[K any](r *RNG, of []K, share func(k *K) int) *K {
	n := r.IntN(100)
	for i := range of {
		if n -= share(&of[i]); n < 0 {
			return &of[i]
		}
	}
	return &of[len(of)-1]
}

// TimeBetween draws a time of a span. The end is excluded, and an empty span gives its start.
func (r *RNG) TimeBetween(from, to int64) int64 {
	if to <= from {
		return from
	}
	return from + int64(r.Uint64()%uint64(to-from))
}

// Fingerprint hashes a text to a number.
func Fingerprint(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
