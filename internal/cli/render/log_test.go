package render

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestS58LogLinesHaveAtMostTwoKilobytesOfAnError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 500_000)
	for _, form := range []string{"json", "text", ""} {
		var out bytes.Buffer
		log := NewLog(&out, LogStyle{Level: slog.LevelWarn, Form: form, Terminal: form == "", Now: time.Now})
		log.Error("read", "error", errors.New(long))
		log.Error("read", "error", long)
		for line := range strings.Lines(out.String()) {
			if len(line) > 2200 || !strings.Contains(line, "bytes more") {
				t.Errorf("form %q: a line of %d bytes", form, len(line))
			}
		}
		if strings.Count(out.String(), "bytes more") != 2 {
			t.Errorf("form %q: %d lines", form, strings.Count(out.String(), "\n"))
		}
	}
}

// TestALogHasTheTimesOfItsClock, in each form, and also after it was given more attributes.
func TestALogHasTheTimesOfItsClock(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"json", "text", ""} {
		var out bytes.Buffer
		now := time.Date(2026, 11, 20, 2, 3, 4, 0, time.UTC)
		log := NewLog(&out, LogStyle{Form: form, Terminal: form == "", Now: func() time.Time { return now }})
		log.Info("one")
		now = now.Add(time.Hour)
		log.With("run", 7).WithGroup("g").Info("two", "a", 1)
		lines := strings.SplitAfter(out.String(), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], "02:03:04") || !strings.Contains(lines[1], "03:03:04") || !strings.Contains(lines[1], "run") {
			t.Errorf("form %q: %q", form, lines)
		}
	}
}
