package cli

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/lmittmann/tint"

	"aqueduck/internal/pipeline"
)

// log is the log that was asked for, on stderr.
func (env *Env) log() *slog.Logger {
	f, ok := env.Stderr.(*os.File)
	return env.logTo(env.Stderr, ok && terminal(f), slog.LevelDebug)
}

// logTo logs what was asked for, and no less important than a level, for people where they look at a terminal.
func (env *Env) logTo(w io.Writer, people bool, least slog.Level) *slog.Logger {
	level := slog.LevelWarn
	if !env.quiet {
		level = max(levels[env.logLevel], least)
	}
	if env.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: shorten}))
	}
	if people && env.logFormat != "text" {
		return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !env.coloured(), ReplaceAttr: shorten}))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: shorten}))
}

// shorten has no line of a log tell more of an error than every other place does. What commands of a user write is theirs, and where a
// fault is takes the room that it needs.
func shorten(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.MessageKey || a.Key == "trace" {
		return a
	}
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(pipeline.Shorten(v))
	case error:
		a.Value = slog.StringValue(pipeline.Shorten(v.Error()))
	}
	return a
}
