package stream

import "time"

// DayGrid is the grid of calendar days of a zone. Days have 23, 24, 25 hours and others; nothing here counts hours.
type DayGrid struct{ Zone *time.Location }

// Of gives the first second of the day that holds a second.
func (d DayGrid) Of(at int64) int64 {
	y, m, day := time.Unix(at, 0).In(d.Zone).Date()
	return d.Begin(y, m, day)
}

// AddRecords gives the first second of the day so many days after the one that holds a second.
func (d DayGrid) AddRecords(at int64, n int) int64 {
	y, m, day := time.Unix(at, 0).In(d.Zone).Date()
	return d.Begin(y, m, day+n)
}

// Count is the number of days that a span touches.
func (d DayGrid) Count(from, to int64) (n int) {
	for at := d.Of(from); at < to; at = d.AddRecords(at, 1) {
		n++
	}
	return n
}

// Begin gives the first second of a date. Where midnight is missing it is the one at which the clocks were put forward,
// where midnight comes twice the first.
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
