package pipeline

import "time"

// days is the grid of calendar days of a zone. Days have 23, 24, 25 hours and others; nothing here counts hours.
type days struct{ zone *time.Location }

// of gives the first second of the day that holds a second.
func (d days) of(at int64) int64 {
	y, m, day := time.Unix(at, 0).In(d.zone).Date()
	return d.begin(y, m, day)
}

// add gives the first second of the day so many days after the one that holds a second.
func (d days) add(at int64, n int) int64 {
	y, m, day := time.Unix(at, 0).In(d.zone).Date()
	return d.begin(y, m, day+n)
}

// count is the number of days that a span touches.
func (d days) count(from, to int64) (n int) {
	for at := d.of(from); at < to; at = d.add(at, 1) {
		n++
	}
	return n
}

// begin gives the first second of a date. Where midnight is missing it is the one at which the clocks were put forward,
// where midnight comes twice the first.
func (d days) begin(y int, m time.Month, day int) int64 {
	want := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
	at := time.Date(y, m, day, 0, 0, 0, 0, d.zone)
	if date(at).Before(want) {
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
	if earlier.Before(begin) && earlier.Before(at) && date(earlier).Equal(want) {
		return earlier.Unix()
	}
	return at.Unix()
}

// today is the date in the warehouse's timezone, as a time that can be compared.
func (r *run) today() time.Time {
	zone, err := time.LoadLocation(r.config.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the configuration was checked
	}
	return date(r.now().In(zone))
}

// date is the date that a time shows, as a time that can be compared.
func date(t time.Time) time.Time {
	y, m, day := t.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
}
