package render

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"

	"aqueduck/internal/problem"
)

// LogStyle is how a log is written.
type LogStyle struct {
	Level    slog.Level // nothing less important is written
	Form     string     // text, json, or auto: for people where they look at a terminal
	Terminal bool       // people look at it
	Colors   bool       // where people do
}

// NewLog returns a log in a style. No line of it tells more of an error than other places do.
func NewLog(w io.Writer, s LogStyle) *slog.Logger {
	if s.Form == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: shortenAttr}))
	}
	if s.Terminal && s.Form != "text" {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: s.Level, TimeFormat: time.TimeOnly, NoColor: !s.Colors, ReplaceAttr: shortenAttr}))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: shortenAttr}))
}

// shortenAttr has no line of a log tell more of an error than every other place does. What commands of a user write is theirs, and where a
// fault is takes the room that it needs.
func shortenAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.MessageKey || a.Key == "trace" {
		return a
	}
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(problem.Shorten(v))
	case error:
		a.Value = slog.StringValue(problem.Shorten(v.Error()))
	}
	return a
}
