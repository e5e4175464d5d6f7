package stream

import (
	"context"
	"slices"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/transform"
)

// restoreDoubts reads the notes of earlier runs about incomplete records. Nothing asks for a record whose key has several columns: its list has it.
func restoreDoubts(ctx context.Context, t *Task, work *load.Work) error {
	list, err := work.DeadLetters.Incomplete(ctx, t.Workspace.Name, t.Stream.Name)
	t.doubts = doubtfulRecords{reasons: map[string]string{}, asked: map[string]bool{}, cameWhole: map[string]bool{}}
	for _, one := range list {
		if len(t.Stream.Key) == 1 {
			t.doubts.reasons[one.Key] = one.Reason
		}
	}
	return err
}

// takeRecord decodes a record into the open batch. An incomplete record is noted first. One that only lacks some values is stored as far as it
// arrived; any other brings no row, so that it overwrites nothing, and counts only as seen by the sweep.
func takeRecord(t *Task, record extract.Record, meta transform.Meta) error {
	key, named := findKey(t, record)
	missing := record.Missing
	if missing == "" && named && t.Stream.Read.Detail == nil {
		missing = extract.IncompleteReason(t.Stream, record.Raw)
	}
	if missing == "" && named && extract.HasInvalidTime(t.Stream, record.Raw) {
		missing = extract.NoTime
	}
	if missing == "" && record.Short != "" {
		missing = transform.OmitsUsual
	}
	if missing != "" && named {
		asked := noteDoubt(t, key, missing, record.Error)
		if kept := missing == transform.OmitsUsual || missing == extract.FewItems || missing == extract.Unreadable && record.Raw != nil || missing == extract.NoTime && !asked; !kept {
			if t.State.Sweep != nil {
				t.seenKeys = append(t.seenKeys, key)
			}
			return nil
		}
	}
	if err := t.Decoder.Append(record.Raw, meta); err != nil {
		return &problem.Problem{Class: "data", What: "a record of " + t.Stream.Name + " is not JSON", Err: err,
			Next: "aqueduck sync --select " + t.Stream.Name + "; if the error stays, send the request id to the API's support"}
	}

	// A record that may be stale, or lacks what records of the stream usually have, is stored and noted, so that the next run reads it once
	// more. Streams without a request for single records read it again with the list anyway.
	lacks := t.Decoder.LacksUsual() && t.Stream.Read.Detail != nil
	switch {
	case missing != "":
	case (record.MayBeStale || lacks) && named && !t.doubts.asked[key]:
		t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: transform.Recheck})
	default:
		dropDoubt(t, key)
	}
	suspects := t.Decoder.Suspects()
	if t.doubts.readingByID && missing == "" && !slices.Contains(suspects, key) {
		t.doubts.cameWhole[key] = true
	}
	for _, key := range suspects {
		noteDoubt(t, key, transform.OmitsUsual, "")
	}
	return nil
}

// findKey returns the key of a record. It returns false where the record cannot be noted: the stream's key has several columns, or the record
// has none.
func findKey(t *Task, record extract.Record) (string, bool) {
	if len(t.Stream.Key) != 1 {
		return "", false
	}
	if record.Raw == nil {
		return record.Over, record.Over != ""
	}
	return extract.RecordKey(t.Stream, record.Raw)
}

// noteDoubt notes an incomplete record. The next commit stores the note, so it outlives a run that ends early. noteDoubt reports true
// when this run reads the record by id, now or earlier with a complete answer.
func noteDoubt(t *Task, key, reason, text string) (asked bool) {
	if t.doubts.cameWhole[key] {
		return true
	}
	t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: reason, Error: problem.Shorten(text)})
	t.doubts.reasons[key] = reason
	if reason == extract.Unreadable || t.Stream.Read.Detail != nil && reason != transform.OmitsUsual || t.doubts.asked[key] || !canReadByID(t) {
		return false
	}
	t.doubts.retryIDs = append(t.doubts.retryIDs, key)
	return true
}

// dropDoubt removes the note about a record that arrived complete, or that the source no longer has. A note with reason LeftOut stays: only the
// commit, which compares with the stored rows, can tell whether it still holds.
func dropDoubt(t *Task, key string) {
	if reason, noted := t.doubts.reasons[key]; noted && reason != transform.OmitsStored {
		t.doubts.incomplete = slices.DeleteFunc(t.doubts.incomplete, func(one transform.Incomplete) bool { return one.Key == key })
		t.doubts.completed = append(t.doubts.completed, key)
		delete(t.doubts.reasons, key)
	}
}

// noteAbsence notes a record that an answer did not have. The answer of a batch states no count, so it may lack a record that exists: when a
// record is missing for the first time, the next run reads it once more (T89). Any other doubt about a missing record ends.
func noteAbsence(t *Task, key string) {
	if over := t.Stream.Read.Over; over != nil && over.Size > 0 && t.doubts.reasons[key] == "" {
		t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: transform.Recheck})
		return
	}
	dropDoubt(t, key)
}

// canReadByID reports whether single records of the stream can be read, by its own requests or by another stream's.
func canReadByID(t *Task) bool {
	_, known := streamByID(t)
	return (known || t.Stream.Read.Single() != nil) && len(t.Stream.Key) == 1
}
