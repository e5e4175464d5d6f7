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

// Schedule is the times that a cron line names, in one time zone. It never changes and may be shared.
type Schedule struct {
	spec      string
	zone      *time.Location
	wall      *cron.SpecSchedule // used in UTC only: what it finds is the face of a clock, not an instant
	everyHour bool
}

// form is one item of a field; the parser itself lets some nonsense through, e.g. *-5.
var form = regexp.MustCompile(`^(\*|\?|[0-9A-Za-z]+(-[0-9A-Za-z]+)?)(/[0-9]+)?$`)

// What is wrong with a line whose fields are fine.
var (
	ErrNever = errors.New("never matches: this date does not exist")
	ErrZone  = errors.New("a time zone in a cron line: set timezone instead")
)

// Parse reads a line of five fields: minute hour day month weekday. It refuses lines that never come true, and lines
// that name a time zone of their own.
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
	// Any four years with a leap day among them show every date there is.
	if s.nextWall(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, ErrNever
	}
	return s, nil
}

// meanings are what the five fields are, with what they may hold.
var meanings = [5]string{
	"minute (0-59)", "hour (0-23)", "day of the month (1-31)", "month (1-12 or JAN-DEC)", "weekday (0-7 or SUN-SAT; 0 and 7 are Sunday)",
}

// sundayAsZero writes a field of weekdays without the 7 that many crons take for Sunday beside the 0; the parser does not.
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

// parseFields keeps a panic of the parser from ending the program.
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

// String gives the line as it was written.
func (s *Schedule) String() string { return s.spec }

// Next is the first time after an instant; the zero time when there is none within five years.
//
// A clock that is set forward skips some times: what falls into them comes once, at the first minute after. A clock
// that is set back shows some times twice: they count the first time. Lines for every hour are about spans, not times
// of day: they simply go on. A day that the calendar leaves out, as a country does that crosses the date line, has a time
// of its own only where the day after has none.
func (s *Schedule) Next(after time.Time) time.Time {
	t := after.In(s.zone)
	from := wallTime(t)
	// Between two changes of the clock its face and the time go side by side; a step of this loop is one such span.
	// Five years have few of them: the bound is there for zones that make no sense.
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

// lastShownBefore is the last face that the clock has shown before it was set back at start; the zero time when it was not.
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

// standsIn says that the clock was set forward by a day or more to a first face, and that a time soon after stands for those skipped.
func (s *Schedule) standsIn(first, before time.Time) bool {
	const day = 24 * time.Hour
	return first.Sub(before) >= day && s.nextWall(first.Add(-time.Nanosecond)).Before(first.Add(day))
}

func (s *Schedule) nextWall(after time.Time) time.Time { return s.wall.Next(after) }

// Skipped says that the line names one time a day, as text, and that the clock skips it when it is next set forward within a year;
// instead is what the clock shows when it comes.
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

// wallTime is what a clock on the wall shows, written down as if it were UTC.
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
