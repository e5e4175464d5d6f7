package runlog

import (
	"context"
	"fmt"
	"strings"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// StoredWorkspaces returns the names of the workspaces that the published file has; none when it cannot be read.
func StoredWorkspaces(ctx context.Context, dir layout.Dir) (names []string) {
	_ = read.Query(ctx, dir.Readable(), "SELECT schema FROM _sync.workspaces ORDER BY schema", func(_ []string, row []any) error {
		if row != nil {
			names = append(names, fmt.Sprint(row[0]))
		}
		return nil
	})
	return names
}

// NoWorkspace is the error for a workspace that the published file does not have.
func NoWorkspace(name string, stored []string) error {
	p := &problem.Problem{Class: "usage", What: fmt.Sprintf("this warehouse has no workspace %q", name), Next: "choose one of the workspaces of this warehouse: --workspace NAME"}
	if len(stored) > 0 {
		p.Next += "; it has " + strings.Join(stored, ", ")
	}
	return p
}
