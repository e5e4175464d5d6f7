package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// doubts are the records of a stream that an answer did not bring whole. Each is asked for by id once more in the same run, where that
// can be done, and then in each run until it comes whole. What is stored of it stays until then.
type doubts struct {
	noted map[string]string // why, by key: what earlier runs have noted, and this one
	asked map[string]bool   // ids that were asked for once more
	whole map[string]bool   // those of them that came whole: what the list says of them is not held against them
	now   bool              // what is taken was asked for by id
	again []string          // ids to be asked for once more

	incomplete []transform.Incomplete // for the open batch to note
	completed  []string               // and to take out again
}

// mostAskedAgain bounds how many records of a stream a run asks for once more: beyond it the source is ill, not a record.
const mostAskedAgain = 500

// restoreDoubts reads what earlier runs have noted.
func restoreDoubts(ctx context.Context, t *task, work *load.Work) error {
	list, err := work.Incomplete(ctx, t.workspace.name, t.stream.Name)
	t.doubts = doubts{noted: map[string]string{}, asked: map[string]bool{}, whole: map[string]bool{}}
	for _, one := range list {
		t.doubts.noted[one.Key] = one.Reason
	}
	return err
}

// takeRecord decodes a record into the open batch, unless it is not whole: then nothing of it counts but that it is there.
func takeRecord(t *task, record extract.Record, meta transform.Meta) error {
	key, named := findKey(t, record)
	missing := record.Missing
	if missing == "" && named && t.stream.Read.Detail == nil {
		missing = extract.Missing(t.stream, record.Raw)
	}
	if missing == "" && named && extract.Untimed(t.stream, record.Raw) {
		missing = extract.NoTime
	}
	if missing == "" && record.Short != "" {
		missing = transform.Lacks
	}
	if missing != "" && named {
		asked := noteDoubt(t, key, missing, record.Error)
		if kept := missing == transform.Lacks || missing == extract.Unreadable && record.Raw != nil || missing == extract.NoTime && !asked; !kept {
			if t.state.Sweep != nil {
				t.seen = append(t.seen, key)
			}
			return nil
		}
	}
	if err := t.decoder.Append(record.Raw, meta); err != nil {
		return &Problem{Class: "data", What: "a record of " + t.stream.Name + " is not JSON", Err: err,
			Next: "aqueduck sync --select " + t.stream.Name + ", and report it with the request id if it stays"}
	}
	lacks := t.decoder.LacksSome() && t.stream.Read.Detail != nil // others are read again anyway
	switch {
	case missing != "":
	case (record.Unsettled || lacks) && named && !t.doubts.asked[key]:
		t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: transform.Recheck})
	default:
		dropDoubt(t, key)
	}
	suspects := t.decoder.Suspects()
	if t.doubts.now && missing == "" && !slices.Contains(suspects, key) {
		t.doubts.whole[key] = true
	}
	for _, key := range suspects {
		noteDoubt(t, key, transform.Lacks, "")
	}
	return nil
}

// findKey is the key of a record that can be noted; false where the stream has no key of one column.
func findKey(t *task, record extract.Record) (string, bool) {
	if len(t.stream.Key) != 1 {
		return "", false
	}
	if record.Raw == nil {
		return record.Over, record.Over != ""
	}
	return extract.Key(t.stream, record.Raw)
}

// noteDoubt notes a record, whatever may end the run, and reports whether it is asked for once more in this one, or came whole in it when it
// was asked for before.
func noteDoubt(t *task, key, reason, text string) (asked bool) {
	if t.doubts.whole[key] {
		return true
	}
	t.doubts.incomplete = append(t.doubts.incomplete, transform.Incomplete{Key: key, Reason: reason, Error: Shorten(text)})
	t.doubts.noted[key] = reason
	if reason == extract.Unreadable || t.stream.Read.Detail != nil && reason != transform.Lacks || t.doubts.asked[key] || !canReadByID(t) {
		return false
	}
	t.doubts.again = append(t.doubts.again, key)
	return true
}

