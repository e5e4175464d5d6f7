package emulator

// rng is a small seeded generator: everything about the population is a function of the seed and of what is drawn for,
// so that two processes with the same seed see the same workspace.
type rng uint64

func newRNG(parts ...uint64) *rng {
	r := rng(0x9e3779b97f4a7c15)
	for _, p := range parts {
		r = rng(mix(uint64(r) ^ mix(p+0x632be59bd9b4e019)))
	}
	return &r
}

// mix is the finalizer of splitmix64: a bijection that spreads every bit over the word.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func (r *rng) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

func (r *rng) n(limit int) int {
	if limit <= 0 {
		return 0
	}
	return int(r.next() % uint64(limit))
}

func (r *rng) share() float64          { return float64(r.next()>>11) / (1 << 53) }
func (r *rng) chance(p float64) bool   { return r.share() < p }
func (r *rng) text(of []string) string { return of[r.n(len(of))] }

// pick draws one of a list by its share; the shares add up to 100.
func pick[K any](r *rng, of []K, share func(k *K) int) *K {
	n := r.n(100)
	for i := range of {
		if n -= share(&of[i]); n < 0 {
			return &of[i]
		}
	}
	return &of[len(of)-1]
}

// between draws a time from a span, its end excluded.
func (r *rng) between(from, to int64) int64 {
	if to <= from {
		return from
	}
	return from + int64(r.next()%uint64(to-from))
}
