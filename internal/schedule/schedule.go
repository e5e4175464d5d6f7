// Package schedule waits for cron times and starts jobs, also on days when the clocks change.
package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is a cron line in a time zone. It is immutable and safe for concurrent use.
type Schedule struct {
	spec      string
	zone      *time.Location
	wall      *cron.SpecSchedule // used in UTC only: it finds wall clock times, not instants
	everyHour bool
}

// form is one item of a field. The parser itself accepts some mistakes, such as *-5.
var form = regexp.MustCompile(`^(\*|\?|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?$`)

// Errors of lines with valid fields.
var (
	ErrNever = errors.New("never matches: this date does not exist")
	ErrZone  = errors.New("a time zone in a cron line: set timezone instead")
)

// Parse parses a line of five fields: minute hour day month weekday. It refuses lines that match no date, and lines with a time
// zone.
func Parse(spec string, zone *time.Location) (*Schedule, error) {
	if strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ=") {
		return nil, ErrZone
	}
	fields := strings.Fields(spec)
	if len(fields) != 5 {
		return nil, fmt.Errorf("expected exactly 5 fields, found %d", len(fields))
	}
	for _, field := range fields {
		for item := range strings.SplitSeq(field, ",") {
			if !form.MatchString(item) {
				return nil, fmt.Errorf("invalid cron expression: %q", field)
			}
		}
	}
	fields[4] = sundayAsZero(fields[4])
	for i, field := range fields {
		alone := [5]string{"*", "*", "*", "*", "*"}
		alone[i] = field
		if _, err := parseFields(strings.Join(alone[:], " ")); err != nil {
			return nil, fmt.Errorf("invalid cron expression: %q is not a valid %s", field, meanings[i])
		}
	}
	wall, err := parseFields(strings.Join(fields, " "))
	if err != nil {
		return nil, fmt.Errorf("invalid cron expression: %w", err)
	}
	s := &Schedule{spec: spec, zone: zone, wall: wall, everyHour: bits.OnesCount64(wall.Hour&(1<<24-1)) == 24}
	// Next looks five years ahead: they include every date, also 29 February.
	if s.nextWall(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, ErrNever
	}
	return s, nil
}

// meanings are the names of the five fields, with their values.
var meanings = [5]string{
	"minute (0-59)", "hour (0-23)", "day of the month (1-31)", "month (1-12 or JAN-DEC)", "weekday (0-7 or SUN-SAT; 0 and 7 are Sunday)",
}

// sundayAsZero replaces 7, which many crons accept for Sunday, by 0: the parser accepts only 0.
func sundayAsZero(field string) string {
	items := strings.Split(field, ",")
	for i, item := range items {
		if item == "7" {
			items[i] = "0"
		} else if first, found := strings.CutSuffix(item, "-7"); found && first != "7" {
			items[i] = first + "-6,0"
		}
	}
	return strings.Join(items, ",")
}

// parseFields turns a panic of the parser into an error.
func parseFields(spec string) (wall *cron.SpecSchedule, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	parsed, err := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow).Parse(spec)
	if err != nil {
		return nil, err
	}
	wall, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, errors.New("not a cron line with five fields")
	}
	wall.Location = time.UTC
	return wall, nil
}

// String is the line as it was written.
func (s *Schedule) String() string { return s.spec }

// Next is the first time after an instant; the zero time when there is none within five years.
//
// When the clock is set forward, the times it skips come once, at the first minute after the gap. When it is set back, the times
// it shows twice count the first time. Lines for every hour mean spans, not times of day, and simply continue. A day that a
// country skips when it crosses the date line is replaced only if the day after has no time of its own.
func (s *Schedule) Next(after time.Time) time.Time {
	t := after.In(s.zone)
	from := wallTime(t)
	// Between two changes of the clock, wall clock and time advance together; each pass of the loop is one such span. Five years have
	// few of them: the bound is for invalid zones.
	for range 100 {
		start, end := t.ZoneBounds()
		from = laterTime(from, s.lastShownBefore(start))
		wall := s.nextWall(from)
		if wall.IsZero() {
			return time.Time{}
		}
		at := t.Add(wall.Sub(wallTime(t)))
		if end.IsZero() || at.Before(end) {
			return at
		}
		first := wallTime(end.In(s.zone))
		if !s.everyHour && wall.Before(first) && !s.standsIn(first, wallTime(end.Add(-time.Nanosecond).In(s.zone))) {
			return end.In(s.zone)
		}
		t, from = end.In(s.zone), first.Add(-time.Nanosecond)
	}
	return time.Time{}
}

// lastShownBefore is the last wall time before the clock was set back at start; the zero time when it was not.
func (s *Schedule) lastShownBefore(start time.Time) time.Time {
	if start.IsZero() || s.everyHour {
		return time.Time{}
	}
	before := start.Add(-time.Nanosecond).In(s.zone)
	if last := wallTime(before); last.After(wallTime(start.In(s.zone))) {
		return last
	}
	return time.Time{}
}

// standsIn reports whether the clock was set forward by a day or more to first, and a time within the next day replaces the
// skipped ones.
func (s *Schedule) standsIn(first, before time.Time) bool {
	const day = 24 * time.Hour
	return first.Sub(before) >= day && s.nextWall(first.Add(-time.Nanosecond)).Before(first.Add(day))
}

func (s *Schedule) nextWall(after time.Time) time.Time { return s.wall.Next(after) }

// Skipped reports, as text, the daily time of the line that the clock skips when it is set forward within the next year, and the
// time at which it runs instead. Both are empty for other lines.
func (s *Schedule) Skipped(from time.Time) (skipped, instead string) {
	if bits.OnesCount64(s.wall.Hour&(1<<24-1)) != 1 {
		return "", ""
	}
	for t := from.In(s.zone); t.Before(from.AddDate(1, 0, 0)); {
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		gap, after := wallTime(end.Add(-time.Nanosecond).In(s.zone)), wallTime(end.In(s.zone))
		if wall := s.nextWall(gap); after.After(gap) && !wall.IsZero() && wall.Before(after) {
			return wall.Format("15:04"), after.Format("15:04")
		}
		t = end.In(s.zone)
	}
	return "", ""
}

// wallTime is the wall clock's time, represented as UTC.
func wallTime(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
