package scalar

import (
	"fmt"
	"time"
)

// earliest and latest bound the times of a workspace, in Unix seconds; others are zeros and mistakes. In seconds, milliseconds and
// microseconds the ranges do not overlap, so that a number shows its unit.
var (
	earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// ParseTimestamp parses Unix seconds, milliseconds or microseconds, or ISO 8601 text with an offset, into Unix microseconds. The reason is
// "" when it is valid.
func ParseTimestamp(b []byte) (int64, string) {
	seconds, reason := ParseInt(b)
	var micros int64
	switch {
	case reason == ReasonType:
		seconds, micros, reason = parseISO(b)
	case inParts(seconds, 1000):
		seconds, micros = seconds/1000, seconds%1000*1000
	case inParts(seconds, 1e6):
		seconds, micros = seconds/1e6, seconds%1e6
	}
	if reason != "" {
		return 0, reason
	}
	if seconds < earliest || seconds >= latest {
		return 0, ReasonRange
	}
	return seconds*1e6 + micros, ""
}

// inParts reports whether a number is a time in so many parts of a second.
func inParts(n, parts int64) bool { return n >= earliest*parts && n < latest*parts }

// InstantSQL is the SQL expression of the instant that a BIGINT names, as ParseTimestamp reads it; null for a number that names none.
func InstantSQL(number string) string {
	text := "to_timestamp(" + number + " / CASE"
	for _, parts := range []int64{1, 1000, 1e6} {
		text += fmt.Sprintf(" WHEN %s BETWEEN %d AND %d THEN %d", number, earliest*parts, latest*parts-1, parts)
	}
	return text + " END)"
}

// IsFinerThanSeconds reports whether the text of a timestamp is a number of milliseconds or microseconds.
func IsFinerThanSeconds(b []byte) bool {
	if len(b) == 10 { // nearly all times: seconds
		return false
	}
	n, reason := ParseInt(b)
	return reason == "" && (inParts(n, 1000) || inParts(n, 1e6))
}

// parseISO parses 2024-05-06T07:08:09 with an optional fraction, then Z, UTC or an offset. A text without an offset names no
// instant.
func parseISO(b []byte) (seconds, micros int64, reason string) {
	day, b, ok := parseDay(b)
	if !ok || len(b) < 9 || b[0] != 'T' && b[0] != 't' && b[0] != ' ' || b[3] != ':' || b[6] != ':' {
		return 0, 0, ReasonType
	}
	hour, ok1 := twoDigits(b[1:])
	minute, ok2 := twoDigits(b[4:])
	second, ok3 := twoDigits(b[7:])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, ReasonType
	}
	b = b[9:]
	if len(b) > 0 && b[0] == '.' {
		fraction, rest := cutDigits(b[1:])
		if len(fraction) == 0 {
			return 0, 0, ReasonType
		}
		for i := range 6 {
			micros *= 10
			if i < len(fraction) {
				micros += int64(fraction[i] - '0')
			}
		}
		b = rest
	}
	offset, ok := parseOffset(b)
	if !ok {
		return 0, 0, ReasonType
	}
	return day*86400 + int64(hour*3600+minute*60+second) - offset, micros, ""
}

// parseOffset is the offset from UTC in seconds, positive to the east.
func parseOffset(b []byte) (int64, bool) {
	switch string(b) {
	case "Z", "z", " UTC":
		return 0, true
	}
	if len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	hours, ok := twoDigits(b[1:])
	rest := b[3:]
	if len(rest) > 0 && rest[0] == ':' {
		rest = rest[1:]
	}
	minutes := 0
	if len(b) > 3 {
		var whole bool
		minutes, whole = twoDigits(rest)
		ok = ok && whole && len(rest) == 2
	}
	if !ok || hours > 23 || minutes > 59 {
		return 0, false
	}
	offset := int64(hours*3600 + minutes*60)
	if b[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// ParseDate parses 2024-05-06 into days since 1970. The reason is "" when it is valid.
func ParseDate(b []byte) (int64, string) {
	day, rest, ok := parseDay(b)
	if !ok || len(rest) > 0 {
		return 0, ReasonType
	}
	return day, ""
}

func parseDay(b []byte) (day int64, rest []byte, ok bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return 0, b, false
	}
	century, ok1 := twoDigits(b)
	year, ok2 := twoDigits(b[2:])
	month, ok3 := twoDigits(b[5:])
	dom, ok4 := twoDigits(b[8:])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, b, false
	}
	// time.Date turns 31 April into 1 May: a date that changes is invalid.
	at := time.Date(century*100+year, time.Month(month), dom, 0, 0, 0, 0, time.UTC)
	if at.Day() != dom || int(at.Month()) != month {
		return 0, b, false
	}
	return at.Unix() / 86400, b[10:], true
}

func twoDigits(b []byte) (int, bool) {
	if len(b) < 2 || b[0] < '0' || b[0] > '9' || b[1] < '0' || b[1] > '9' {
		return 0, false
	}
	return int(b[0]-'0')*10 + int(b[1]-'0'), true
}
