package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestTopFitsTheTerminal at every size: what does not fit is counted, and the current run comes first.
func TestTopFitsTheTerminal(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	s := &runlog.Status{Dir: "data", Now: began.Add(time.Minute), AsOf: began, Running: &runlog.Running{Pipeline: "nightly", Doing: "reading", Started: began, At: began.Add(time.Minute), Percent: 40}}
	for i := range 30 {
		s.Streams = append(s.Streams, runlog.StreamStatus{Stream: fmt.Sprintf("stream_with_a_long_name_%d", i), Outcome: "ok", SyncedTo: began})
		s.Running.Streams = append(s.Running.Streams, runlog.RunningStream{Stream: s.Streams[i].Stream, Phase: "being read"})
	}
	for _, size := range [][2]int{{80, 24}, {100, 30}, {140, 50}, {20, 5}} {
		view := TopView(s, 9_100_000, "63 GiB free", size[0], size[1])
		lines := strings.Split(view, "\n")
		if len(lines) > size[1]-1 || !strings.HasSuffix(lines[len(lines)-1], "more lines") {
			t.Errorf("%v: %d lines, the last is %q", size, len(lines), lines[len(lines)-1])
		}
		for _, line := range lines {
			if widthOf(line) > size[0] {
				t.Errorf("%v: a line of %d characters: %q", size, widthOf(line), line)
			}
		}
		if size[0] >= 80 && (!strings.HasPrefix(lines[0], "directory data, now 02:01:00 UTC, file of 9.1 MB, disk with 63 GiB free") || !strings.Contains(lines[2], "nightly")) {
			t.Errorf("%v: it begins with\n%s", size, strings.Join(lines[:4], "\n"))
		}
	}
	if whole := TopView(s, 0, "", 1000, 1000); strings.Contains(whole, "more line") || !strings.Contains(whole, "stream_with_a_long_name_29") {
		t.Errorf("with room for all it says\n%s", whole)
	}
}

// TestTopLeavesTheTerminalAsItWas after Ctrl-C, and after an error.
func TestTopLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, fails := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		var out bytes.Buffer
		drawn := 0
		err := WatchTop(ctx, &out, func() (string, error) {
			if drawn++; drawn == 3 && fails {
				return "", broken
			}
			return fmt.Sprintf("picture %d\nsecond line", drawn), nil
		}, func() error {
			if drawn == 3 {
				stop()
			}
			return ctx.Err()
		})
		stop()
		text := out.String()
		if fails != errors.Is(err, broken) || strings.Count(text, enterPage) != 1 || !strings.HasPrefix(text, enterPage) || !strings.HasSuffix(text, leavePage) {
			t.Errorf("it ended with %v and wrote %q", err, text)
		}
		if want := map[bool]int{false: 3, true: 2}[fails]; strings.Count(text, "picture") != want {
			t.Errorf("%d pictures, want %d", strings.Count(text, "picture"), want)
		}
	}
}