// dropDoubt takes out what was noted of a record that has come whole, or is gone. What was left out of one only the stored rows tell.
func dropDoubt(t *task, key string) {
	if reason, noted := t.doubts.noted[key]; noted && reason != transform.LeftOut {
		t.doubts.incomplete = slices.DeleteFunc(t.doubts.incomplete, func(one transform.Incomplete) bool { return one.Key == key })
		t.doubts.completed = append(t.doubts.completed, key)
		delete(t.doubts.noted, key)
	}
}

// canReadByID reports whether single records can be read, by the stream itself or by one that reads for it.
func canReadByID(t *task) bool {
	_, known := streamByID(t)
	return known || t.stream.Read.Single() != nil
}

// askNoted asks for the records that earlier runs have noted.
func askNoted(ctx context.Context, t *task) error {
	return askWhole(ctx, t, slices.Sorted(maps.Keys(t.doubts.noted)))
}

// askDoubted asks once more for the records that this run has met and that were not whole, also by what is stored of them.
func askDoubted(ctx context.Context, t *task) error {
	ids := t.doubts.again
	err := t.run.writer.use(func(work *load.Work) error {
		list, err := work.Incomplete(ctx, t.workspace.name, t.stream.Name)
		for _, one := range list {
			if one.Reason == transform.LeftOut {
				ids = append(ids, one.Key)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	t.doubts.again = nil
	return askWhole(ctx, t, slices.Compact(ids))
}

// askWhole asks for records by id, in the order of their ids and each once in a run. Of more than a run asks for, it goes on behind those
// that were asked for last.
func askWhole(ctx context.Context, t *task, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return t.doubts.asked[id] })
	if len(ids) == 0 || !canReadByID(t) || t.windowed() {
		return nil
	}
	if len(ids) > mostAskedAgain {
		next, asked := slices.BinarySearch(ids, t.state.Asked)
		if asked {
			next++
		}
		ids = slices.Concat(ids[next:], ids[:next])[:mostAskedAgain]
		t.state.Asked = ids[mostAskedAgain-1]
	}
	for chunk := range slices.Chunk(ids, askedAtOnce) {
		if t.result.Cut = t.over(); t.result.Cut {
			return t.commit(ctx)
		}
		for _, id := range chunk {
			t.doubts.asked[id] = true
		}
		records, _, err := readByID(ctx, t, chunk)
		t.doubts.now = true
		failed := t.add(extract.Page{State: t.state, ServerTime: t.workspace.client.ServerNow(), Records: records})
		t.doubts.now = false
		if failed != nil {
			return failed
		}
		if err != nil {
			return errors.Join(fmt.Errorf("stream %s: ask for records that did not come whole: %w", t.stream.Name, err), t.commit(ctx))
		}
	}
	return t.commit(ctx)
}

// auditIncomplete finds the records that are not whole when a run ends.
func auditIncomplete(ctx context.Context, r *run, t *task) error {
	var list []transform.Incomplete
	err := r.writer.use(func(work *load.Work) (err error) {
		list, err = work.Incomplete(ctx, t.workspace.name, t.stream.Name)
		return err
	})
	list = slices.DeleteFunc(list, func(one transform.Incomplete) bool {
		return one.Reason == transform.Recheck || one.Reason == extract.NoTime
	})
	if err != nil || len(list) == 0 {
		return err
	}
	counts := map[string]int{}
	var some []string
	for _, one := range list {
		counts[one.Reason]++
		if len(some) < 3 {
			some = append(some, one.Key+" ("+cmp.Or(one.Error, one.Reason)+")")
		}
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	r.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "exact", Name: "incomplete", Expected: "0", Found: fmt.Sprint(len(list)),
		Message: "records did not come whole: " + strings.Join(reasons, ", ") + "; what is stored of them stays, and each run asks for them again: " + strings.Join(some, "; ")})
	return nil
}
