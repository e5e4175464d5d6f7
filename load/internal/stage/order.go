package stage

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const (
	shortestRun = 32    // mean number of rows of a run from which a batch is ordered: each run costs some calls for each column
	pieceRows   = 4_096 // rows that are copied at once
)

// newReader reads a batch, in the order of a column with times where its rows come in runs. A history is read in windows side by side, so the
// pages of a batch alternate between them. In order, the rows of a range of time lie together in the file, and whoever looks for a range reads
// a part of it. The caller releases the reader.
func newReader(rows arrow.RecordBatch, column string) (array.RecordReader, error) {
	whole, err := array.NewRecordReader(rows.Schema(), []arrow.RecordBatch{rows})
	if err != nil {
		return nil, err
	}
	if at := rows.Schema().FieldIndices(column); len(at) == 1 {
		if times, ok := rows.Column(at[0]).(*array.Timestamp); ok {
			if runs := runsByTime(times.Values()); len(runs) > 1 {
				return &runReader{RecordReader: whole, rows: rows, left: runs}, nil
			}
		}
	}
	return whole, nil
}

// rowRun is a number of neighbouring rows. Each has the time of the row before it, or the least later time of the batch.
type rowRun struct{ first, end int }

// runsByTime divides rows into runs, and orders these by their first time. It gives none where the rows are in order, and where most runs would
// be short.
func runsByTime(times []arrow.Timestamp) (runs []rowRun) {
	if slices.IsSorted(times) {
		return nil
	}
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	for i, at := range times {
		if i == 0 || at != times[i-1] && at != leastAfter(sorted, times[i-1]) {
			runs = append(runs, rowRun{i, i})
		}
		runs[len(runs)-1].end = i + 1
	}
	if len(runs)*shortestRun > len(times) {
		return nil
	}
	slices.SortStableFunc(runs, func(a, b rowRun) int { return cmp.Compare(times[a.first], times[b.first]) })
	return runs
}

// leastAfter is the least of some sorted times after a given one; the given one where none is later.
func leastAfter(sorted []arrow.Timestamp, at arrow.Timestamp) arrow.Timestamp {
	next, _ := slices.BinarySearch(sorted, at+1)
	if next == len(sorted) {
		return at
	}
	return sorted[next]
}

// runReader gives the rows of a batch by runs. It copies some runs at a time into one piece: DuckDB takes pieces of a few hundred rows at
// twice the cost, and a whole batch would be in memory twice.
type runReader struct {
	array.RecordReader // of the batch as it came: it keeps the rows
	rows               arrow.RecordBatch
	room               reusedMemory
	left               []rowRun
	piece              arrow.RecordBatch // of the last call of Next
	err                error
}

// RecordBatch implements array.RecordReader.
func (r *runReader) RecordBatch() arrow.RecordBatch { return r.piece }

// Record implements array.RecordReader.
func (r *runReader) Record() arrow.RecordBatch { return r.piece }

// Err implements array.RecordReader.
func (r *runReader) Err() error { return r.err }

// Next implements array.RecordReader.
func (r *runReader) Next() bool {
	r.dropPiece()
	if len(r.left) == 0 || r.err != nil {
		return false
	}
	n, rows := 0, 0
	for ; n < len(r.left) && rows < pieceRows; n++ {
		rows += r.left[n].end - r.left[n].first
	}
	columns := make([]arrow.Array, r.rows.NumCols())
	defer releaseAll(columns)
	for i := range columns {
		if columns[i], r.err = joinRuns(r.rows.Column(i), r.left[:n], &r.room); r.err != nil {
			r.err = fmt.Errorf("order the rows of column %s: %w", r.rows.ColumnName(i), r.err)
			return false
		}
	}
	r.piece, r.left = array.NewRecordBatch(r.rows.Schema(), columns, int64(rows)), r.left[n:]
	return true
}

func (r *runReader) dropPiece() {
	if r.piece != nil {
		r.piece.Release()
		r.piece = nil
	}
}

// joinRuns copies runs of a column into one array.
func joinRuns(column arrow.Array, runs []rowRun, room memory.Allocator) (arrow.Array, error) {
	parts := make([]arrow.Array, len(runs))
	defer releaseAll(parts)
	for i, r := range runs {
		parts[i] = array.NewSlice(column, int64(r.first), int64(r.end))
	}
	return array.Concatenate(parts, room)
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		if a != nil {
			a.Release()
		}
	}
}

// reusedMemory gives the memory of released pieces to the next ones: left to the collector, the pieces of a batch would take as much as the batch.
type reusedMemory struct {
	mu   sync.Mutex // DuckDB may release a piece in another thread than it asks for the next one
	free [][]byte
}

// Allocate implements memory.Allocator.
func (m *reusedMemory) Allocate(size int) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	least := -1
	for i, b := range m.free {
		if cap(b) >= size && (least < 0 || cap(b) < cap(m.free[least])) {
			least = i
		}
	}
	if least < 0 {
		return memory.DefaultAllocator.Allocate(size)
	}
	b := m.free[least][:size]
	m.free = slices.Delete(m.free, least, least+1)
	clear(b)
	return b
}

// Reallocate implements memory.Allocator.
func (m *reusedMemory) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	larger := m.Allocate(size)
	copy(larger, b)
	m.Free(b)
	return larger
}

// Free implements memory.Allocator.
func (m *reusedMemory) Free(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cap(b) > 0 {
		m.free = append(m.free, b[:0])
	}
}
