package scalar

import (
	"math"
	"strconv"
	"unsafe"
)

// jsonDecimal is a JSON number in parts. Its value is 0.whole·frac × 10^(len(whole)+exp). No float is involved, so nothing is
// rounded.
type jsonDecimal struct {
	negative    bool
	whole, frac []byte
	exp         int
}

// far bounds exponents: beyond it the value is 0 or out of every range, whatever its digits.
const far = 1 << 30

// ParseInt parses a JSON number without a fraction: 12, 12.0 and 1.2e1 are the same integer. The reason is "" when it is valid.
func ParseInt(b []byte) (int64, string) {
	if v, ok := shortInt(b); ok {
		return v, ""
	}
	n, ok := parseDecimal(b)
	if !ok {
		return 0, ReasonType
	}
	return n.asInteger()
}

// shortInt parses the usual integers: up to 18 digits, which cannot overflow.
func shortInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	var v int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

func parseDecimal(b []byte) (jsonDecimal, bool) {
	var n jsonDecimal
	if len(b) > 0 && b[0] == '-' {
		n.negative, b = true, b[1:]
	}
	n.whole, b = cutDigits(b)
	if len(n.whole) == 0 || n.whole[0] == '0' && len(n.whole) > 1 {
		return n, false
	}
	if len(b) > 0 && b[0] == '.' {
		if n.frac, b = cutDigits(b[1:]); len(n.frac) == 0 {
			return n, false
		}
	}
	if len(b) == 0 {
		return n, true
	}
	if b[0] != 'e' && b[0] != 'E' {
		return n, false
	}
	b = b[1:]
	down := len(b) > 0 && b[0] == '-'
	if down || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	exp, rest := cutDigits(b)
	if len(exp) == 0 || len(rest) > 0 {
		return n, false
	}
	for _, c := range exp {
		n.exp = min(n.exp*10+int(c-'0'), far)
	}
	if down {
		n.exp = -n.exp
	}
	return n, true
}

func cutDigits(b []byte) (head, rest []byte) {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return b[:i], b[i:]
}

// asInteger is the value if it is an integer of 64 bits with a sign.
func (n jsonDecimal) asInteger() (int64, string) {
	point := len(n.whole) + n.exp // digits before the decimal point
	last := len(n.whole) + len(n.frac)
	for last > 0 && n.digitAt(last-1) == 0 {
		last--
	}
	if last == 0 {
		return 0, ""
	}
	if last > point {
		return 0, ReasonType // a fraction is left
	}
	first := 0
	for n.digitAt(first) == 0 {
		first++
	}
	if point-first > 19 {
		return 0, ReasonRange
	}
	var v uint64 // 19 digits fit
	for i := first; i < point; i++ {
		v = v*10 + n.digitAt(i)
	}
	switch {
	case n.negative && v <= -math.MinInt64:
		return -int64(v), ""
	case !n.negative && v <= math.MaxInt64:
		return int64(v), ""
	}
	return 0, ReasonRange
}

func (n jsonDecimal) digitAt(i int) uint64 {
	switch {
	case i < len(n.whole):
		return uint64(n.whole[i] - '0')
	case i-len(n.whole) < len(n.frac):
		return uint64(n.frac[i-len(n.whole)] - '0')
	}
	return 0
}

// ParseDouble parses a JSON number into the bits of the nearest double. The reason is "" when it is valid.
func ParseDouble(text []byte) (uint64, string) {
	if _, ok := parseDecimal(text); !ok {
		return 0, ReasonType
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil {
		return 0, ReasonRange
	}
	return math.Float64bits(v), ""
}

// ParseBool is 1 for true and 0 for false. The reason is "" when it is valid.
func ParseBool(text []byte) (uint64, string) {
	switch string(text) {
	case "true":
		return 1, ""
	case "false":
		return 0, ""
	}
	return 0, ReasonType
}
