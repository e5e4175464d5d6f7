package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/load/read"
)

// Read reads the ids that the stream's SQL file selects, one or several in a request, and those that earlier runs noted as incomplete.
func (t *idReader) Read(ctx context.Context, _ extract.Phase) error {
	var ids, keys []string
	var inputs, noted string
	if err := t.Workspace.crashedSQL[t.Stream.Name]; err != nil {
		return t.idQueryError(err)
	}
	err := t.Run.Writer.Use(func(work *load.Work) (err error) {
		if inputs, err = t.idInputs(ctx, work); err != nil {
			return err
		}
		if noted, err = work.Facts.Meta(ctx, t.noIDsKey()); err != nil || t.hadNoIDs(inputs, noted) {
			return err
		}
		if ids, keys, err = t.idsToRead(ctx, work); err != nil || t.Stream.Read.Over.Size == 0 || len(t.doubts.reasons) == 0 {
			return err
		}
		ids, keys, err = t.addNoted(ctx, work, ids, keys)
		return err
	})
	if err != nil {
		return t.idQueryError(err)
	}
	for id := range t.doubts.reasons {
		if t.Stream.Read.Over.Size == 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return t.noteNoIDs(ctx, inputs, noted)
	}
	req := t.phaseRequest(extract.Forward)
	req.IDs, req.Keys = ids, keys
	if err := t.readPages(ctx, req); err != nil || t.Result.Cut {
		return err
	}
	return rereadIncomplete(ctx, t.Task)
}

// changesEachRun matches what differs from run to run in SQL that selects ids: times, and the watermark.
var changesEachRun = regexp.MustCompile(`(?i)synced_to|current_|\b(now|today|random|uuid|getvariable)\b`)

// idInputs is a fingerprint of what the stream's SQL file reads: the tables of the workspace, and of the checkpoints how far back the history
// is read and which records are incomplete. It is "" where a run may get other ids from the same: for a user's file, which may read anything.
func (t *idReader) idInputs(ctx context.Context, work *load.Work) (string, error) {
	over := t.Stream.Read.Over
	if !t.Stream.BuiltIn || t.IsWindowed() || changesEachRun.MatchString(over.SQL) {
		return "", nil
	}
	tables, err := work.Facts.SchemaState(ctx, t.Workspace.Name)
	if err != nil {
		return "", err
	}
	inputs := []any{over.SQL, tables}
	for _, name := range append([]string{t.Stream.Name}, over.After...) {
		stored, err := work.Checkpoints.Checkpoint(ctx, t.Workspace.Name, name)
		if err != nil {
			return "", err
		}
		state, err := extract.ParseState(stored.State)
		if err != nil {
			return "", err
		}
		inputs = append(inputs, name, idState(state))
	}
	hash := sha256.Sum256(fmt.Appendln(nil, inputs...))
	return hex.EncodeToString(hash[:16]), nil
}

// idState is what SQL that selects ids reads of the checkpoint of a stream.
func idState(s extract.State) string {
	return fmt.Sprint(s.HistoryTo, s.Short) // a map is printed in the order of its keys
}

// noIDsKey is the key of the fact about the file that says which inputs selected no ids. It is not in the checkpoint: a stream that has never read a
// record has none, and would seem to have been read.
func (t *idReader) noIDsKey() string {
	return "inputs without ids: " + t.Workspace.Name + "." + t.Stream.Name
}

// hadNoIDs reports whether an earlier run noted that the same inputs select no ids, and no record waits to be read again.
func (t *idReader) hadNoIDs(inputs, noted string) bool {
	return inputs != "" && noted == inputs && len(t.doubts.reasons) == 0 && !t.State.Replace
}

// noteNoIDs notes that these inputs select no ids, and removes the notes of records that are complete.
func (t *idReader) noteNoIDs(ctx context.Context, inputs, noted string) error {
	if inputs != "" && inputs != noted {
		err := t.Run.Writer.Use(func(work *load.Work) error { return work.Records.NoteFact(ctx, t.noIDsKey(), inputs) })
		if err != nil {
			return err
		}
	}
	if len(t.doubts.completed) == 0 {
		return nil
	}
	return t.Commit(ctx)
}

// idQueryError explains an error of the SQL file that selects the ids. For a user's own file the next step is to correct it.
func (t *idReader) idQueryError(err error) error {
	if t.Stream.Read.Over.Private {
		err = read.WithoutSQL(err)
	}
	err = fmt.Errorf("stream %s: ask %s which ids to read: %w", t.Stream.Name, t.Stream.Read.Over.View, err)
	if t.Stream.BuiltIn || errors.Is(err, context.Canceled) {
		return err
	}
	return &problem.Problem{Class: "config", What: problem.FirstLine(err), Next: "correct the SQL file; {schema} in it is the schema of the workspace, whose tables this lists: aqueduck query \"FROM _sync.dictionary\""}
}

// idsToRead runs the stream's SQL file and returns the ids to read. Where one request reads several ids, keys are the keys that each answer must
// contain. A full refresh adds the ids of the stored rows, except in a table that belongs to another stream, which refreshes it.
func (t *idReader) idsToRead(ctx context.Context, work *load.Work) (ids, keys []string, err error) {
	schema, query, own := t.Workspace.Name, t.Stream.Read.Over.SQL, t.Tables[0]
	refreshing := t.State.Replace && t.Stream.Into == "" && len(own.Key) == 1
	if t.Stream.Read.Over.Size > 0 {
		ids, keys, err = work.Facts.Expected(ctx, schema, query)
		if err != nil || !refreshing {
			return ids, keys, err
		}
		more, expected, err := work.Facts.Expected(ctx, schema, query, own.Name)
		return append(ids, more...), append(keys, expected...), err
	}
	if ids, err = work.Facts.IDs(ctx, schema, query); err != nil || !refreshing {
		return ids, nil, err
	}
	err = work.Facts.EachKey(ctx, schema, own, time.Time{}, func(key string) { ids = append(ids, key) })
	slices.Sort(ids)
	return slices.Compact(ids), nil, err
}

// addNoted adds the records that earlier runs noted as incomplete to those that batches ask for, with the ids that they are asked for by. A
// record that the SQL file would not select even if the table were empty exists no longer: its note is removed.
func (t *idReader) addNoted(ctx context.Context, work *load.Work, ids, keys []string) ([]string, []string, error) {
	all, expected, err := work.Facts.Expected(ctx, t.Workspace.Name, t.Stream.Read.Over.SQL, t.Tables[0].Name)
	if err != nil {
		return nil, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(t.doubts.reasons)) {
		i := slices.Index(expected, key)
		switch {
		case i < 0:
			t.doubts.completed = append(t.doubts.completed, key)
			delete(t.doubts.reasons, key)
		case !slices.Contains(keys, key):
			ids, keys = append(ids, all[i]), append(keys, key)
		}
	}
	return ids, keys, nil
}
