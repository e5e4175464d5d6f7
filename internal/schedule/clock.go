package schedule

import "time"

// Clock says how a change of the clocks affects a time that Next returned.
type Clock uint8

// Values of Clock.
const (
	Plain   Clock = iota
	Skipped       // the clocks skip the time of the line: this is the first minute after the gap
	Twice         // the clocks show it twice: this is the first
)

// ClockAt says how a change of the clocks affects a time that Next returned.
func (s *Schedule) ClockAt(at time.Time) Clock {
	t := at.In(s.zone)
	if s.everyHour {
		return Plain // the line means spans, not times of day
	}
	if !s.nextWall(wallTime(t).Add(-time.Nanosecond)).Equal(wallTime(t)) {
		return Skipped
	}
	_, end := t.ZoneBounds()
	if !end.IsZero() && !wallTime(end.In(s.zone)).After(wallTime(t)) {
		return Twice
	}
	return Plain
}
