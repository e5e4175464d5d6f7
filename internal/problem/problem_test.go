package problem

import (
	"fmt"
	"syscall"
	"testing"

	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

func TestADiskErrorNamesTheDiskFirst(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("%w in data: write work.duckdb: %w", failure.ErrDiskFull, syscall.ENOSPC)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"as it is":        {full, "the disk is full in data: write work.duckdb: no space left on device"},
		"below others":    {fmt.Errorf("stream contacts: the work database is closed: %w", full), "the disk is full in data: write work.duckdb: no space left on device (stream contacts: the work database is closed)"},
		"explained only":  {layout.Dir("data").Explain(fmt.Errorf("publish: %w", syscall.ENOSPC)), "the disk is full in data: publish: no space left on device"},
		"never explained": {fmt.Errorf("write the report: %w", syscall.ENOSPC), "the disk is full: write the report: no space left on device"},
	} {
		if p := AsProblem(tt.err); p.Class != "disk" || p.What != tt.want {
			t.Errorf("%s: %s: %s, want %s", name, p.Class, p.What, tt.want)
		}
	}
}
