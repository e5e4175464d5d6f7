package stream

import (
	"cmp"
	"fmt"
	"strings"

	"aqueduck/extract"
	"aqueduck/load"
)

// auditPage notes a finding when a record of the page states a longer list than it carries: the source truncates it. One finding a run is enough.
func auditPage(t *Task, page extract.Page) {
	for _, record := range page.Records {
		if t.listCapped || record.Gone || record.Raw == nil {
			continue
		}
		if what, table, sent, of := extract.FindTruncated(t.Stream, record.Raw); of > sent {
			t.listCapped = true
			t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: cmp.Or(table, t.Tables[0].Name), Kind: "known", Name: what + "_capped", Once: true,
				Expected: fmt.Sprint(of), Found: fmt.Sprint(sent), Message: "the source sends only the newest: older ones are stored only if an earlier run read them"})
		}
	}
}

// auditKeys notes a finding when records of one answer have the same key: of these only one is stored. Of a user's stream alone: the keys of the others are
// known to be unique.
func auditKeys(t *Task, page extract.Page) {
	if t.Stream.BuiltIn || t.keysRepeat {
		return
	}
	repeated := extract.RepeatedKeys(t.Stream, page.Records)
	if t.keysRepeat = repeated > 0; t.keysRepeat {
		t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "soft", Name: "keys_repeat", Once: true,
			Expected: "0", Found: fmt.Sprint(repeated), Message: fmt.Sprintf("of %d records of one answer, %d have the key (%s) of another, so only the newest is stored. If each is to be a row, name more columns in key: of %s",
				len(page.Records), repeated, strings.Join(t.Stream.Key, ", "), t.Stream.File)})
	}
}

// auditTimes notes a finding when the source sends times in milliseconds or microseconds. They are stored as the same instants.
func auditTimes(t *Task) {
	for _, column := range t.Decoder.MillisecondColumns() {
		t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "known", Name: "milliseconds", Once: true,
			Message: "the source sends times in milliseconds or microseconds, first seen in " + column + "; they are stored as instants, like all others"})
	}
}

// auditSweep notes what a sweep could not read, and a total that the list does not have.
func auditSweep(t *Task, sweep *extract.Sweep) {
	compareTotal(t, sweep)
	if sweep.Capped {
		t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "known", Name: "list_capped", Once: true,
			Message: fmt.Sprintf("the list ends after %d records: rows beyond that may still exist, and stay", sweep.Rows)})
	}
	for _, value := range sweep.RefusedValues() {
		t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "known", Name: "value_refused", Once: true, Expected: value,
			Message: fmt.Sprintf("the source has no list of %s=%s: the others were read, and its stored rows stay", t.Stream.Read.Over.As, value)})
	}
}

// compareTotal compares the number of records of a sweep with the total that the list states. The list may change while it is read: a difference
// counts only above one percent, and above the number of changes that the run has seen.
func compareTotal(t *Task, sweep *extract.Sweep) {
	off := sweep.Total - sweep.Rows
	if off < 0 {
		off = -off
	}
	lists := t.Stream.Read.Over != nil || t.Stream.Read.Below != nil // several lists, each with its own count
	if sweep.Total < 0 || sweep.Capped || lists || off <= max(sweep.Total/100, t.Result.New+t.Result.Changed+t.Result.Gone) {
		return
	}
	t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "soft", Name: "total_count", Once: true,
		Expected: fmt.Sprint(sweep.Total), Found: fmt.Sprint(sweep.Rows), Message: "the list states another number of records than it has"})
}
