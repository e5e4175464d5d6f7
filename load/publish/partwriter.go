package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/rowgroups"
	"aqueduck/load/layout"
)

// refreshTable compares the rows of a table with its old parts and writes the parts that differ.
func (l *lakeWriter) refreshTable(ctx context.Context, db *duck.DB, want lakeTable, plan *tableParts, damaged []bool) error {
	source := l.sourceOf(want)
	w := &partWriter{lakeWriter: l, db: db, source: source, group: l.groupRows(source), stored: want.stored, from: want.from, old: plan.entry.Parts, paths: plan.paths}
	w.few = want.rows <= int64(w.group)
	if r := want.relation; r != nil && !isTable(*r) && len(r.RowsOf) == 0 && source.column == "" { // all rows or none are written
		if err := w.stageRelation(ctx); err != nil {
			return err
		}
	}
	if plan.entry.By != source.column {
		w.old = nil
	}
	write := w.rewriteParts
	if len(w.old) == 0 {
		write = w.writeTable
	}
	fresh, err := write(ctx, damaged)
	for i := 0; i < len(fresh) && err == nil; i++ {
		err = w.certify(ctx, fresh[i])
	}
	if err := errors.Join(err, w.dropStaged(ctx)); err != nil {
		return err
	}
	plan.same = len(fresh) == 0 && len(w.parts) == len(w.old)
	plan.entry.By, plan.entry.Parts, plan.paths = source.column, nil, nil
	for _, d := range w.parts {
		for _, u := range d.units {
			d.Groups = append(d.Groups, u.Group)
		}
		plan.entry.Parts, plan.paths = append(plan.entry.Parts, d.Part), append(plan.paths, d.path)
	}
	return nil
}

// writeTable writes all rows.
func (w *partWriter) writeTable(ctx context.Context, _ []bool) ([]freshRange, error) {
	var rows int64
	if !w.few {
		if err := w.db.Scan(ctx, "SELECT count(*) FROM "+w.source.table, nil, &rows); err != nil {
			return nil, err
		}
	}
	all, err := w.divide(ctx, timeRange{}, rows)
	if err != nil {
		return nil, err
	}
	if err := w.noteScattered(ctx, all.units); err != nil {
		return nil, err
	}
	return []freshRange{all}, w.writeParts(ctx, all.units)
}

