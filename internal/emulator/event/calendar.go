package event

import "time"

// Day is a day of 24 hours in seconds.
const Day = 24 * 3600

// DayOf returns the first second of the calendar day of t in a zone, and the first second of the next day. Days have 23, 24.5 or 25 hours, and
// their midnight may not exist (trap T134).
func DayOf(t int64, zone *time.Location) (first, next int64) {
	y, m, d := time.Unix(t, 0).In(zone).Date()
	return dayStart(y, m, d, zone), dayStart(y, m, d+1, zone)
}

func dayStart(y int, m time.Month, d int, zone *time.Location) int64 {
	want := time.Date(y, m, d, 12, 0, 0, 0, time.UTC) // the date, normalised
	at := time.Date(y, m, d, 0, 0, 0, 0, zone)
	// Where midnight does not exist, Date may return an instant of the evening before. The day then begins when the clocks change.
	if got := at.Day(); got != want.Day() {
		_, at = at.ZoneBounds()
		return at.Unix()
	}
	// Where midnight comes twice, Date may return the second one.
	if begin, _ := at.ZoneBounds(); !begin.IsZero() {
		_, shift := at.Zone()
		_, before := begin.Add(-time.Second).Zone()
		earlier := at.Add(time.Duration(shift-before) * time.Second)
		if earlier.Before(begin) && earlier.In(zone).Day() == want.Day() && earlier.Before(at) {
			return earlier.Unix()
		}
	}
	return at.Unix()
}
