package plan

import (
	"context"
	"errors"
	"maps"
	"slices"

	"aqueduck/internal/dictionary"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// readStoredTables reads the columns of the published tables. Before the first publish there are none.
func readStoredTables(ctx context.Context, r *runner.Runner) (storedTables, error) {
	stored := storedTables{}
	const columns = `SELECT schema_name || '.' || table_name, column_name, data_type
		FROM duckdb_columns() c SEMI JOIN duckdb_tables() t USING (database_name, schema_name, table_name) WHERE NOT c.internal`
	err := runlog.QueryPublished(ctx, r.Dir, columns, func(v []any) error {
		name := runlog.AsText(v[0])
		if stored[name] == nil {
			stored[name] = map[string]string{}
		}
		stored[name][runlog.AsText(v[1])] = runlog.AsText(v[2])
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		err = nil
	}
	return stored, err
}

// planTables compares the tables of the streams with those of the published file.
func planTables(ctx context.Context, r *runner.Runner, stored storedTables, p *Plan) error {
	var workspaces []string
	for _, s := range p.Streams {
		if !slices.Contains(workspaces, s.Workspace) {
			workspaces = append(workspaces, s.Workspace)
		}
	}
	for _, workspace := range workspaces {
		streams, err := widenStreams(ctx, r, workspace)
		if err != nil {
			return err
		}
		for _, t := range dictionary.Tables(streams) {
			p.addSchemaChanges(stored, workspace, t)
		}
	}
	return nil
}

// widenStreams returns the stored streams of a workspace with the types of columns that the next run gives them.
func widenStreams(ctx context.Context, r *runner.Runner, workspace string) ([]*schemas.Stream, error) {
	streams := slices.Clone(r.StoredStreams(workspace))
	err := runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
		shapes, err := facts.Shapes(ctx, f.Reader, workspace)
		for i, s := range streams {
			streams[i] = warehouse.WidenStream(s, shapes, r.Config.Settings(s.Name).OnChange == "evolve")
		}
		return err
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		err = nil
	}
	return streams, err
}

func (p *Plan) addSchemaChanges(stored storedTables, workspace string, t transform.Table) {
	name := facts.StoredSchema(workspace, t) + "." + t.Name
	if stored[name] == nil {
		p.Tables = append(p.Tables, name)
		return
	}
	left := maps.Clone(stored[name])
	for _, c := range t.Columns {
		kind, there := left[c.Name]
		delete(left, c.Name)
		switch {
		case !there:
			p.Columns = append(p.Columns, name+"."+c.Name)
		case transform.IsWider(c.SQL, kind):
			p.Widened = append(p.Widened, WidenedColumn{Column: name + "." + c.Name, From: kind, To: c.SQL})
		}
	}
	for _, column := range slices.Sorted(maps.Keys(left)) {
		p.Unfilled = append(p.Unfilled, name+"."+column)
	}
}

// addDrift adds what the last runs met in the streams of the plan.
func (p *planBuilder) addDrift(ctx context.Context) error {
	drift, err := runlog.ReadDrift(ctx, p.runner.Dir, p.runner.Catalogue)
	for _, d := range drift {
		if slices.ContainsFunc(p.plan.Streams, func(s PlannedStream) bool {
			return s.Workspace == d.Workspace && (s.Stream == d.Stream || d.Stream == "")
		}) {
			p.plan.Drift = append(p.plan.Drift, d)
		}
	}
	return err
}