// rewriteParts writes the groups with other rows again. Their parts get new files, into which the bytes of the other
// groups are copied.
func (w *partWriter) rewriteParts(ctx context.Context, damaged []bool) ([]freshRange, error) {
	units, states, touched, err := w.compare(ctx, damaged)
	if err != nil {
		return nil, err
	}
	units, fresh, err := w.replaceDirty(ctx, units, states, touched)
	if err != nil {
		return nil, err
	}
	if err := w.noteScattered(ctx, units); err != nil {
		return nil, err
	}
	of := make([][]*unit, len(w.old))
	for _, u := range units {
		of[u.part] = append(of[u.part], u)
	}
	var left []int // old parts that still have rows
	var parts []partState
	for i, list := range of {
		if len(list) > 0 {
			left, parts = append(left, i), append(parts, partState{dirty: touched[i]})
		}
		for _, u := range list {
			parts[len(parts)-1].bytes += u.bytes
		}
	}
	at := 0
	for _, s := range append(planSpans(parts, w.target), span{len(parts), len(parts)}) {
		for _, i := range left[at:s.first] {
			kept := &draftPart{Part: w.old[i], path: w.paths[i]}
			kept.From, kept.Groups = of[i][0].From, nil
			kept.units = of[i]
			w.parts = append(w.parts, kept)
		}
		var together []*unit
		for _, i := range left[s.first:s.end] {
			together = append(together, of[i]...)
		}
		if at = s.end; len(together) > 0 {
			if err := w.writeParts(ctx, together); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// compare gives the groups of the old parts, with the rows that belong into them now. It leaves out groups that have lost
// all: the group before takes their range. touched are the parts that cannot stay as they are.
func (w *partWriter) compare(ctx context.Context, damaged []bool) (units []*unit, states []partState, touched []bool, err error) {
	for i, part := range w.old {
		at := 0
		for _, g := range part.Groups {
			u := &unit{Group: g, part: i, file: rowgroups.Segment{Path: w.paths[i], First: at, End: at + g.RowGroups}}
			u.bytes = int64(float64(part.Bytes) * float64(g.Rows) / float64(max(part.Rows, 1)))
			units, at = append(units, u), at+g.RowGroups
		}
	}
	touched = slices.Clone(damaged)
	if w.few && w.stored && len(units) == 1 { // a stored table that changed has other rows
		return units, []partState{{rows: 1, dirty: true}}, touched, nil
	}
	from := make([]time.Time, len(units))
	for i, u := range units {
		from[i] = u.From
	}
	found, err := w.source.contents(ctx, w.db, timeRange{}, from)
	if err != nil {
		return nil, nil, nil, err
	}
	all := units
	units = nil
	for i, u := range all {
		if found[i].rows == 0 && (len(units) > 0 || i < len(all)-1) {
			touched[u.part] = true
			continue
		}
		if len(units) == 0 {
			u.From = time.Time{}
		}
		s := partState{rows: found[i].rows, digest: found[i].digest, dirty: damaged[u.part] || found[i].rows != u.Rows || found[i].digest != u.Content}
		u.bytes = int64(float64(u.bytes) * float64(s.rows) / float64(max(u.Rows, 1)))
		units, states = append(units, u), append(states, s)
	}
	return units, states, touched, nil
}

// replaceDirty replaces the groups with other rows by groups to write.
func (w *partWriter) replaceDirty(ctx context.Context, units []*unit, states []partState, touched []bool) (all []*unit, fresh []freshRange, err error) {
	for i := range states {
		states[i].bytes = states[i].rows // groups have a number of rows, parts a number of bytes
	}
	at := 0
	for _, s := range planSpans(states, int64(w.group)) {
		r := timeRange{from: units[s.first].From}
		if s.end < len(units) {
			r.to = units[s.end].From
		}
		var rows, bytes int64
		for i := s.first; i < s.end; i++ {
			rows, bytes, touched[units[i].part] = rows+states[i].rows, bytes+units[i].bytes, true
		}
		f, err := w.divide(ctx, r, rows)
		if err != nil {
			return nil, nil, err
		}
		if len(f.units) == 1 && s.end == s.first+1 { // the same range as before
			f.known = &partContent{states[s.first].rows, states[s.first].digest}
		}
		for _, u := range f.units {
			u.part, u.bytes = units[s.first].part, bytes/int64(len(f.units))
		}
		all = append(append(all, units[at:s.first]...), f.units...)
		at, fresh = s.end, append(fresh, f)
	}
	return append(all, units[at:]...), fresh, nil
}

// divide makes groups to write of a range with so many rows. Their times do not overlap: readers skip those without the
// times that they look for.
func (w *partWriter) divide(ctx context.Context, r timeRange, rows int64) (freshRange, error) {
	f := freshRange{timeRange: r}
	if w.source.column != "" {
		// The limits are estimates: an eighth of room keeps most groups in one piece.
		most := int64(w.group)
		if rows > most {
			most -= most / 8
		}
		limits, err := w.source.limits(ctx, w.db, r, int((rows+most-1)/most))
		if err != nil {
			return f, err
		}
		for _, limit := range limits {
			f.units = append(f.units, &unit{Group: Group{From: r.from}, write: &timeRange{r.from, limit}})
			r.from = limit
		}
	}
	f.units = append(f.units, &unit{Group: Group{From: r.from}, write: &r})
	for _, u := range f.units {
		u.Rows = rows / int64(len(f.units)) // until it is written
	}
	return f, nil
}

// writeParts makes parts of about the target's size of groups.
func (w *partWriter) writeParts(ctx context.Context, units []*unit) error {
	var rows, taken, done, share int64
	for _, u := range units {
		rows += u.Rows
	}
	first := 0
	for i, u := range units {
		planned := u.Rows
		if u.write != nil {
			if err := w.writeUnit(ctx, u); err != nil {
				return err
			}
		}
		if taken += planned; share == 0 && u.Rows > 0 {
			bytes := float64(u.bytes) / float64(u.Rows) * float64(rows)
			share = rows / max(1, int64(bytes/float64(w.target)+0.5))
		}
		if i < len(units)-1 && (share == 0 || taken-done < share-planned/2) {
			continue // the last part has what is left
		}
		part, err := w.joinPart(units[first : i+1])
		if err != nil {
			return err
		}
		w.parts = append(w.parts, part)
		first, done = i+1, taken
	}
	return nil
}

// writeUnit writes a group as Parquet.
func (w *partWriter) writeUnit(ctx context.Context, u *unit) error {
	path := w.nextPath()
	table, err := w.stageRows(ctx, u)
	if err != nil {
		return err
	}
	if u.wrote, err = copyOut(ctx, w.db, table+" WHERE "+u.write.condition(w.source.column), partFile{path, w.source.columns, w.group}); err != nil {
		return err
	}
	u.RowGroups, err = rowgroups.CountRowGroups(path)
	u.Rows, u.bytes, u.file, u.write = u.wrote.rows, disk.Size(path), rowgroups.Segment{Path: path, End: u.RowGroups}, nil
	return err
}

// groupRows is the number of rows in a row group of a table.
func (l *lakeWriter) groupRows(s rowSource) int {
	if l.group > 0 {
		return l.group
	}
	return partRows(len(s.columns))
}

func (l *lakeWriter) nextPath() string {
	l.made++
	return l.temp + strconv.Itoa(l.made)
}

// joinPart makes one durable part of groups that are in files, and checks with another library that it can be read and
// has what DuckDB wrote.
func (w *partWriter) joinPart(units []*unit) (*draftPart, error) {
	d := &draftPart{Part: Part{RunID: w.manifest.RunID, From: units[0].From}, units: units, path: units[0].file.Path}
	var from []rowgroups.Segment
	var audited []auditedRows
	for _, u := range units {
		copied := slices.Contains(w.paths, u.file.Path)
		d.Rows += u.Rows
		if last := len(from) - 1; last >= 0 && from[last].Path == u.file.Path && from[last].End == u.file.First {
			from[last].End = u.file.End
			audited[last].rows, audited[last].groups = audited[last].rows+u.Rows, audited[last].groups+u.RowGroups
			continue
		}
		from, audited = append(from, u.file), append(audited, auditedRows{partCounts{u.Rows, u.wrote.values}, u.RowGroups, copied})
	}
	if len(from) > 1 || audited[0].copied {
		d.path = w.nextPath()
		if err := rowgroups.JoinFiles(d.path, from); err != nil {
			return nil, err
		}
		for i, s := range from {
			if audited[i].copied {
				continue
			}
			if err := os.Remove(s.Path); err != nil {
				return nil, err
			}
		}
	}
	if err := auditPart(d.path, w.source.columns, audited); err != nil {
		return nil, err
	}
	if err := disk.SyncFile(d.path); err != nil {
		return nil, err
	}
	if err := w.access.Share(d.path, 0o644); err != nil {
		return nil, err
	}
	var err error
	d.Bytes = disk.Size(d.path)
	d.SHA256, err = layout.Sum(d.path)
	return d, err
}

// certify records what the groups of a range contain, and checks that each has all rows of its times.
func (w *partWriter) certify(ctx context.Context, f freshRange) error {
	if w.few && w.stored {
		return nil
	}
	found, err := w.rangeContents(ctx, f)
	if err != nil {
		return err
	}
	for i, u := range f.units {
		if u.Rows != found[i].rows {
			return fmt.Errorf("a group of a Parquet file has %d rows, the table has %d of its times", u.Rows, found[i].rows)
		}
		u.Content = found[i].digest
	}
	return nil
}

// rangeContents gives what the table has of each group of a range.
func (w *partWriter) rangeContents(ctx context.Context, f freshRange) ([]partContent, error) {
	if f.known != nil {
		return []partContent{*f.known}, nil
	}
	from := make([]time.Time, len(f.units))
	for i, u := range f.units {
		from[i] = u.From
	}
	return w.source.contents(ctx, w.db, f.timeRange, from)
}
