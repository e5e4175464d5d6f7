package cli

import (
	"bytes"
	"context"
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

// TestS24CtrlCEndsAnEndlessStatement cancels the context that a signal cancels.
func TestS24CtrlCEndsAnEndlessStatement(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the program has filled a warehouse in the lane without the race detector")
	}
	dir, err := filledOnce()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(300*time.Millisecond, cancel).Stop()
	var out, said bytes.Buffer
	a := Env{Args: []string{"query", "--dir", dir, "SELECT count(*) FROM range(1000000000000)"}, Stdout: &out, Stderr: &said, Lookup: lookupIn(nil)}
	began := time.Now()
	if code := runCommand(ctx, &a); code != 130 || !strings.HasPrefix(said.String(), "interrupted") || out.Len() > 0 || time.Since(began) > 20*time.Second {
		t.Errorf("after %s it ended with %d and said\n%s%s", time.Since(began), code, &said, &out)
	}
}
