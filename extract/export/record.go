package export

import (
	"strconv"
	"strings"
	"time"
)

// Row is one row as a JSON record.
type Row struct {
	JSON      []byte // valid until the next row; TimeColumn is absent without Timed
	Time      int64  // Unix seconds
	Timed     bool   // the time could be parsed
	Zoned     bool   // the text of the time has a zone
	Ambiguous bool   // the clocks changed: it may be another hour
}

// BuildRecord makes a record of a row: a text for every column that is not null, and the time. A time without a zone is read in
// the given one.
func (c Columns) BuildRecord(into []byte, cells []Cell, zone *time.Location) Row {
	var r Row
	into = append(into[:0], '{')
	for i, cell := range cells {
		if cell.Null {
			continue
		}
		if len(into) > 1 {
			into = append(into, ',')
		}
		into = appendText(into, c.All[c.place[i]].Name)
		into = append(into, ':')
		into = appendText(into, string(cell.Text))
	}
	if c.time < len(cells) && !cells[c.time].Null {
		r.readTime(string(cells[c.time].Text), zone)
	}
	if r.Timed {
		if len(into) > 1 {
			into = append(into, ',')
		}
		into = append(into, `"`+TimeColumn+`":`...)
		into = strconv.AppendInt(into, r.Time, 10)
	}
	r.JSON = append(into, '}')
	return r
}

// appendText appends a JSON string. Invalid Unicode passes through: package transform repairs and counts it.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// zoned and bare are the observed forms of a time, with and without a zone.
var (
	zoned = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 MST"}
	bare  = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"}
)

// readTime parses Unix seconds, milliseconds or microseconds, or a text.
func (r *Row) readTime(text string, zone *time.Location) {
	whole, _, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		for n > 1e11 {
			n /= 1000
		}
		r.Time, r.Timed, r.Zoned = n, n > 0, true
		return
	}
	for _, form := range zoned {
		if strings.HasSuffix(form, "MST") && !strings.HasSuffix(text, " UTC") {
			continue // other abbreviations of zones are ambiguous
		}
		if t, err := time.Parse(form, text); err == nil {
			r.Time, r.Timed, r.Zoned = t.Unix(), true, true
			return
		}
	}
	for _, form := range bare {
		if t, err := time.Parse(form, text); err == nil {
			r.Time, r.Ambiguous = wallInstant(t, zone)
			r.Timed = true
			return
		}
	}
}

// wallInstant is the instant at which a zone's wall clock showed a time. A time that it showed twice is the first; a time that it
// skipped is read with the offset before the change.
func wallInstant(wall time.Time, zone *time.Location) (at int64, ambiguous bool) {
	guess := time.Unix(wall.Unix(), 0).In(zone)
	_, before := guess.Add(-26 * time.Hour).Zone()
	_, after := guess.Add(26 * time.Hour).Zone()
	shows := func(offset int) bool {
		_, real := time.Unix(wall.Unix()-int64(offset), 0).In(zone).Zone()
		return real == offset
	}
	if before == after || !shows(after) {
		return wall.Unix() - int64(before), before != after && !shows(before)
	}
	if shows(before) {
		return wall.Unix() - int64(max(before, after)), true
	}
	return wall.Unix() - int64(after), false
}
