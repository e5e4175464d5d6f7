package problem

import "log/slog"

// ShortenAttr shortens the error of a log message as other output does. Messages, which may be output of a user's command, and stacks stay complete.
func ShortenAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.MessageKey || a.Key == "trace" {
		return a
	}
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(Shorten(v))
	case error:
		a.Value = slog.StringValue(Shorten(v.Error()))
	}
	return a
}
