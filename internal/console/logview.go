package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"aqueduck/internal/runlog"
)

// shownLog is the number of the newest lines of a log that the page of a run shows at first.
const shownLog = 200

// logLevels are the levels that a log is filtered by.
var logLevels = []string{"debug", "info", "warn", "error"}

// logView is the log of a run on its page, as the address filters it.
type logView struct {
	*runlog.RunLog
	Level  string // the lowest level
	Stream string // "": all
	Whole  bool   // all lines, not only the newest
}

// Levels are the levels that the page offers.
func (v logView) Levels() []string { return logLevels }

// Link is the address of the same page with another filter.
func (v logView) Link(level, stream string, whole bool) string {
	q := url.Values{}
	if level != "info" {
		q.Set("level", level)
	}
	if stream != "" {
		q.Set("stream", stream)
	}
	if whole {
		q.Set("lines", "all")
	}
	return "?" + q.Encode() + "#log"
}

// readLog reads the log of a run with the filter of a request: level (info by default), stream, and lines=all.
func (c *Console) readLog(r *http.Request, run string) (v logView, err error) {
	q := r.URL.Query()
	v = logView{Level: strings.ToLower(q.Get("level")), Stream: q.Get("stream"), Whole: q.Get("lines") == "all"}
	filter := runlog.LogFilter{Stream: v.Stream}
	if filter.Level.UnmarshalText([]byte(v.Level)) != nil {
		v.Level, filter.Level = "info", slog.LevelInfo
	}
	if !v.Whole {
		filter.Most = shownLog
	}
	v.RunLog, err = runlog.ReadLog(c.o.Dir, run, filter)
	return v, err
}

// serveLog answers the log of a run as JSON.
func (c *Console) serveLog(ctx context.Context, r *http.Request) (any, error) {
	d, err := readRun(ctx, &c.o, r)
	if err != nil {
		return nil, err
	}
	v, err := c.readLog(r, d.Run)
	return v.RunLog, err
}

// levelBadge is a level of a message as a shape and a colour.
func levelBadge(level string) stateBadge {
	switch level = strings.ToLower(level); level {
	case "warn":
		return stateBadge{"late", "▲", level}
	case "error":
		return stateBadge{"error", "✖", level}
	}
	return stateBadge{"quiet", "○", level}
}
