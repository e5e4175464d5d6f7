package render

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"

	"aqueduck/internal/problem"
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
	var h slog.Handler = slog.NewTextHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: shortenAttr})
	if s.Form == "json" {
		h = slog.NewJSONHandler(w, &slog.HandlerOptions{Level: s.Level, ReplaceAttr: shortenAttr})
	} else if s.Terminal && s.Form != "text" {
		h = tint.NewTextHandler(w, &tint.Options{Level: s.Level, TimeFormat: time.TimeOnly, NoColor: !s.Colors, ReplaceAttr: shortenAttr})
	}
	return slog.New(clockHandler{h, s.Now})
}

// clockHandler gives messages the time of a clock.
type clockHandler struct {
	slog.Handler
	now func() time.Time
}

func (h clockHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Time = h.now()
	return h.Handler.Handle(ctx, r)
}

func (h clockHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return clockHandler{h.Handler.WithAttrs(attrs), h.now}
}

func (h clockHandler) WithGroup(name string) slog.Handler {
	return clockHandler{h.Handler.WithGroup(name), h.now}
}

// shortenAttr shortens the error of a message as other output does. Messages, which may be output of a user's command, and stacks stay complete.
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
