package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// mostLog limits the bytes of one run's log. The logs of the keepTraces newest runs are kept.
const mostLog = 256 << 10

// LogFile is the file with the log of one run, one JSON object a line. It is safe for concurrent use.
type LogFile struct {
	path string
	now  func() time.Time

	mu    sync.Mutex // guards what follows
	early []byte     // lines from before the directory was made
	size  int        // bytes written
	err   error      // why a line is missing
}

// NewLogFile returns the log file of a run, with the times of a clock. It is made with the first line after the directory exists.
func NewLogFile(dir layout.Dir, run string, now func() time.Time) *LogFile {
	return &LogFile{path: logPath(dir, run), now: now}
}

func logPath(dir layout.Dir, run string) string {
	return filepath.Join(dir.RunDir(), run+layout.LogSuffix)
}

// Handler returns a handler of messages of every level that writes to the file. It shortens errors as other output does.
func (f *LogFile) Handler() slog.Handler {
	return WithClock(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: problem.ShortenAttr}), f.now)
}

// Write appends a line, or drops it: a run does not depend on its log. Each line is written to the file that has the name then, because an erasure may
// replace the file. A line begins with a line break, so that one that a full disk cut short spoils no other.
func (f *LogFile) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size >= mostLog {
		return len(line), nil
	}
	text := append(append(f.early, '\n'), bytes.TrimSuffix(line, []byte{'\n'})...)
	if f.size+len(text) >= mostLog {
		text = fmt.Appendf(text, "\n"+`{"time":%q,"level":"WARN","msg":"the log of this run is full: later messages are only on stderr"}`, f.now().UTC().Format(time.RFC3339))
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		f.early = text // the run makes the directory
		return len(line), nil
	}
	if err == nil {
		_, err = file.Write(text)
		err = errors.Join(err, file.Close())
	}
	f.early, f.size = nil, f.size+len(text)
	if f.err == nil {
		f.err = err
	}
	return len(line), nil
}

// Err returns why a line is missing; nil when none is.
func (f *LogFile) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
