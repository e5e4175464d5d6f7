package schedule

import "time"

// Clock says what the clocks do to a time that Next gave: Plain, Skipped or Twice.
type Clock uint8

// What the clocks may do to a time.
const (
	Plain   Clock = iota
	Skipped       // they skip the time of the line: this is the first minute after the gap
	Twice         // they show it twice: this is the first
)

// ClockAt says what the clocks do to a time that Next gave.
func (s *Schedule) ClockAt(at time.Time) Clock {
	t := at.In(s.zone)
	if s.everyHour {
		return Plain // spans, not times of day
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
