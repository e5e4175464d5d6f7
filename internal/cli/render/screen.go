package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/runlog"
)

// Screen is a terminal with a table at its end that is redrawn in place. Other output appears above the table.
type Screen struct {
	mu    sync.Mutex // guards what follows
	to    io.Writer
	table string // without a line break at its end; "": no table
}

// wide is the number of characters of a line that are shown. A longer line could wrap, and then the table could not be erased.
const wide = 79

// NewScreen returns a screen for a terminal, without a table.
func NewScreen(to io.Writer) *Screen { return &Screen{to: to} }

// Write writes a text above the table.
func (s *Screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.redrawTable(s.eraseSequence()+string(text), s.table); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Show replaces the table with that of a run.
func (s *Screen) Show(r runlog.Running) {
	lines := strings.Split(runningTable(&r), "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > wide {
			lines[i] = string(runes[:wide])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The next output reports a terminal that is gone.
	_ = s.redrawTable(s.eraseSequence(), strings.Join(lines, "\n"))
}

// Clear removes the table.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.redrawTable(s.eraseSequence(), "")
}

// eraseSequence returns the control sequence that erases the table: to its first line, then everything below.
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

// ThrottleSnapshots shows at most one snapshot in each pause. A run that is shorter than that has none.
func ThrottleSnapshots(pause time.Duration, show func(runlog.Running)) func(runlog.Running) {
	last := time.Now()
	return func(r runlog.Running) {
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			show(r)
		}
	}
}
