package oracletest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/load/read"
)

// QueryRows queries a published file. Each row is its values as text, separated by bars.
func QueryRows(file, query string) ([]string, error) {
	var rows []string
	err := read.Query(context.Background(), file, query, appendRows(&rows))
	return rows, err
}

// OpenFile keeps the last queried file open, because opening costs more than most queries. One goroutine at a time uses it, and the caller closes it.
type OpenFile struct {
	path   string
	info   os.FileInfo
	reader *read.Reader
}

// Rows is QueryRows on a file, which is opened again when it is another file than last time or was written since.
func (a *OpenFile) Rows(file, query string) (rows []string, err error) {
	if err := a.open(file); err != nil {
		return nil, err
	}
	err = a.reader.Query(context.Background(), query, appendRows(&rows))
	return rows, err
}

func (a *OpenFile) open(file string) error {
	info, err := os.Stat(file)
	if err == nil && a.reader != nil && file == a.path && os.SameFile(info, a.info) && info.Size() == a.info.Size() && info.ModTime().Equal(a.info.ModTime()) {
		return nil
	}
	if err := a.Close(); err != nil {
		return err
	}
	r, err := read.OpenReader(context.Background(), file)
	if err != nil {
		return err
	}
	a.reader, a.path, a.info = r, file, info
	return nil
}

// QueryRecords queries the newest published file with the records of the runs since that had nothing to publish. newer gives the path
// of those records.
func QueryRecords(link string, newer func(published string) string, query string) (rows []string, err error) {
	r, err := read.OpenWithRecords(context.Background(), link, newer)
	if err != nil {
		return nil, err
	}
	err = errors.Join(r.Query(context.Background(), query, appendRows(&rows)), r.Close())
	return rows, err
}

// Close closes the file, if one is open.
func (a *OpenFile) Close() error {
	if a.reader == nil {
		return nil
	}
	err := a.reader.Close()
	a.reader = nil
	return err
}

func appendRows(rows *[]string) func([]string, []any) error {
	return func(_ []string, row []any) error {
		if row != nil {
			*rows = append(*rows, joinValues(row))
		}
		return nil
	}
}

// publishedFile is an open file whose failing queries fail the test.
type publishedFile struct {
	testing.TB
	*read.Reader
}

func (a *OpenFile) openFor(t testing.TB, file string) publishedFile {
	t.Helper()
	if err := a.open(file); err != nil {
		t.Fatal(err)
	}
	return publishedFile{t, a.reader}
}

// withPublished opens a file, calls ask, and closes it.
func withPublished(t testing.TB, file string, ask func(f publishedFile)) {
	t.Helper()
	var a OpenFile
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask(a.openFor(t, file))
}

func (f publishedFile) selectRows(query string) (rows []string) {
	f.Helper()
	if err := f.Query(context.Background(), query, appendRows(&rows)); err != nil {
		f.Fatalf("%v\n%s", err, query)
	}
	return rows
}

func joinValues(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = valueText(v)
	}
	return strings.Join(texts, "|")
}

// valueText returns a value as text, equal for the oracle's and the stored form.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return "∅"
	case time.Time:
		return fmt.Sprint(v.Unix())
	}
	return fmt.Sprint(v)
}

// CompareRows compares two sets of rows in any order, and reports the first rows that are in only one of them.
func CompareRows(t testing.TB, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	if judge, ok := t.(DiffRecorder); ok {
		judge.RecordDiff(what, rowsOnlyIn(got, want, len(got)), rowsOnlyIn(want, got, len(want)))
		return
	}
	t.Errorf("%s: %d rows here, %d in truth\nonly here:\n  %s\nonly in truth:\n  %s", what, len(got), len(want),
		strings.Join(rowsOnlyIn(got, want, 3), "\n  "), strings.Join(rowsOnlyIn(want, got, 3), "\n  "))
}

// DiffRecorder is a testing.TB that receives every row that is in only one of two sets, and reports it itself.
type DiffRecorder interface {
	RecordDiff(what string, here, truth []string)
}

// rowsOnlyIn returns the first rows of a list that another list has not, or less often.
func rowsOnlyIn(list, other []string, most int) (first []string) {
	left := map[string]int{}
	for _, row := range other {
		left[row]++
	}
	for _, row := range list {
		if left[row]--; left[row] < 0 && len(first) < most {
			first = append(first, row)
		}
	}
	return first
}
