package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"aqueduck/load/layout"
)

// RunLog is the log of one run, as far as a filter lets it through.
type RunLog struct {
	Kept    bool      `json:"kept"`    // the run has a log; otherwise it is too old, or has logged nothing yet
	Lines   []LogLine `json:"lines"`   // in the order of the log, the newest last
	Total   int       `json:"total"`   // lines that the filter lets through, with those that are cut off
	Streams []string  `json:"streams"` // all streams that the log names
}

// LogLine is one message of a log.
type LogLine struct {
	At      time.Time `json:"at"` // by the clock of the warehouse
	Level   string    `json:"level"`
	Stream  string    `json:"stream,omitempty"`
	Message string    `json:"message"`
	Values  []LogWord `json:"values,omitempty"`
}

// LogWord is a named value of a message.
type LogWord struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LogFilter says which lines of a log are wanted.
type LogFilter struct {
	Level  slog.Level // the lowest
	Stream string     // "": of all streams, and of none
	Most   int        // the newest so many lines; 0: all
}

// ReadLog returns the log of a run. It skips lines that cannot be read.
func ReadLog(dir layout.Dir, run string, filter LogFilter) (*RunLog, error) {
	log := &RunLog{Lines: []LogLine{}, Streams: []string{}}
	if !runID.MatchString(run) {
		return log, nil
	}
	text, err := os.ReadFile(logPath(dir, run))
	if errors.Is(err, fs.ErrNotExist) {
		return log, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the log of run %s: %w", run, err)
	}
	log.Kept = true
	for raw := range bytes.SplitSeq(text, []byte{'\n'}) {
		line, level, err := parseLogLine(raw)
		if err != nil || line.Message == SaysEmulated { // the page says it itself
			continue
		}
		if line.Stream != "" && !slices.Contains(log.Streams, line.Stream) {
			log.Streams = append(log.Streams, line.Stream)
		}
		if level >= filter.Level && (filter.Stream == "" || filter.Stream == line.Stream) {
			log.Lines = append(log.Lines, line)
		}
	}
	slices.Sort(log.Streams)
	log.Total = len(log.Lines)
	if filter.Most > 0 {
		log.Lines = log.Lines[max(0, log.Total-filter.Most):]
	}
	return log, nil
}

// parseLogLine reads a line of a log. A stream that failed is logged at level info with its error; here it is a warning.
func parseLogLine(raw []byte) (l LogLine, level slog.Level, err error) {
	in := json.NewDecoder(bytes.NewReader(raw))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return l, level, errors.Join(err, errNoLine)
	}
	failed := false
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return l, level, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return l, level, err
		}
		text := string(value)
		_ = json.Unmarshal(value, &text) // a value that is no text stays as it is written
		switch name {
		case slog.TimeKey:
			l.At, err = time.Parse(time.RFC3339Nano, text)
		case slog.LevelKey:
			err = level.UnmarshalText([]byte(text))
		case slog.MessageKey:
			l.Message = text
		case "stream":
			l.Stream = text
		default:
			failed = failed || name == "error"
			l.Values = append(l.Values, LogWord{Name: fmt.Sprint(name), Value: text})
		}
		if err != nil {
			return l, level, err
		}
	}
	if failed {
		level = max(level, slog.LevelWarn)
	}
	l.Level = level.String()
	return l, level, nil
}

var errNoLine = errors.New("a line of a log is an object")
