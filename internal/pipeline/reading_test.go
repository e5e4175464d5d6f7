package pipeline_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
)

// findings are those of a name that a run told of.
func findings(report *runlog.Report, name string) []load.Finding {
	return slices.DeleteFunc(slices.Clone(report.Findings), func(f load.Finding) bool { return f.Name != name })
}

// state is the checkpoint of a stream.
func (b *bed) state(stream string) extract.State {
	b.t.Helper()
	state, err := extract.ParseState(b.checkpoint(stream))
	b.must(err)
	return state
}

// emptied is the answer of a list that has nothing.
const emptied = `{"type":"list","data":[],"total_count":0,"pages":{"type":"pages","next":null,"page":1,"per_page":150,"total_pages":0}}`

// answering has the workspace answer a route with something else.
func (b *bed) answering(route string, with func(body []byte) []byte) {
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(at string, body []byte) []byte {
			if with == nil || at != route {
				return body
			}
			return with(body)
		}
	})
}

// TestT161ASearchThatReturnsNothingIsCheckedByID: an empty search is no evidence that nothing happened.
func TestT161ASearchThatReturnsNothingIsCheckedByID(t *testing.T) {
	serial(t)
	t.Parallel()
	c := tiny(84)
	c.Conversations = 30
	b := newBedWith(t, c, strings.ReplaceAll(nightly, "contact_activities", "contact_activities, conversations"))
	_, err := b.space.OpenConversation(b.space.IDs("active")[0], 5)
	b.must(err)
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	marks := map[string]int64{"contacts": b.state("contacts").SyncedTo, "conversations": b.state("conversations").SyncedTo}
	newLife(b, 84).happen(20)
	b.space.Advance(time.Hour)
	for range 2 { // in each run, not once
		b.space.SetKnobs(func(k *emulator.Knobs) {
			k.Mutate = func(at string, body []byte) []byte {
				if strings.HasSuffix(at, ".search") {
					return []byte(emptied)
				}
				return body
			}
		})
		before := b.space.Count()
		report := b.try(runner.Options{})
		for name, mark := range marks {
			if s := stream(t, report, name); s.Status != runlog.StatusFailed || s.Class != "source" || !strings.Contains(s.Error, "and of that time") {
				t.Errorf("%s: %+v", name, s)
			}
			if got := b.state(name).SyncedTo; got != mark {
				t.Errorf("%s: the watermark moved from %d to %d", name, mark, got)
			}
		}
		if asked := b.asked(before, "/contacts/", "/conversations/"); asked["/contacts/"]+asked["/conversations/"] > 20 {
			t.Errorf("asked %v", asked)
		}
	}
	b.answering("", nil)
	b.sync(runner.Options{})
	b.equalsOracle()
}

// TestT161WhoeverLeftExplainsAnEmptySearch: where all that are stored in the window have left, an empty search is right.
// Holds: T194.
func TestT161WhoeverLeftExplainsAnEmptySearch(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]float64{"": 0, "T16 its list begins with empty pages": 0.9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whoeverLeftExplains(t, empty)
		})
	}
}

func whoeverLeftExplains(t *testing.T, empty float64) {
	t.Helper()
	b := newBed(t, tiny(85))
	b.sync(runner.Options{})
	b.space.Advance(72 * time.Hour)
	b.sync(runner.Options{}) // nobody is in the lookback window by now
	p := people{b}
	var changed []string
	for _, id := range b.space.IDs("active")[:3] {
		p.did(b.space.UpdateContact(id, emulator.Change{Field: "name", Value: "Last Change"}))
		changed = append(changed, id)
	}
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	for _, id := range changed {
		p.did(b.space.Archive(id))
	}
	b.space.Advance(time.Hour)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyPages = empty })
	b.sync(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyPages = 0 })
	b.equalsOracle()
}

// TestT187WhatWasAskedForAsEvidenceStaysAsItIsStored: the newest record is older than the lookback window, and is asked for to see whether
// the list still has it. No later run would ask for it again.
func TestT187WhatWasAskedForAsEvidenceStaysAsItIsStored(t *testing.T) {
	t.Parallel()
	b := newBed(t, tiny(86))
	b.sync(runner.Options{})
	const newest = "SELECT id, name, email FROM contacts WHERE updated_at = (SELECT max(updated_at) FROM contacts)"
	was := b.rows(newest)
	b.space.Advance(30 * 24 * time.Hour)
	b.sync(runner.Options{}) // after which nobody is in the lookback window
	b.space.Advance(24 * time.Hour)
	came := 0
	b.answering("contacts.search", func(body []byte) []byte {
		came += bytes.Count(body, []byte(`"external_id"`))
		return regexp.MustCompile(`"(name|email)":"[^"]*"`).ReplaceAll(body, []byte(`"$1":{"not":"a text"}`))
	})
	b.sync(runner.Options{})
	b.answering("", nil)
	if came == 0 {
		t.Error("nothing was asked for that is older than the window: the test shows nothing")
	}
	if got := b.rows(newest); !slices.Equal(got, was) {
		t.Errorf("stored were %v, and are %v", was, got)
	}
}

