package runlog

import (
	"context"
	"log/slog"
	"time"
)

// WithClock returns a handler that gives messages the time of a clock, and passes them on.
func WithClock(h slog.Handler, now func() time.Time) slog.Handler { return clockHandler{h, now} }

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
