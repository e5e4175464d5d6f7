package grammar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses 90s, 60m, 48h, 14d or several together, such as 1d12h. A day is 24 hours.
func ParseDuration(text string) (time.Duration, error) {
	bad := fmt.Errorf("expected a duration, found %q", text)
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	const longest = 100 * 365 * 24 * time.Hour // below the overflow of a Duration
	var sum time.Duration
	for rest := text; ; {
		digits := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if digits <= 0 || digits > 9 {
			return 0, bad
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		unit, known := units[rest[digits]]
		if err != nil || !known || n > int64(longest/unit) {
			return 0, bad
		}
		sum += time.Duration(n) * unit
		if sum > longest {
			return 0, bad
		}
		if rest = rest[digits+1:]; rest == "" {
			return sum, nil
		}
	}
}

// ParseDate parses 2026-01-31 as midnight UTC.
func ParseDate(text string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, fmt.Errorf("expected a date, found %q", text)
	}
	return t, nil
}

// scalarRefusal is why a scalar is refused, and what to do.
type scalarRefusal struct {
	message, hint string
	quotes        bool // the hint quotes the text
}

// checkScalarText is nil when a scalar's text is what its spec requires.
func (s *Spec) checkScalarText(text string) *scalarRefusal {
	var err error
	hint := ""
	switch s.Kind {
	case Int:
		err = s.fitsInt(text)
	case Bool:
		if text != "true" && text != "false" {
			err = fmt.Errorf("expected true or false, found %q", text)
		}
	case Duration:
		_, err = ParseDuration(text)
		hint = "a number and s, m, h or d, e.g. 60m or 14d"
	case Date:
		_, err = ParseDate(text)
		hint = "year, month, day, e.g. 2026-01-31"
	case Enum:
		return s.fitsEnum(text)
	}
	if err == nil {
		err, hint = s.refuseText(text), s.Hint
	}
	if err == nil {
		return nil
	}
	if s.Secret != nil && s.Secret(text) {
		// The message may quote the text.
		err = errors.New("the value does not fit")
	}
	if lower := s.lowerCase(text); lower != "" {
		return &scalarRefusal{message: err.Error(), hint: lower, quotes: true}
	}
	return &scalarRefusal{message: err.Error(), hint: hint}
}

// lowerCase is the hint for a text that has the form, once it is in lower case; "" for others.
func (s *Spec) lowerCase(text string) string {
	lower := strings.ToLower(text)
	if s.Kind != Text || s.Secret != nil || s.Form.Check(text) == nil || s.refuseText(lower) != nil {
		return ""
	}
	hint := fmt.Sprintf(hintNear+" %q?", lower)
	if s.Cased != "" {
		hint += " " + s.Cased + ": " + text
	}
	return hint
}

// refuseText checks a text against its Form, then with Check.
func (s *Spec) refuseText(text string) error {
	if err := s.Form.Check(text); err != nil || s.Check == nil {
		return err
	}
	return s.Check(text)
}

func (s *Spec) fitsInt(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("expected a whole number, found %q", text)
	}
	if (s.Min != 0 || s.Max != 0) && (n < s.Min || n > s.Max) {
		return fmt.Errorf("expected a number from %d to %d, found %d", s.Min, s.Max, n)
	}
	return nil
}

func (s *Spec) fitsEnum(text string) *scalarRefusal {
	var built []string
	for _, c := range s.Values {
		if c.Name == text && c.Later {
			return &scalarRefusal{message: fmt.Sprintf("%q is not built yet", text)}
		}
		if c.Name == text {
			return nil
		}
		if !c.Later {
			built = append(built, c.Name)
		}
	}
	return &scalarRefusal{message: fmt.Sprintf("unknown value: %q", text), hint: DidYouMean(text, built)}
}
