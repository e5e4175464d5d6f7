package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

func TestDurationsAreBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                                "0.0s",
		11234 * time.Millisecond:         "11.2s",
		59_960 * time.Millisecond:        "1m",
		70 * time.Second:                 "1m10s",
		10 * time.Minute:                 "10m",
		time.Hour - time.Millisecond:     "1h",
		7*time.Hour + 10*time.Minute:     "7h10m",
		12*time.Hour + 10*time.Second:    "12h",
		27*time.Hour + 29*time.Minute:    "27h29m",
		-5 * time.Second:                 "-5.0s",
		4*time.Minute + 9600*time.Minute: "160h4m",
	} {
		if got := term.Duration(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestCountOfOneIsSingular(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 tables", 1: "1 table", 2: "2 tables", 1234567: "1,234,567 tables"} {
		if got := term.Count(n, "table"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestEveryErrorHasAClassAndAnExitCode includes errors of the disk as runs have met them: an error of the disk is no bug of the program.
func TestEveryErrorHasAClassAndAnExitCode(t *testing.T) {
	t.Parallel()
	mistakes := grammar.Mistakes{{File: "pipelines.yaml", Line: 2, Column: 1, Message: "unknown key"}}
	for _, tc := range []struct {
		name  string
		err   error
		class string
		exit  int
	}{
		{"mistakes", fmt.Errorf("reload: %w", mistakes), "config", problem.ExitConfig},
		{"nothing published", failure.ErrNothingPublished, "data", problem.ExitFailed},
		{"unreadable", fmt.Errorf("look: %w", failure.ErrUnreadable), "data", problem.ExitFailed},
		{"no whole file", fmt.Errorf("open: %w", failure.ErrNoWholeFile), "data", problem.ExitConfig},
		{"busy", &layout.BusyError{Holder: "process 1"}, "busy", problem.ExitBusy},
		{"full", fmt.Errorf("publish: %w", failure.ErrDiskFull), "disk", problem.ExitFailed},
		{"an error of the disk", fmt.Errorf("publish: %w", &fs.PathError{Op: "sync", Path: "work.duckdb", Err: syscall.EIO}), "disk", problem.ExitFailed},
		{"one that DuckDB met", errors.New(`publish: checkpoint the copy: IO Error: Could not write file "work.duckdb": Input/output error`), "disk", problem.ExitFailed},
		{"one that DuckDB does not name", errors.New("publish: comment schema _sync: FATAL Error: fsync failed!"), "disk", problem.ExitFailed},
		{"no more files", fmt.Errorf("publish: %w", &fs.PathError{Op: "open", Path: "part", Err: syscall.EMFILE}), "disk", problem.ExitFailed},
		{"no more files for DuckDB", errors.New(`IO Error: Cannot open file "packed.duckdb": Too many open files`), "disk", problem.ExitFailed},
		{"full where nobody has said so", fmt.Errorf("note: %w", syscall.ENOSPC), "disk", problem.ExitFailed},
		{"read-only", fmt.Errorf("lock: %w", &fs.PathError{Op: "open", Path: "lock", Err: syscall.EROFS}), "disk", problem.ExitFailed},
		{"another user's", fmt.Errorf("lock: %w", &fs.PathError{Op: "open", Path: "lock", Err: syscall.EACCES}), "config", problem.ExitConfig},
		{"another user's, to DuckDB", errors.New(`IO Error: Cannot open file "work.duckdb": Permission denied`), "config", problem.ExitConfig},
		{"an answer that says so", &api.Error{Class: api.ClassContract, Op: "read contacts", Message: "Input/output error"}, "data", problem.ExitFailed},
		{"other", fmt.Errorf("a fault"), "bug", problem.ExitInternal},
		{"a problem inside", fmt.Errorf("run: %w", &problem.Problem{Class: "auth", What: "401", Next: "a token"}), "auth", problem.ExitRefused},
	} {
		p := problem.AsProblem(tc.err)
		if p.Class != tc.class || p.ExitCode() != tc.exit || p.Next == "" {
			t.Errorf("%s: %+v", tc.name, p)
		}
	}
}

func TestTablesEndWithoutSpaces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := runlog.Report{Pipeline: "nightly", RunID: "01K9", Changes: []load.Change{{Schema: "main", Table: "tags"}}, Streams: []runlog.StreamResult{
		{Workspace: "main", Stream: "contacts", Status: runlog.StatusOK, Extracted: 5000, New: 4999, Time: 4 * time.Second, Backfill: 1},
		{Workspace: "main", Stream: "tags", Status: runlog.StatusFailed, Class: "transient", Error: "503", Next: "aqueduck sync nightly --failed", Backfill: 1},
	}}
	render.PrintReport(&r, &out)
	for line := range strings.Lines(out.String()) {
		if strings.TrimRight(line, " \n")+"\n" != line {
			t.Errorf("spaces at the end of %q", line)
		}
	}
	for _, want := range []string{
		"  contacts  ok          5,000  4,999        0         0     0        0  4.0s  –\n",
		"  tags      FAILED          0      0        0         0     0        0  0.0s  –\n",
		"  tables and views created: 1\n", "\n  error[transient] 503\n       next: aqueduck sync nightly --failed\n", "\nFAILED nightly ok=1 unavailable=0 failed=1 rows=0 ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}

func TestDirectoryOfAnotherUserIsExplained(t *testing.T) {
	t.Parallel()
	for next, err := range map[string]error{
		"run it as the owner of the warehouse":                                                                       fmt.Errorf("prepare data: %w", &fs.PathError{Op: "chmod", Path: "data/.aqueduck", Err: syscall.EPERM}),
		"give an empty directory or the directory of this warehouse":                                                 errors.New("data is not a warehouse of this program"),
		"if this is the directory of this warehouse: echo 'aqueduck warehouse 1' > data/.aqueduck/format; otherwise": &layout.UnmarkedError{Path: "data/.aqueduck/format"},
		"run the version of the program that made it":                                                                &layout.FormatError{Path: "data/.aqueduck/format", Found: "aqueduck warehouse 9"},
		"move this file away, then run aqueduck sync, which makes":                                                   fmt.Errorf("adopt: %w", &layout.LinkReplacedError{Path: "data/warehouse.duckdb"}),
	} {
		if p := runner.NotUsable(err); p.Class != "config" || p.ExitCode() != problem.ExitConfig || !strings.HasPrefix(p.Next, next) {
			t.Errorf("%v: %+v", err, p)
		}
	}
}

func TestReachedNamesOneTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		want   string
		result runlog.StreamResult
	}{
		{"02:00", runlog.StreamResult{Status: runlog.StatusOK, SyncedTo: at, Backfill: 1}},
		{"02:00, backfill 37%", runlog.StreamResult{Status: runlog.StatusOK, SyncedTo: at, Backfill: 0.37}},
		{"02:00", runlog.StreamResult{Status: runlog.StatusFailed, SyncedTo: at, Backfill: 0.37}},
		{"–", runlog.StreamResult{Status: runlog.StatusFailed}},
		{"–", runlog.StreamResult{Status: runlog.StatusUnavailable}},
	} {
		if got := c.result.Reached(at.Add(time.Hour)); got != c.want {
			t.Errorf("%+v reached %q, want %q", c.result, got, c.want)
		}
	}
}
