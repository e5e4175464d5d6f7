package cli

import (
	"bytes"
	"io"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
)

// writesJSONLines says that a command writes nothing to stderr but lines of JSON: one that runs pipelines, where its log was asked to be so.
func writesJSONLines(env *Env, c *cobra.Command) bool {
	return env.logFormat == "json" && slices.Contains([]string{"serve", "sync"}, c.Name())
}

// told is the log of what programs are told whatever level they asked for.
func (env *Env) told() *slog.Logger {
	return slog.New(slog.NewJSONHandler(env.Stderr, &slog.HandlerOptions{ReplaceAttr: shorten}))
}

// afterOutput is where the commands after a run write: to stderr as they do, or, for programs, in lines of the log. What it gives ends
// their last line.
func afterOutput(env *Env, p *pipeline.Pipeline) (out io.Writer, end func()) {
	if !env.machine.Load() {
		return env.Stderr, func() {}
	}
	w := &logged{log: env.told().With("after", p.Name)}
	return w, w.flush
}

// logged makes a line of the log of each line that is written.
type logged struct {
	log  *slog.Logger
	rest []byte // of a line that is not whole yet
}

func (w *logged) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for line, rest, whole := bytes.Cut(w.rest, []byte{'\n'}); whole; line, rest, whole = bytes.Cut(rest, []byte{'\n'}) {
		w.log.Info(string(line))
		w.rest = rest
	}
	return len(text), nil
}

func (w *logged) flush() {
	if len(w.rest) > 0 {
		w.log.Info(string(w.rest))
	}
	w.rest = nil
}
