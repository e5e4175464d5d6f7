package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/load/layout"
)

// logDir returns a directory with a place for logs.
func logDir(t *testing.T) layout.Dir {
	t.Helper()
	dir := layout.Dir(t.TempDir())
	if err := os.MkdirAll(dir.RunDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

const loggedRun = "01K90000000000000000000000"

func readLog(t *testing.T, dir layout.Dir, filter LogFilter) *RunLog {
	t.Helper()
	log, err := ReadLog(dir, loggedRun, filter)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// TestALogIsKeptAsItIsWritten: from the first line, also before the directory exists, in the order of the writers, and only for its owner.
func TestALogIsKeptAsItIsWritten(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	file := NewLogFile(dir, loggedRun, time.Now)
	log := slog.New(file.Handler())
	log.Debug("early", "n", 1)
	if got := readLog(t, dir, LogFilter{Level: slog.LevelDebug}); got.Kept {
		t.Errorf("there is no directory, but a log: %+v", got)
	}
	if err := os.MkdirAll(dir.RunDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 20 {
		writers.Go(func() { log.Info("stream ok", "stream", fmt.Sprintf("s%d", i%2), "rows", int64(1)<<62) })
	}
	writers.Wait()
	log.Info("stream FAILED", "stream", "s1", "class", "data", "error", errors.New("line\nbreak"))
	log.Error("the run ended FAILED", "exit", 1)
	if err := file.Err(); err != nil {
		t.Error(err)
	}
	all := readLog(t, dir, LogFilter{Level: slog.LevelDebug})
	if all.Total != 23 || all.Lines[0].Message != "early" || strings.Join(all.Streams, " ") != "s0 s1" || fmt.Sprint(all.Lines[1].Values) != "[{rows 4611686018427387904}]" {
		t.Errorf("%d lines of %v, the first %+v", all.Total, all.Streams, all.Lines[:2])
	}
	for _, test := range []struct {
		name   string
		filter LogFilter
		want   string
		total  int
	}{
		{"warnings", LogFilter{Level: slog.LevelWarn}, "WARN stream FAILED, ERROR the run ended FAILED", 2},
		{"the newest", LogFilter{Level: slog.LevelInfo, Most: 1}, "ERROR the run ended FAILED", 22},
		{"of a stream", LogFilter{Level: slog.LevelWarn, Stream: "s1"}, "WARN stream FAILED", 1},
		{"of an unknown stream", LogFilter{Stream: "s2"}, "", 0},
	} {
		got := readLog(t, dir, test.filter)
		var lines []string
		for _, l := range got.Lines {
			lines = append(lines, l.Level+" "+l.Message)
		}
		if strings.Join(lines, ", ") != test.want || got.Total != test.total {
			t.Errorf("%s: %q of %d", test.name, lines, got.Total)
		}
	}
	if info, err := os.Stat(logPath(dir, loggedRun)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if got, err := ReadLog(dir, "../"+loggedRun, LogFilter{}); err != nil || got.Kept {
		t.Errorf("a run that is no id: %+v, %v", got, err)
	}
}

// TestALogSurvivesTornLinesAndItsReplacement: a line that a full disk cut short is left out alone, and after an erasure has replaced the file, later lines
// are in the new one.
func TestALogSurvivesTornLinesAndItsReplacement(t *testing.T) {
	t.Parallel()
	dir := logDir(t)
	log := slog.New(NewLogFile(dir, loggedRun, time.Now).Handler())
	log.Info("Ann called", "error", "Ann")
	file, err := os.OpenFile(logPath(dir, loggedRun), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString("\n[1]\n{\"time\":1,\"msg\":\"no time\"}\n" + `{"time":"2026-11-20T02:00:00Z","le`)
	if err := errors.Join(err, file.Close(), layout.EraseFromMessages(dir, []string{"Ann"})); err != nil {
		t.Fatal(err)
	}
	log.Info("afterwards")
	got := readLog(t, dir, LogFilter{})
	if got.Total != 2 || got.Lines[0].Message != "(erased) called" || got.Lines[0].Values[0].Value != "(erased)" || got.Lines[1].Message != "afterwards" {
		t.Errorf("%+v", got)
	}
}

// TestALogHasALimit of bytes, and says so in its last line. Logs of older runs are removed together with their traces.
func TestALogHasALimit(t *testing.T) {
	t.Parallel()
	dir := logDir(t)
	log := slog.New(NewLogFile(dir, loggedRun, time.Now).Handler())
	for range 400 {
		log.Info(strings.Repeat("x", 1000))
	}
	got := readLog(t, dir, LogFilter{})
	if last := got.Lines[len(got.Lines)-1]; last.Level != "WARN" || !strings.Contains(last.Message, "later messages are only on stderr") || last.At.IsZero() || got.Total > 300 {
		t.Errorf("%d lines, the last %+v", got.Total, last)
	}
	if info, err := os.Stat(logPath(dir, loggedRun)); err != nil || info.Size() > mostLog+2000 {
		t.Errorf("the file: %v, %v", info, err)
	}

	for i := range keepTraces + 3 {
		for _, suffix := range []string{".json", layout.LogSuffix} {
			if i%2 == 0 || suffix == ".json" {
				if err := os.WriteFile(filepath.Join(dir.RunDir(), fmt.Sprintf("01J%023d%s", i, suffix)), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := DropTraces(dir.RunDir()); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]bool{0: false, 1: false, 2: false, 3: false, 4: true} { // the log above is of the newest run
		_, err := os.Stat(filepath.Join(dir.RunDir(), fmt.Sprintf("01J%023d.json", i)))
		if errors.Is(err, fs.ErrNotExist) == want {
			t.Errorf("the trace of run %d: %v", i, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir.RunDir(), fmt.Sprintf("01J%023d%s", 2, layout.LogSuffix))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log of run 2: %v", err)
	}
	if left := readLog(t, dir, LogFilter{}); !left.Kept {
		t.Error("the log of the newest run is gone")
	}
}
