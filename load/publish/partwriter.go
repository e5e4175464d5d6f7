package publish

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// refreshTable compares the rows of a table with its old parts and writes the parts that differ.
func (l *lakeWriter) refreshTable(ctx context.Context, db *duck.DB, want lakeTable, plan *tableParts, damaged []bool) error {
	source := l.sourceOf(want)
	if plan.entry.By != source.column {
		plan.entry.Parts, plan.paths, damaged = nil, nil, nil
	}
	plan.entry.By = source.column
	w := &partWriter{lakeWriter: l, db: db, source: source, group: l.groupRows(source), stored: want.stored}
	w.few = want.rows <= int64(w.group)
	old := tableParts{entry: plan.entry, paths: plan.paths}
	old.entry.Parts = slices.Clone(old.entry.Parts)
	plan.same = false
	if len(old.entry.Parts) == 0 {
		written, err := w.writeRange(ctx, timeRange{})
		plan.entry.Parts, plan.paths = written.entry.Parts, written.paths
		return err
	}
	states, err := w.compare(ctx, &old, damaged)
	if err != nil {
		return err
	}
	spans := planSpans(states, l.target)
	plan.same = len(spans) == 0 && len(old.entry.Parts) == len(plan.entry.Parts)
	plan.entry.Parts, plan.paths = nil, nil
	at := 0
	for _, s := range append(spans, span{len(states), len(states)}) {
		plan.entry.Parts = append(plan.entry.Parts, old.entry.Parts[at:s.first]...)
		plan.paths = append(plan.paths, old.paths[at:s.first]...)
		at = s.end
		if s.first == s.end {
			break
		}
		r := timeRange{from: old.entry.Parts[s.first].From}
		if s.end < len(states) {
			r.to = old.entry.Parts[s.end].From
		}
		written, err := w.writeRange(ctx, r)
		if err != nil {
			return err
		}
		plan.entry.Parts = append(plan.entry.Parts, written.entry.Parts...)
		plan.paths = append(plan.paths, written.paths...)
	}
	return nil
}

// partWriter writes parts of one table.
type partWriter struct {
	*lakeWriter
	db     *duck.DB
	source rowSource
	group  int  // rows in a row group
	few    bool // the table has at most as many rows
	stored bool
}

// compare finds the parts that have other rows than the table. It leaves out parts that have lost all: the part before
// takes their range.
func (w *partWriter) compare(ctx context.Context, old *tableParts, damaged []bool) ([]partState, error) {
	parts := old.entry.Parts
	if w.few && w.stored && len(parts) == 1 { // a stored table that changed has other rows
		return []partState{{rows: parts[0].Rows, bytes: parts[0].Bytes, dirty: true}}, nil
	}
	from := make([]time.Time, len(parts))
	for i, part := range parts {
		from[i] = part.From
	}
	found, err := w.source.contents(ctx, w.db, timeRange{}, from)
	if err != nil {
		return nil, err
	}
	var states []partState
	left := tableParts{entry: old.entry}
	left.entry.Parts = nil
	for i, part := range parts {
		if found[i].rows == 0 && len(parts) > 1 && (len(left.paths) > 0 || i < len(parts)-1) {
			continue
		}
		if len(left.paths) == 0 {
			part.From = time.Time{}
		}
		s := partState{rows: found[i].rows, bytes: part.Bytes, dirty: damaged[i] || found[i].digest != part.Content || found[i].rows != part.Rows}
		if part.Rows > 0 {
			s.bytes = int64(float64(part.Bytes) * float64(s.rows) / float64(part.Rows))
		}
		states, left.entry.Parts, left.paths = append(states, s), append(left.entry.Parts, part), append(left.paths, old.paths[i])
	}
	*old = left
	return states, nil
}

// writeRange writes the rows of a range as parts of about the target's size. A part is joined from files of one row group
// each, whose times do not overlap: readers skip those that have none of the times that they look for.
func (w *partWriter) writeRange(ctx context.Context, r timeRange) (tableParts, error) {
	conditions, from, rows, err := w.divide(ctx, r)
	if err != nil {
		return tableParts{}, err
	}
	var all tableParts
	var files []writtenFile
	var taken, done, share int64 // rows: in files, in parts, and that a part should have
	for i, condition := range conditions {
		file, err := w.writeFile(ctx, condition)
		if err != nil {
			return all, err
		}
		files, taken = append(files, file), taken+file.rows
		if share == 0 && file.rows > 0 {
			bytes := float64(file.bytes) / float64(file.rows) * float64(rows)
			share = rows / max(1, int64(bytes/float64(w.target)+0.5))
		}
		if i < len(conditions)-1 && (share == 0 || taken-done < share-file.rows/2 || from[i+1].Equal(r.from)) {
			continue // the last part has what is left; rows without a time belong to the first limit's
		}
		part, path, err := w.joinPart(files)
		if err != nil {
			return all, err
		}
		part.From = from[i-len(files)+1]
		all.entry.Parts, all.paths = append(all.entry.Parts, part), append(all.paths, path)
		files, done = nil, taken
	}
	return all, w.certify(ctx, r, &all)
}

