package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/problem"
)

// TestParquetIsNotWrittenToATerminal: it is refused before the statement runs.
func TestParquetIsNotWrittenToATerminal(t *testing.T) {
	t.Parallel()
	_, theirs := openPseudoTerminal(t)
	a, _, stderr := inProcess("query", "--dir", t.TempDir(), "-o", "parquet", "SELECT 1")
	a.Stdout = theirs
	if code := runCommand(t.Context(), a); code != problem.ExitUsage || !strings.Contains(stderr.String(), "--output parquet writes a file: redirect it, e.g. > answer.parquet") {
		t.Errorf("%d: %s", code, stderr)
	}
}

// TestQueryFitsItsTerminal asks the same on terminals of two widths, with --all, with COLUMNS, and into a pipe.
func TestQueryFitsItsTerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the program fills a warehouse, without the race detector: make test runs it")
	}
	dir, err := filledOnce()
	if err != nil {
		t.Fatal(err)
	}
	const statement = "SELECT c.*, r.range AS number FROM range(41) r, (FROM contacts LIMIT 1) c ORDER BY number"
	ask := func(columns uint16, environment []string, arguments ...string) string {
		t.Helper()
		a, _, stderr := inProcess(append([]string{"query", "--dir", dir, statement}, arguments...)...)
		a.Lookup = lookupIn(environment)
		var ours, theirs *os.File
		if columns > 0 {
			ours, theirs = openPseudoTerminal(t)
			resizeTerminal(t, theirs, columns)
		} else if ours, theirs, err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		a.Stdout = theirs
		code := make(chan int, 1)
		go func() { code <- runCommand(t.Context(), a); _ = theirs.Close() }()
		var shown bytes.Buffer
		_, _ = shown.ReadFrom(ours) // a terminal ends with an error when its other end is closed
		if got := <-code; got != problem.ExitOK {
			t.Fatalf("it ended with %d: %s", got, stderr)
		}
		return strings.ReplaceAll(shown.String(), "\r", "")
	}
	widest := func(shown string) (most int) {
		for line := range strings.SplitSeq(shown, "\n") {
			most = max(most, len([]rune(line)))
		}
		return most
	}
	piped := ask(0, []string{"COLUMNS=60"})
	if all := ask(80, nil, "--all"); all != piped {
		t.Errorf("--all shows\n%s\nand a pipe gets\n%s", all, piped)
	}
	if !regexp.MustCompile(`\n\n  41 rows, \d+ columns\n$`).MatchString(piped) || strings.Contains(piped, "…") {
		t.Errorf("a pipe gets\n%s", piped)
	}
	for _, tt := range []struct {
		columns uint16
		most    int
		set     []string
	}{{80, 80, nil}, {140, 140, nil}, {140, 60, []string{"COLUMNS=60"}}} {
		shown := ask(tt.columns, tt.set)
		if n := widest(shown); n > tt.most || n < tt.most-40 || !regexp.MustCompile(`\n\n  41 rows \(40 shown\), \d+ columns \(\d+ shown\)\n$`).MatchString(shown) {
			t.Errorf("a terminal of %d shows %d characters:\n%s", tt.most, n, shown)
		}
	}
}

// TestS24CtrlCEndsAnEndlessStatement cancels the context that a signal cancels.
func TestS24CtrlCEndsAnEndlessStatement(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the program fills a warehouse, without the race detector: make test runs it")
	}
	dir, err := filledOnce()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(300*time.Millisecond, cancel).Stop()
	var out, said bytes.Buffer
	a := Env{Args: []string{"query", "--dir", dir, "SELECT count(*) FROM range(1000000000000)"}, Stdout: &out, Stderr: &said, Lookup: lookupIn(nil), Now: time.Now}
	began := time.Now()
	if code := runCommand(ctx, &a); code != 130 || !strings.HasPrefix(said.String(), "interrupted") || out.Len() > 0 || time.Since(began) > 20*time.Second {
		t.Errorf("after %s it ended with %d and said\n%s%s", time.Since(began), code, &said, &out)
	}
}
