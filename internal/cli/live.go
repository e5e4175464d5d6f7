package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/pipeline"
)

// screen is a terminal with a table at its end that is drawn again and again. What else is written comes above it.
type screen struct {
	mu    sync.Mutex // guards what follows
	to    io.Writer
	table string // without a line break at its end; "" is none
}

// wide is how much of a line is shown: a longer one would take two, and the table could not be found again.
const wide = 79

// Write puts a text above the table.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.draw(s.erased()+string(text), s.table); err != nil {
		return 0, err
	}
	return len(text), nil
}

// show draws the table of a run in place of the one before.
func (s *screen) show(r pipeline.Running) {
	lines := strings.Split(r.Table(), "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > wide {
			lines[i] = string(runes[:wide])
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A terminal that is gone is told of by whatever is written next.
	_ = s.draw(s.erased(), strings.Join(lines, "\n"))
}

// clear takes the table away.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.draw(s.erased(), "")
}

// erased is what takes the table away: up to its first line, and everything below.
func (s *screen) erased() string {
	if s.table == "" {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", strings.Count(s.table, "\n")+1)
}

func (s *screen) draw(before, table string) error {
	if s.table = table; table != "" {
		table += "\n"
	}
	_, err := io.WriteString(s.to, before+table)
	return err
}

// watchRuns shows the runs of a runner as they were asked to be shown: in a table, where there is a terminal that can, one that moves its
// cursor; in a line now and then; as lines of JSON; or not at all. What it gives ends that.
func watchRuns(env *Env, runner *pipeline.Runner) (end func()) {
	f, isFile := env.Stderr.(*os.File)
	able := isFile && !env.quiet && env.logLevel != "debug" && terminal(f) && env.fallback("TERM", "dumb") != "dumb"
	switch {
	case env.progress == "tty" || env.progress == "auto" && able:
		s := &screen{to: env.Stderr}
		env.watched.Store(s)
		// What streams say when they end is in the table, and then in the report.
		runner.Watch, runner.Log = s.show, env.logTo(s, true, slog.LevelWarn)
		return func() { env.watched.Store(nil) }
	case env.progress == "json":
		runner.Log = env.logTo(env.Stderr, false, slog.LevelWarn)
		runner.Watch = every(jsonEvery, func(r pipeline.Running) {
			if line, err := json.Marshal(r); err == nil { // it is made of numbers and texts
				fmt.Fprintf(env.Stderr, "%s\n", line)
			}
		})
	case env.progress == "none":
		runner.Log = env.logTo(env.Stderr, isFile && terminal(f), slog.LevelWarn)
	case !env.quiet:
		runner.TellBegin = true
		runner.Watch = every(plainEvery, func(r pipeline.Running) { runner.Log.Info(r.Line()) })
	}
	return func() {}
}

// How often a run is told of that nobody draws.
const (
	plainEvery = 10 * time.Second
	jsonEvery  = time.Second
)

// every lets one snapshot in a while through; a run that is over sooner has none.
func every(pause time.Duration, show func(pipeline.Running)) func(pipeline.Running) {
	last := time.Now()
	return func(r pipeline.Running) {
		if now := time.Now(); now.Sub(last) >= pause {
			last = now
			show(r)
		}
	}
}

// clearScreen takes the table of a run that has ended away.
func clearScreen(env *Env) {
	if s := env.watched.Load(); s != nil {
		s.clear()
	}
}
