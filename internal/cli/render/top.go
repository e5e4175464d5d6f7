package render

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// TopView draws the status and the disk of a warehouse for a terminal that is redrawn: what needs action and the current run come first. It has at most
// so many lines of so many characters. room says what the disk has.
func TopView(s *runlog.Status, fileBytes int64, room string, width, height int) string {
	var out bytes.Buffer
	clock := ""
	if s.Emulated {
		clock = " of the emulated workspace"
	}
	fmt.Fprintf(&out, "directory %s, now %s%s, file of %.1f MB, disk with %s\n\n", s.Dir, s.Now.UTC().Format("15:04:05 UTC"), clock, float64(fileBytes)/1e6, room)
	shown := *s
	if s.Running != nil {
		out.WriteString(runningTable(s.Running, width, max(4, height/2)) + "\n\n")
		shown.Running = nil
	}
	PrintStatus(&shown, &out)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if most := max(1, height-1); len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("… %s", term.Count(len(lines)-most+1, "more line")))
	}
	for i, line := range lines {
		lines[i] = cutCell(line, width)
	}
	return strings.Join(lines, "\n")
}

// Control sequences of a terminal: a page of its own and back, and a redraw without flicker.
const (
	enterPage  = "\x1b[?1049h\x1b[?25l"
	leavePage  = "\x1b[?25h\x1b[?1049l"
	firstLine  = "\x1b[H"
	restOfLine = "\x1b[K"
	restOfPage = "\x1b[J"
)

// WatchTop redraws a terminal with what draw returns, until ctx ends, which is no error. pause waits between two pictures. The terminal has its
// former content afterwards.
func WatchTop(ctx context.Context, to io.Writer, draw func() (string, error), pause func() error) error {
	before := enterPage
	defer func() { _, _ = io.WriteString(to, leavePage) }() // a terminal that is gone needs no end
	for {
		view, err := draw()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, before+firstLine+strings.ReplaceAll(view, "\n", restOfLine+"\r\n")+restOfLine+restOfPage); err != nil {
			return err
		}
		if before = ""; pause() != nil {
			return nil
		}
	}
}
