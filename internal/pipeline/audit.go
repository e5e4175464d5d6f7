package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"aqueduck/extract"
	"aqueduck/load"
)

// find takes in something that the reader of the audit should know.
func (r *run) find(f load.Finding) {
	f.Message = Shorten(f.Message)
	r.findMu.Lock()
	defer r.findMu.Unlock()
	same := func(known load.Finding) bool {
		return f.Once && known.Schema == f.Schema && known.Stream == f.Stream && known.Name == f.Name
	}
	if !slices.ContainsFunc(r.findings, same) {
		r.findings = append(r.findings, f)
	}
}

// audit closes the findings of a run: exact ones fail it, soft and known ones are told when they are new.
func (r *run) audit(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var told map[[3]string]bool
	err := r.writer.use(func(work *load.Work) (err error) {
		told, err = work.EarlierFindings(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("read what was told before: %w", err)
	}
	for _, w := range r.workspaces {
		if err := r.orphans(ctx, w); err != nil {
			return err
		}
	}
	for _, t := range r.tasks {
		if err := r.auditIncomplete(ctx, t); err != nil {
			return err
		}
	}
	r.findMu.Lock()
	defer r.findMu.Unlock()
	r.reported.Findings = nil
	for _, f := range r.findings {
		if !f.Once || !told[[3]string{f.Schema, f.Stream, f.Name}] {
			r.reported.Findings = append(r.reported.Findings, f)
		}
	}
	return nil
}

// orphans finds rows of nested lists without their record.
func (r *run) orphans(ctx context.Context, w *workspace) error {
	var found map[string]int64
	err := r.writer.use(func(work *load.Work) (err error) {
		found, err = work.Orphans(ctx, w.name, r.writer.tables[w.name])
		return err
	})
	if err != nil {
		return err
	}
	for table, n := range found {
		f := load.Finding{Schema: w.name, Table: table, Kind: "exact", Name: "orphans", Expected: "0", Found: fmt.Sprint(n),
			Message: "rows of a nested list whose record is not stored"}
		if !slices.Contains(r.findings, f) {
			r.find(f)
		}
	}
	return nil
}

// auditPage looks at what a page tells of itself. What is known to be cut short is told once.
func (t *task) auditPage(page extract.Page) {
	for _, record := range page.Records {
		if t.capped || record.Gone || record.Raw == nil {
			continue
		}
		if what, table, sent, of := extract.Capped(t.stream, record.Raw); of > sent {
			t.capped = true
			t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: cmp.Or(table, t.tables[0].Name), Kind: "known", Name: what + "_capped", Once: true,
				Expected: fmt.Sprint(of), Found: fmt.Sprint(sent), Message: "the source sends only the newest: older ones are here if they were read while they were among those"})
		}
	}
}

// auditTimes tells of times that come in milliseconds: they are stored as the instants that they are.
func (t *task) auditTimes() {
	for _, column := range t.decoder.MillisecondColumns() {
		t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "known", Name: "milliseconds", Once: true,
			Message: "the source sends times in milliseconds, first seen in " + column + "; they are stored as instants, like all others"})
	}
}

// auditSweep compares what a walk over a list has read with the list's own count. A list that moves meanwhile has another one: only
// what no change that was seen explains is told.
func (t *task) auditSweep(sweep *extract.Sweep) {
	off := sweep.Total - sweep.Rows
	if off < 0 {
		off = -off
	}
	lists := t.stream.Read.Over != nil || t.stream.Read.Below != nil // several lists, each with its own count
	if sweep.Total < 0 || sweep.Capped || lists || off <= max(sweep.Total/100, t.result.New+t.result.Changed+t.result.Gone) {
		return
	}
	t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "soft", Name: "total_count", Once: true,
		Expected: fmt.Sprint(sweep.Total), Found: fmt.Sprint(sweep.Rows), Message: "the list has another number of records than it says"})
}

// exact says that the audit found what must not be.
func (r *Report) exact() bool {
	return slices.ContainsFunc(r.Findings, func(f load.Finding) bool { return f.Kind == "exact" })
}
