package render

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"aqueduck/internal/runlog"
)

// Screen is a terminal with a table at its end that is redrawn in place. Other output appears above the table.
type Screen struct {
	size func() (columns, lines int)

	mu    sync.Mutex // guards what follows
	to    io.Writer
	table string // without a line break at its end; "": no table
}

// UsualWidth is the width in characters of a terminal that does not say how wide it is.
const UsualWidth = 80

// usualHeight is the height of such a terminal: all lines are shown.
const usualHeight = 1000

// TerminalSize returns the width and the height of the terminal that is written to, in characters: 0 and 0 if it is no terminal, and a height of 0
// if the terminal does not say it. columns overrides the width, if it is a number above 0.
func TerminalSize(w io.Writer, columns string) (width, height int) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		return n, int(size.Row)
	}
	return cmp.Or(int(size.Col), UsualWidth), int(size.Row)
}

// NewScreen returns a screen for a terminal, without a table. size returns its width and height, which may change; 0 means that it is unknown.
func NewScreen(to io.Writer, size func() (columns, lines int)) *Screen {
	return &Screen{to: to, size: size}
}

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
	columns, height := s.size()
	// A line that fills the last column could wrap, and a table that is higher than the terminal scrolls: then it could not be erased.
	lines := strings.Split(runningTable(&r, cmp.Or(columns, UsualWidth)-1, cmp.Or(height, usualHeight)-1), "\n")
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
