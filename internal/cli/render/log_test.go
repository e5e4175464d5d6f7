package render

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestS58LogLinesHaveAtMostTwoKilobytesOfAnError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 500_000)
	for _, form := range []string{"json", "text", ""} {
		var out bytes.Buffer
		log := NewLog(&out, LogStyle{Level: slog.LevelWarn, Form: form, Terminal: form == ""})
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
