package render

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// LogStyle is the format of a log.
type LogStyle struct {
	Level    slog.Level // messages below it are not written
	Form     string     // text, json or auto, which is readable text on a terminal
	Terminal bool       // the log goes to a terminal
	Colors   bool       // colours on a terminal

	Now func() time.Time // the clock of the messages
}

// NewLog returns a log in a style. It shortens errors as other output does.
func NewLog(w io.Writer, s LogStyle) *slog.Logger {
	var h slog.Handler = slog.NewTextHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: problem.ShortenAttr})
	if s.Form == "json" {
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: problem.ShortenAttr})
	} else if s.Terminal && s.Form != "text" {
		h = tint.NewTextHandler(w, &tint.Options{Level: s.Level, TimeFormat: time.TimeOnly, NoColor: !s.Colors, ReplaceAttr: problem.ShortenAttr})
	}
	return slog.New(runlog.WithClock(h, s.Now))
}
