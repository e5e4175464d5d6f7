//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/load/differ"
)

// Readers open every file of a table. With so many of a kind, some are written as one.
const (
	mostDeletes = 16 // files of deletes
	mostFiles   = 48 // files of rows
)

// mostAlike is how many files of rows of about the same size stay. More are written as one, so a row is written again once for each size that its file grows to.
const mostAlike = 8

// isWorn says that so many rows of a file are gone that it is written again: a reader of all rows never reads twice as many.
func isWorn(gone, rows int64) bool { return gone*5 > rows*2 }

// compact commits the same rows in fewer files, where a table has many.
func (m *mirror) compact(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content) (*table.Table, error) {
	if !hasMany(t, totalDeletes, mostDeletes) && !hasMany(t, totalFiles, mostFiles) {
		return t, nil
	}
	held, err := m.readFiles(t)
	if err != nil || !held.plain {
		return t, err
	}
	deleted, err := m.deletedPositions(ctx, held)
	if err != nil {
		return nil, err
	}
	old, kept := held.divide(deleted)
	if len(old.data) == 0 && len(held.deletes) < mostDeletes {
		return t, nil
	}
	var failed error
	gone, lacking, err := m.file.Compare(ctx, m.rowHashes(ctx, kept, &failed))
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		return nil, fmt.Errorf("%d rows are gone from files that were found to have none", len(gone))
	}
	return m.merge(ctx, of, t, content, old, kept, placesOf(kept, deleted), lacking)
}

// Numbers in the summary of a snapshot.
const (
	totalDeletes = "total-delete-files"
	totalFiles   = "total-data-files"
)

// hasMany says whether a number in the summary of a table's snapshot is as large as a limit, or is not there.
func hasMany(t *table.Table, total string, limit int) bool {
	s := t.CurrentSnapshot()
	if s == nil || s.Summary == nil {
		return false
	}
	n, err := strconv.Atoi(s.Summary.Properties[total])
	return err != nil || n >= limit
}

// divide separates the files of rows that are to be written as one from those that stay. All files of deletes are with both.
func (held tableFiles) divide(deleted map[string]map[int64]bool) (old, kept tableFiles) {
	alike := map[int]int{}
	for _, f := range held.data {
		alike[sizeOf(f)]++
	}
	for _, f := range held.data {
		if isWorn(int64(len(deleted[f.FilePath()])), f.Count()) || alike[sizeOf(f)] >= mostAlike {
			old.data, old.rows = append(old.data, f), old.rows+f.Count()
		} else {
			kept.data, kept.rows = append(kept.data, f), kept.rows+f.Count()
		}
	}
	old.deletes, kept.deletes, kept.lastDelete = held.deletes, held.deletes, held.lastDelete
	return old, kept
}

// sizeOf is the size of a file in steps of 16 times.
func sizeOf(f iceberg.DataFile) int { return bits.Len64(uint64(f.Count())) / 4 }

// placesOf are the deleted rows of some files.
func placesOf(files tableFiles, deleted map[string]map[int64]bool) (places []differ.Place) {
	for i, f := range files.data {
		for position := range deleted[f.FilePath()] {
			places = append(places, differ.Place{File: int64(i), Position: position})
		}
	}
	return places
}

// merge commits the rows that the kept files lack in place of the old files, and the deletes of the kept files in one file.
func (m *mirror) merge(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, old, kept tableFiles, places []differ.Place, lacking int64) (*table.Table, error) {
	rows, deletes, err := m.writeChange(ctx, of, t, kept, places, lacking)
	if err != nil {
		return nil, err
	}
	var added []table.DeleteFileAddition
	for _, f := range deletes {
		added = append(added, table.DeleteFileAddition{File: f, DataSequenceNumber: kept.lastDelete})
	}
	t, err = m.commit(ctx, t, contentOf(content), func(tx *table.Transaction, summary iceberg.Properties) error {
		return tx.ReplaceFilesWithDeleteFiles(ctx, old.data, rows, old.deletes, added, summary, table.WithoutAutoNameMapping())
	})
	if errors.Is(err, errOvertaken) {
		return nil, m.fenced(fmt.Sprintf("table %s was changed meanwhile", of.Name))
	}
	if err != nil {
		return nil, err
	}
	return t, m.removeUnused(ctx, t, m.options.Now().Add(-unusedAge))
}

// unusedAge is how old an object that no snapshot refers to has to be before it is removed: a younger one may be that of a commit under way.
const unusedAge = 3 * 24 * time.Hour