// divide gives the conditions for the rows of each row group of a range, in order, with the beginning of each, and the
// rows of all.
func (w *partWriter) divide(ctx context.Context, r timeRange) (conditions []string, from []time.Time, rows int64, err error) {
	group := int64(w.group)
	whole := []string{r.condition(w.source.column)}
	if w.few || w.source.column == "" {
		return whole, []time.Time{r.from}, 0, nil
	}
	column := duck.Name(w.source.column)
	var timed int64
	query := fmt.Sprintf("SELECT count(*), count(%s) FROM %s WHERE %s", column, w.source.table, whole[0])
	if err := w.db.Scan(ctx, query, nil, &rows, &timed); err != nil {
		return nil, nil, 0, err
	}
	// The limits are estimates: an eighth of room keeps most groups in one piece.
	limits, err := w.source.limits(ctx, w.db, r, int((timed+group-group/8-1)/(group-group/8)))
	if err != nil || len(limits) == 0 {
		return whole, []time.Time{r.from}, rows, err
	}
	if timed < rows {
		conditions, from = append(conditions, column+" IS NULL"), append(from, r.from)
	}
	for i, limit := range append(limits, r.to) {
		condition := column + " < " + instant(limit)
		begin := r.from
		if i > 0 {
			begin = limits[i-1]
		}
		if i > 0 || !r.from.IsZero() {
			condition = timeRange{begin, limit}.condition(w.source.column)
		}
		conditions, from = append(conditions, condition), append(from, begin)
	}
	return conditions, from, rows, nil
}

// writtenFile is a file of some rows of a part.
type writtenFile struct {
	path        string
	rows, bytes int64
}

// writeFile writes rows as Parquet and checks with another library that the file can be read and has what DuckDB wrote.
func (w *partWriter) writeFile(ctx context.Context, condition string) (writtenFile, error) {
	file := writtenFile{path: w.nextPath()}
	wrote, err := copyOut(ctx, w.db, w.source.table+" WHERE "+condition, partFile{file.path, w.source.columns, w.group})
	if err != nil {
		return file, err
	}
	file.rows, file.bytes = wrote.rows, disk.Size(file.path)
	return file, auditPart(file.path, w.source.columns, wrote)
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

// joinPart makes one durable part of audited files.
func (w *partWriter) joinPart(files []writtenFile) (Part, string, error) {
	part, path := Part{Rows: files[0].rows, RunID: w.manifest.RunID}, files[0].path
	if len(files) > 1 {
		paths := make([]string, len(files))
		part.Rows, path = 0, w.nextPath()
		for i, file := range files {
			paths[i], part.Rows = file.path, part.Rows+file.rows
		}
		last, err := joinFiles(path, paths)
		if err != nil {
			return part, path, err
		}
		if err := auditJoined(path, w.source.columns, part.Rows, last); err != nil {
			return part, path, err
		}
		for _, file := range paths {
			if err := os.Remove(file); err != nil {
				return part, path, err
			}
		}
	}
	if err := disk.SyncFile(path); err != nil {
		return part, path, err
	}
	if err := os.Chmod(path, 0o644); err != nil {
		return part, path, err
	}
	var err error
	part.Bytes = disk.Size(path)
	part.SHA256, err = layout.Sum(path)
	return part, path, err
}

// certify records what the parts of a range contain, and checks that each has all rows of its own range.
func (w *partWriter) certify(ctx context.Context, r timeRange, all *tableParts) error {
	if w.few && w.stored {
		return nil
	}
	from := make([]time.Time, len(all.entry.Parts))
	for i, part := range all.entry.Parts {
		from[i] = part.From
	}
	found, err := w.source.contents(ctx, w.db, r, from)
	if err != nil {
		return err
	}
	for i := range all.entry.Parts {
		part := &all.entry.Parts[i]
		if part.Rows != found[i].rows {
			return fmt.Errorf("a Parquet file has %d rows, the table has %d in its range", part.Rows, found[i].rows)
		}
		part.Content = found[i].digest
	}
	return nil
}
