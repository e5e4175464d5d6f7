package stream

import (
	"context"
	"slices"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/transform"
)

// restoreDoubts reads what earlier runs have noted.
func restoreDoubts(ctx context.Context, t *Task, work *load.Work) error {
	list, err := work.DeadLetters.Incomplete(ctx, t.Workspace.Name, t.Stream.Name)
	t.doubts = doubtfulRecords{reasons: map[string]string{}, asked: map[string]bool{}, cameWhole: map[string]bool{}}
	for _, one := range list {
		t.doubts.reasons[one.Key] = one.Reason
	}
	return err
}

// takeRecord decodes a record into the open batch, unless it is not whole: then nothing of it counts but that it is there.
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
		missing = transform.Lacks
	}
	if missing != "" && named {
		asked := noteDoubt(t, key, missing, record.Error)
		if kept := missing == transform.Lacks || missing == extract.Unreadable && record.Raw != nil || missing == extract.NoTime && !asked; !kept {
			if t.State.Sweep != nil {
				t.seenKeys = append(t.seenKeys, key)
			}
			return nil
		}
	}
	if err := t.Decoder.Append(record.Raw, meta); err != nil {
		return &problem.Problem{Class: "data", What: "a record of " + t.Stream.Name + " is not JSON", Err: err,
			Next: "aqueduck sync --select " + t.Stream.Name + ", and report the request id if the error stays"}
	}
	lacks := t.Decoder.LacksUsual() && t.Stream.Read.Detail != nil // others are read again anyway
	switch {
	case missing != "":
	case (record.MayBeStale || lacks) && named && !t.doubts.asked[key]:
		t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: transform.Recheck})
	default:
		dropDoubt(t, key)
	}
	suspects := t.Decoder.Suspects()
	if t.doubts.now && missing == "" && !slices.Contains(suspects, key) {
		t.doubts.cameWhole[key] = true
	}
	for _, key := range suspects {
		noteDoubt(t, key, transform.Lacks, "")
	}
	return nil
}

// findKey is the key of a record that can be noted; false where the stream has no key of one column.
func findKey(t *Task, record extract.Record) (string, bool) {
	if len(t.Stream.Key) != 1 {
		return "", false
	}
	if record.Raw == nil {
		return record.Over, record.Over != ""
	}
	return extract.RecordKey(t.Stream, record.Raw)
}

// noteDoubt notes a record, whatever may end the run, and reports whether it is asked for once more in this one, or came whole in it when it
// was asked for before.
func noteDoubt(t *Task, key, reason, text string) (asked bool) {
	if t.doubts.cameWhole[key] {
		return true
	}
	t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: reason, Error: problem.Shorten(text)})
	t.doubts.reasons[key] = reason
	if reason == extract.Unreadable || t.Stream.Read.Detail != nil && reason != transform.Lacks || t.doubts.asked[key] || !canReadByID(t) {
		return false
	}
	t.doubts.retryIDs = append(t.doubts.retryIDs, key)
	return true
}

// dropDoubt takes out what was noted of a record that has come whole, or is gone. What was left out of one only the stored rows tell.
func dropDoubt(t *Task, key string) {
	if reason, noted := t.doubts.reasons[key]; noted && reason != transform.LeftOut {
		t.doubts.incomplete = slices.DeleteFunc(t.doubts.incomplete, func(one transform.Incomplete) bool { return one.Key == key })
		t.doubts.completed = append(t.doubts.completed, key)
		delete(t.doubts.reasons, key)
	}
}

// canReadByID reports whether single records can be read, by the stream itself or by one that reads for it.
func canReadByID(t *Task) bool {
	_, known := streamByID(t)
	return known || t.Stream.Read.Single() != nil
}
