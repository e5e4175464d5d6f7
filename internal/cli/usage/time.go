package usage

import (
	"errors"
	"time"
)

// Time is the value of a flag that is a date or a time; the zero value: it is not given. A date is its midnight in UTC.
type Time struct {
	time.Time
	text string // as it was given
}

// Set reads a date or a time as a person writes it.
func (t *Time) Set(text string) error {
	if text == "" {
		*t = Time{}
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			*t = Time{at.UTC(), text}
			return nil
		}
	}
	return errors.New("expected a date or time, e.g. 2026-11-01 or 2026-11-01T02:00:00Z")
}

// String is the text as it was given.
func (t *Time) String() string { return t.text }

// Type is the name of the value in --help.
func (t *Time) Type() string { return "time" }
