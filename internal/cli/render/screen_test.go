package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestTableOfARunIsRedrawnInPlace plays a terminal: text stays above the table, and only the last table is left.
func TestTableOfARunIsRedrawnInPlace(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := NewScreen(&out, func() (columns, lines int) { return 79, 24 })
	run := runlog.Running{Pipeline: "nightly", Doing: "reading", Done: 37, Left: time.Minute, Streams: []runlog.RunningStream{
		{Stream: "contacts", Phase: "backfill"}, {Stream: strings.Repeat("a_long_name_", 9), Phase: "waiting"},
	}}
	s.Show(run)
	fmt.Fprintln(s, "a word")
	run.Done = 38
	s.Show(run)
	var lines []string
	for _, piece := range strings.SplitAfter(out.String(), "\n") {
		for text, found := piece, true; found; {
			var up int
			var before string
			before, text, found = strings.Cut(text, "\x1b[")
			if before != "" {
				lines = append(lines, strings.TrimSuffix(before, "\n"))
			}
			if found {
				if _, err := fmt.Sscanf(text, "%dA\r\x1b[J", &up); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				lines = lines[:len(lines)-up]
				_, text, _ = strings.Cut(text, "\x1b[J")
			}
		}
	}
	if len(lines) != 5 || lines[0] != "a word" || !strings.Contains(lines[1], " 38%, ") || !strings.Contains(lines[3], "contacts") {
		t.Errorf("left on the screen:\n%s", strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if len([]rune(line)) > 79 {
			t.Errorf("too wide: %s", line)
		}
	}
	s.Clear()
	if !strings.HasSuffix(out.String(), "\x1b[4A\r\x1b[J") {
		t.Error("the table was not taken away")
	}
}
