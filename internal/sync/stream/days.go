package stream

import "time"

// DayGrid converts between instants, in Unix seconds, and the calendar days of a zone. A day there has 23, 24, 25 or another number of hours, so
// no method counts hours.
type DayGrid struct{ Zone *time.Location }

// Of returns the first second of the day that contains an instant.
func (d DayGrid) Of(at int64) int64 {
	y, m, day := time.Unix(at, 0).In(d.Zone).Date()
	return d.Begin(y, m, day)
}

// AddDays returns the first second of the day n days after the one that contains an instant. n may be negative.
func (d DayGrid) AddDays(at int64, n int) int64 {
	y, m, day := time.Unix(at, 0).In(d.Zone).Date()
	return d.Begin(y, m, day+n)
}

// Count returns the number of days that a span touches.
func (d DayGrid) Count(from, to int64) (n int) {
	for at := d.Of(from); at < to; at = d.AddDays(at, 1) {
		n++
	}
	return n
}

// Begin returns the first second of a date. Where the clocks skip midnight that is the second after the skip; where midnight comes twice, it is
// the first one.
func (d DayGrid) Begin(y int, m time.Month, day int) int64 {
	want := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
	at := time.Date(y, m, day, 0, 0, 0, 0, d.Zone)
	if dateOf(at).Before(want) {
		_, at = at.ZoneBounds()
		return at.Unix()
	}
	begin, _ := at.ZoneBounds()
	if begin.IsZero() {
		return at.Unix()
	}
	_, offset := at.Zone()
	_, before := begin.Add(-time.Second).Zone()
	earlier := at.Add(time.Duration(offset-before) * time.Second)
	if earlier.Before(begin) && earlier.Before(at) && dateOf(earlier).Equal(want) {
		return earlier.Unix()
	}
	return at.Unix()
}
