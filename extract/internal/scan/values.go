package scan

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-faster/jx"
)

// Scalar reads a JSON string or number as text; false when it is neither, or an empty string.
func Scalar(raw []byte) (string, bool) {
	if s, ok := Text(raw); ok {
		return s, s != ""
	}
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw), true
	}
	return "", false
}

// Text reads a JSON string; false when it is none.
func Text(raw []byte) (string, bool) {
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.String {
		return "", false
	}
	s, err := d.Str()
	return s, err == nil
}

// Count reads a number of things, however it is written: 12, 12.0 and "12" were all seen. -1 when it is none.
func Count(raw []byte) int64 {
	n, ok := Number(raw)
	if !ok || n < 0 {
		return -1
	}
	return n
}

// Number reads a whole number, also one in quotes; false when it is none, or too large to be exact.
func Number(raw []byte) (int64, bool) {
	s := strings.Trim(string(raw), "\" \t\r\n")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Members are the keys of a JSON object with their values, in its order.
func Members(body []byte) (keys []string, values [][]byte) {
	_ = jx.DecodeBytes(body).ObjBytes(func(d *jx.Decoder, key []byte) error {
		name := string(key)
		raw, err := d.Raw()
		keys, values = append(keys, name), append(values, raw)
		return err
	}) // whoever asks has found the text to be an object
	return keys, values
}

// EarliestTime and LatestTime bound the times of workspaces, in unix seconds: from 1990 to before 2100.
const EarliestTime, LatestTime = 631_152_000, 4_102_444_800

// UnixTime reads a time, in unix seconds: a number of them, or of milliseconds, or ISO 8601 text.
func UnixTime(raw []byte) (int64, bool) {
	if n, ok := Number(raw); ok {
		if n >= 1000*EarliestTime && n < 1000*LatestTime { // milliseconds: as seconds no workspace has such times
			n /= 1000
		}
		return n, true
	}
	s, ok := Text(raw)
	if !ok {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t.Unix(), err == nil
}