// TestT166RunsAreBoundedByDefault: a list without an end ends a run at the latest before the next night.
func TestT166RunsAreBoundedByDefault(t *testing.T) {
	t.Parallel()
	b := newBed(t, tiny(90))
	p := b.runner.Config.Pipelines[0]
	if p.MaxTime != 20*time.Hour || p.MaxRequests != 5_000_000 {
		t.Errorf("a run may take %s and %d requests", p.MaxTime, p.MaxRequests)
	}
}

// TestRejectsAreTheSameNumberInEveryRunUntilAValueChanges however often the window reads the record again.
func TestRejectsAreTheSameNumberInEveryRunUntilAValueChanges(t *testing.T) {
	t.Parallel()
	b := newBed(t, tiny(87))
	b.sync(runner.Options{})
	who := b.space.IDs("active")[:2]
	for _, id := range who {
		b.must(b.space.UpdateContact(id, emulator.Change{Field: "name", Value: "Somebody Else"}))
		b.space.Advance(time.Second)
	}
	b.space.Advance(time.Hour)
	b.answering("contacts.search", func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`"Somebody Else"`), []byte(`{"not":"a text"}`))
	})
	line := func(report *runlog.Report, want string) {
		t.Helper()
		if !strings.Contains(report.LastLine(), " "+want+" requests=") {
			t.Errorf("got %s, want %s", report.LastLine(), want)
		}
	}
	line(b.sync(runner.Options{}), "rejected=2 new_rejected=2")
	for range 2 {
		b.space.Advance(time.Hour)
		line(b.sync(runner.Options{}), "rejected=2 new_rejected=0")
	}
	if got := b.rows("SELECT key, column_name, reason FROM _sync.misfits ORDER BY key"); len(got) != 2 || got[0] != min(who[0], who[1])+"|name|type" {
		t.Errorf("noted are %v", got)
	}
	b.space.Advance(10 * 24 * time.Hour)
	b.sync(runner.Options{})
	b.space.Advance(time.Hour)
	line(b.sync(runner.Options{}), "rejected=2 new_rejected=0") // no window reads them any more
	b.answering("", nil)
	b.must(b.space.UpdateContact(who[0], emulator.Change{Field: "name", Value: "Mended"}))
	b.space.Advance(time.Hour)
	line(b.sync(runner.Options{}), "rejected=1 new_rejected=0")
	if _, err := admin.Erase(t.Context(), b.runner, who[1], func([]admin.Erased) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	if got := b.rows("SELECT key FROM _sync.misfits"); len(got) != 0 {
		t.Errorf("after the erasure noted are %v", got)
	}
	line(b.sync(runner.Options{}), "rejected=0 new_rejected=0")
}

// TestAValueOfARecordThatTwoTablesHoldCountsOnce: search and the contact's own reading bring the same wrong values of one contact, a night apart.
func TestAValueOfARecordThatTwoTablesHoldCountsOnce(t *testing.T) {
	serial(t)
	t.Parallel()
	b := newBed(t, tiny(87))
	b.sync(runner.Options{})
	who := b.space.IDs("active")[0]
	b.must(b.space.UpdateContact(who, emulator.Change{Field: "name", Value: "New Name"}))
	b.space.Advance(time.Hour)
	wrong := func(record map[string]any) {
		if record["id"] == who && record["name"] == "New Name" {
			record["name"] = map[string]any{"not": "a text"}
			record["social_profiles"] = map[string]any{"type": "list", "data": []any{map[string]any{"name": []any{1}}, map[string]any{"name": []any{2}}}}
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if route != "contacts.search" && route != "contacts.get" {
				return body
			}
			var answer map[string]any
			b.must(json.Unmarshal(body, &answer))
			list, _ := answer["data"].([]any)
			for _, one := range append(list, answer) {
				wrong(one.(map[string]any))
			}
			return raw(t, answer)
		}
	})
	line := func(want string) *runlog.Report {
		t.Helper()
		report := b.sync(runner.Options{})
		if !strings.Contains(report.LastLine(), " "+want+" requests=") {
			t.Errorf("got %s, want %s", report.LastLine(), want)
		}
		return report
	}
	line("rejected=3 new_rejected=3")
	b.must(b.space.Archive(who))
	b.space.Advance(time.Hour)
	line("rejected=3 new_rejected=0")
	b.must(b.space.Unarchive(who, false))
	b.space.Advance(time.Hour)
	if read := stream(t, line("rejected=3 new_rejected=0"), "contacts_by_id"); read.Extracted != 1 || read.Rejected != 0 {
		t.Errorf("by id: %+v", read)
	}
	want := []string{"contact_social_profiles_raw|name|2", "contacts_raw|name|1"}
	if got := b.rows("SELECT table_name, column_name, count FROM _sync.misfits ORDER BY ALL"); !slices.Equal(got, want) {
		t.Errorf("noted are %v, want %v", got, want)
	}
	b.must(b.space.UpdateContact(who, emulator.Change{Field: "name", Value: "Mended"}))
	b.space.Advance(time.Hour)
	line("rejected=0 new_rejected=0")
}
