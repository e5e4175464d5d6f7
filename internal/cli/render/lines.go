package render

import (
	"bytes"
	"log/slog"
)

// LineLog writes each line of a text as a message of a log.
type LineLog struct {
	log  *slog.Logger
	rest []byte // of a line whose end has not come yet
}

// NewLineLog returns a LineLog that writes to this log.
func NewLineLog(log *slog.Logger) *LineLog { return &LineLog{log: log} }

// Write logs each complete line, and keeps the rest until its end comes.
func (w *LineLog) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for line, rest, whole := bytes.Cut(w.rest, []byte{'\n'}); whole; line, rest, whole = bytes.Cut(rest, []byte{'\n'}) {
		w.log.Info(string(line))
		w.rest = rest
	}
	return len(text), nil
}

// Flush logs a last line without an end.
func (w *LineLog) Flush() {
	if len(w.rest) > 0 {
		w.log.Info(string(w.rest))
	}
	w.rest = nil
}
