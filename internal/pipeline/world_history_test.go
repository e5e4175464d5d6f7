package pipeline_test

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/oracletest"
)

// historySnapshot is what a stream's published rows were when its history ended at a time.
type historySnapshot struct {
	stream, at string
	columns    []string
	rows       []string // the key comes first
}

// keptStream is the stream whose history the settings keep; "": none.
func keptStream(settings string) string {
	stream, with, _ := strings.Cut(settings, ":")
	if !strings.Contains(with, "history: true") {
		return ""
	}
	return stream
}

// noteHistory checks after a publish that the open states of the history are the published rows, and keeps them for checkHistory. It reads the
// time from the history itself: the machine's clock may be wrong.
func (t *planTrial) noteHistory() {
	if t.kept == "" {
		return
	}
	columns := t.historyColumns(t.kept)
	if len(columns) < 3 {
		t.Errorf("history: %s_history and %s share the columns %v", t.kept, t.kept, columns)
		return
	}
	n := historySnapshot{stream: t.kept, columns: columns}
	list := strings.Join(columns, ", ")
	n.rows = t.bed.queryRows(fmt.Sprintf("SELECT %s FROM %s ORDER BY 1", list, n.stream))
	open := t.bed.queryRows(fmt.Sprintf("SELECT %s FROM %s_history WHERE valid_to IS NULL ORDER BY 1", list, n.stream))
	oracletest.CompareRows(t, "history: open states of "+n.stream, open, slices.Clone(n.rows))
	n.at = t.bed.queryRows(fmt.Sprintf("SELECT max(greatest(epoch_us(valid_from), coalesce(epoch_us(valid_to), 0))) FROM %s_history", n.stream))[0]
	t.snapshots = append(t.snapshots, n)
}

// historyColumns are the columns of a stream that its history has too, the key first. Columns that change without meaning make no new state.
func (t *planTrial) historyColumns(stream string) []string {
	s, known := t.bed.runner.Catalogue.Stream(stream)
	if !known {
		t.Fatalf("no stream is called %q", stream)
	}
	shared := t.bed.queryRows(fmt.Sprintf("SELECT column_name FROM information_schema.columns WHERE table_name = '%s' INTERSECT "+
		"SELECT column_name FROM information_schema.columns WHERE table_name = '%[1]s_history'", stream))
	columns := slices.Clone(s.Key)
	for _, c := range s.Columns {
		if slices.Contains(shared, c.Name) && !c.Volatile && !slices.Contains(s.Key, c.Name) {
			columns = append(columns, `"`+c.Name+`"::VARCHAR`)
		}
	}
	return columns
}

// checkHistory checks that the history at the time of each publish equals the rows of then. An erased contact has no history.
func (t *planTrial) checkHistory() {
	if len(t.snapshots) == 0 {
		return
	}
	erased := oracletest.ErasedContacts(t.bed.space)
	left := func(row string) bool { id, _, _ := strings.Cut(row, "|"); return erased[id] }
	for _, n := range t.snapshots {
		got := t.bed.queryRows(fmt.Sprintf("SELECT %s FROM %s_history WHERE epoch_us(valid_from) <= %s AND (valid_to IS NULL OR %[3]s < epoch_us(valid_to)) ORDER BY 1",
			strings.Join(n.columns, ", "), n.stream, n.at))
		oracletest.CompareRows(t, "history: "+n.stream+" at "+n.at, slices.DeleteFunc(got, left), slices.DeleteFunc(slices.Clone(n.rows), left))
	}
}
