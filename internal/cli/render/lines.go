package render

import (
	"bytes"
	"log/slog"
)

// LineLog makes a line of the log of each line that is written.
type LineLog struct {
	log  *slog.Logger
	rest []byte // of a line that is not whole yet
}

// NewLineLog writes to a log.
func NewLineLog(log *slog.Logger) *LineLog { return &LineLog{log: log} }

// Write logs what is whole of the text.
func (w *LineLog) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for line, rest, whole := bytes.Cut(w.rest, []byte{'\n'}); whole; line, rest, whole = bytes.Cut(rest, []byte{'\n'}) {
		w.log.Info(string(line))
		w.rest = rest
	}
	return len(text), nil
}

// Flush ends the last line.
func (w *LineLog) Flush() {
	if len(w.rest) > 0 {
		w.log.Info(string(w.rest))
	}
	w.rest = nil
}
