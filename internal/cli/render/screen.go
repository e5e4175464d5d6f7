package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/runlog"
)

// Screen is a terminal with a table at its end that is drawn again and again. What else is written comes above it.
type Screen struct {
	mu    sync.Mutex // guards what follows
	to    io.Writer
	table string // without a line break at its end; "" is none
}

// wide is how much of a line is shown: a longer one would take two, and the table could not be found again.
const wide = 79

// NewScreen returns a screen that draws to a terminal, and has no table yet.
func NewScreen(to io.Writer) *Screen { return &Screen{to: to} }

// Write puts a text above the table.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.redrawTable(s.eraseSequence()+string(text), s.table); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Show draws the table of a run in place of the one before.
func (s *Screen) Show(r runlog.Running) {
	lines := strings.Split(runningTable(&r), "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > wide {
			lines[i] = string(runes[:wide])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A terminal that is gone is told of by whatever is written next.
	_ = s.redrawTable(s.eraseSequence(), strings.Join(lines, "\n"))
}

// Clear takes the table away.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.redrawTable(s.eraseSequence(), "")
}

// eraseSequence is what takes the table away: up to its first line, and everything below.
func (s *Screen) eraseSequence() string {
	if s.table == "" {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", strings.Count(s.table, "\n")+1)
}

func (s *Screen) redrawTable(before, table string) error {
	if s.table = table; table != "" {
		table += "\n"
	}
	_, err := io.WriteString(s.to, before+table)
	return err
}

// ThrottleSnapshots lets one snapshot in a while through; a run that is over sooner has none.
func ThrottleSnapshots(pause time.Duration, show func(runlog.Running)) func(runlog.Running) {
	last := time.Now()
	return func(r runlog.Running) {
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			show(r)
		}
	}
}
