package pipeline_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// verifyPublished compares the workspace with the published file.
func (b *testBed) verifyPublished(o verify.VerifyOptions) *verify.Verification {
	b.t.Helper()
	if o.Requests == 0 {
		o.Requests = 200
	}
	before := b.space.RequestCount()
	v, err := verify.Verify(context.Background(), b.runner, b.runner.Config.Pipelines, o, func(string) {})
	if err != nil {
		b.t.Fatal(err)
	}
	if asked := int64(b.space.RequestCount() - before); asked != v.Requests || !o.Deep && asked > o.Requests {
		b.t.Errorf("%d requests were sent, %d told of, %d allowed", asked, v.Requests, o.Requests)
	}
	return v
}

// listDifferences returns the differences of rows that a verification found. A planted file has no Parquet files, which is a finding without a stream.
func listDifferences(v *verify.Verification) (list []string) {
	for _, f := range v.Findings {
		if f.Stream == "" {
			continue
		}
		list = append(list, fmt.Sprint(f.Table, " ", f.Kind, " ", f.Key, " ", strings.Join(f.Columns, ",")))
	}
	slices.Sort(list)
	return list
}

func verificationText(v *verify.Verification) string {
	var text strings.Builder
	render.PrintVerification(v, &text)
	return text.String()
}

// plantRows changes a copy of the published file, and publishes it.
func (b *testBed) plantRows(statements ...string) {
	b.t.Helper()
	file, err := filepath.EvalSymlinks(b.runner.Dir.Current())
	b.failOn(err)
	content, err := os.ReadFile(file)
	b.failOn(err)
	planted := filepath.Join(b.runner.Dir.Published(), "planted.duckdb")
	b.failOn(os.WriteFile(planted, content, 0o600))
	db, err := sql.Open("duckdb", planted)
	b.failOn(err)
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			b.t.Fatalf("%v\n%s", err, statement)
		}
	}
	b.failOn(db.Close())
	b.failOn(b.runner.Dir.SwapLink(planted))
}

// TestVerifyFindsPlantedDifferencesOnly: a correct file has no difference, whatever part of the source is read. A missing, a stale and a doubled
// row and a ghost are each found, in lists with complete records, in lists whose records are read by id, and in lists without times.
func TestVerifyFindsPlantedDifferencesOnly(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(61)
	c.Conversations = 25
	b := newBedWith(t, c, strings.ReplaceAll(nightly, "contact_activities]", `contact_activities, conversations, tags, data_attributes, "*hitl*"]`))
	b.syncOnce(runner.Options{})
	for _, o := range []verify.VerifyOptions{{}, {Requests: 12}, {Deep: true}} {
		v := b.verifyPublished(o)
		if v.Exit() != problem.ExitOK || len(v.Findings) > 0 || v.Sampled < 100 || v.Whole != o.Deep {
			t.Errorf("%+v: exit %d, whole %t\n%s", o, v.Exit(), v.Whole, verificationText(v))
		}
	}

	people, talks := b.space.ContactIDs("active"), b.space.ConversationIDs()
	tags := b.queryRows("SELECT id FROM tags ORDER BY id")
	b.plantRows(
		"DELETE FROM _raw.contacts_raw WHERE id = '"+people[0]+"'",
		"UPDATE _raw.contacts_raw SET name = 'another' WHERE id = '"+people[1]+"'",
		"INSERT INTO _raw.contacts_raw SELECT * REPLACE ('feedfacefeedfacefeedface' AS id) FROM contacts_raw WHERE id = '"+people[2]+"'",
		"INSERT INTO _raw.contacts_raw FROM contacts_raw WHERE id = '"+people[3]+"'",
		"DELETE FROM conversations_all WHERE id = '"+talks[0]+"'",
		"UPDATE conversations_all SET title = 'another' WHERE id = '"+talks[1]+"'",
		"INSERT INTO conversations_all SELECT * REPLACE ('999999' AS id) FROM conversations_all WHERE id = '"+talks[2]+"'",
		"INSERT INTO conversations_all FROM conversations_all WHERE id = '"+talks[3]+"'",
		"DELETE FROM tags_all WHERE id = '"+tags[0]+"'",
		"UPDATE tags_all SET name = 'another' WHERE id = '"+tags[1]+"'",
		"INSERT INTO tags_all SELECT * REPLACE ('999999' AS id) FROM tags_all WHERE id = '"+tags[2]+"'",
		"INSERT INTO tags_all FROM tags_all WHERE id = '"+tags[3]+"'",
	)
	want := []string{
		"contacts ghost feedfacefeedfacefeedface ", "contacts_raw doubled " + people[3] + " ", "contacts_raw missing " + people[0] + " ",
		"contacts_raw stale " + people[1] + " name",
		"conversations ghost 999999 ", "conversations_all doubled " + talks[3] + " ", "conversations_all missing " + talks[0] + " ",
		"conversations_all stale " + talks[1] + " title",
		"tags ghost 999999 ", "tags_all doubled " + tags[3] + " ", "tags_all missing " + tags[0] + " ", "tags_all stale " + tags[1] + " name",
	}
	v := b.verifyPublished(verify.VerifyOptions{})
	if got := listDifferences(v); v.Exit() != problem.ExitBreached || !slices.Equal(got, want) {
		t.Fatalf("exit %d, found\n%s\nwant\n%s\n%s", v.Exit(), strings.Join(got, "\n"), strings.Join(want, "\n"), verificationText(v))
	}
	var ids []string
	for _, f := range v.Findings {
		ids = append(ids, f.ID)
	}
	b.failOn(verify.Accept(b.runner, ids[1:]))
	if v = b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitBreached {
		t.Error("one difference is not explained, and it is passed over")
	}
	b.failOn(verify.Accept(b.runner, ids[:1]))
	if v = b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK || len(v.Findings) != len(want) {
		t.Errorf("what was accepted fails: %s", v.LastLine())
	}
	if err := verify.Accept(b.runner, []string{"feedface"}); err == nil {
		t.Error("a difference that was never found is accepted")
	}
}

// TestVerifyIgnoresChangesSinceTheRun: a record that is new or changed after the watermark belongs to the next run. A silent change is reported.
func TestVerifyIgnoresChangesSinceTheRun(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(62))
	b.syncOnce(runner.Options{})
	b.space.Advance(time.Hour)
	people := b.space.ContactIDs("active")
	b.failOn(b.space.TagContact(people[0], 1))
	_, err := b.space.CreateContact("user")
	b.failOn(err)
	b.space.Advance(time.Hour)
	if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK || len(v.Findings) > 0 {
		t.Errorf("changes are taken for differences\n%s", verificationText(v))
	}
	b.failOn(b.space.UpdateQuietly(people[1], emulator.FieldChange{Field: "name", Value: "silent"}))
	b.space.Advance(time.Hour)
	if got := listDifferences(b.verifyPublished(verify.VerifyOptions{})); !slices.Equal(got, []string{"contacts_raw stale " + people[1] + " name"}) {
		t.Errorf("a change without a sign shows as %q", got)
	}
}

// TestVerifyKnowsTheListsOfContactsReadByID: a contact that was archived before the first run and is back was read by id, with its tags. Other tables
// have them than those of the search, and nothing differs. A tag that neither table has is missing.
func TestVerifyKnowsTheListsOfContactsReadByID(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	c := tinyConfig(64)
	c.Knobs = emulator.Knobs{NoLag: true}
	same := newBed(t, c)
	same.syncOnce(runner.Options{})
	id := same.queryRows("SELECT id FROM contacts WHERE id IN (SELECT contact_id FROM contact_tags) ORDER BY updated_at LIMIT 1")[0] // outside of the lookback window
	b := newBed(t, c)
	b.failOn(b.space.ArchiveContact(id))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.failOn(b.space.UnarchiveContact(id, false))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM contact_tags_by_id WHERE contact_id = '" + id + "'"); got[0] == "0" {
		t.Fatal("the contact was not read by id with its tags: the test says nothing")
	}
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("nothing differs, and verify finds\n%s", verificationText(v))
	}
	// An older copy in the table of the search is not what readers see, as long as the copy by id is up to date.
	b.plantRows("INSERT INTO _raw.contacts_raw BY NAME SELECT * EXCLUDE (_gone_at, read_at) REPLACE (updated_at - INTERVAL 30 DAY AS updated_at, 'old' AS name) FROM _raw.contacts_by_id_all WHERE id = '" + id + "'")
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("an older copy beside a newer one: verify finds\n%s", verificationText(v))
	}
	b.plantRows("UPDATE _raw.contacts_by_id_all SET updated_at = updated_at - INTERVAL 40 DAY WHERE id = '" + id + "'")
	if got := strings.Join(listDifferences(b.verifyPublished(verify.VerifyOptions{Deep: true})), "\n"); !strings.Contains(got, "contacts_raw stale "+id) {
		t.Errorf("two older copies are not found: %q", got)
	}
	b.plantRows("UPDATE _raw.contacts_by_id_all SET updated_at = updated_at + INTERVAL 40 DAY WHERE id = '" + id + "'; DELETE FROM _raw.contacts_raw WHERE id = '" + id + "'")
	b.plantRows("DELETE FROM _raw.contact_tags_by_id WHERE contact_id = '" + id + "'")
	if got := strings.Join(listDifferences(b.verifyPublished(verify.VerifyOptions{Deep: true})), "\n"); !strings.Contains(got, `contact_tags_raw missing ["`+id) {
		t.Errorf("a missing tag is not found: %q", got)
	}
}

// TestVerifyFindsRowsOfWrongAnswers: a third of a list that was never read, a list that an answer left out, a record of which only id and time
// were stored, an older copy, a time that was taken for none, a conversation without its parts.
func TestVerifyFindsRowsOfWrongAnswers(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(63)
	c.Conversations = 12
	b := newBedWith(t, c, strings.ReplaceAll(nightly, "contact_activities]", "contact_activities, conversations]"))
	people, talks := b.space.ContactIDs("active"), b.space.ConversationIDs()
	b.failOn(b.space.TagContact(people[0], 1))
	b.syncOnce(runner.Options{})
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Fatalf("before any damage: %s", verificationText(v))
	}
	lost := people[len(people)*2/3:]
	b.plantRows(
		"DELETE FROM _raw.contacts_raw WHERE id IN ('"+strings.Join(lost, "', '")+"')",
		"DELETE FROM _raw.contact_tags_raw WHERE contact_id = '"+people[0]+"'",
		"UPDATE _raw.contacts_raw SET name = NULL, email = NULL, role = NULL WHERE id = '"+people[1]+"'",
		"UPDATE _raw.contacts_raw SET name = 'before', updated_at = updated_at - INTERVAL 9 DAY WHERE id = '"+people[2]+"'",
		"UPDATE _raw.contacts_raw SET created_at = NULL WHERE id = '"+people[3]+"'",
		"DELETE FROM conversation_parts WHERE conversation_id = '"+talks[0]+"'",
		"UPDATE conversations_all SET state = NULL, open = NULL WHERE id = '"+talks[1]+"'",
	)
	v := b.verifyPublished(verify.VerifyOptions{Deep: true})
	got := strings.Join(listDifferences(v), "\n") + "\n"
	for _, id := range lost {
		if !strings.Contains(got, "contacts_raw missing "+id+" ") {
			t.Errorf("%s was never read, and is not missed", id)
		}
	}
	for _, want := range []string{
		`contact_tags_raw missing ["` + people[0], "contacts_raw stale " + people[1] + " ", "contacts_raw stale " + people[2] + " ",
		"contacts_raw stale " + people[3] + " created_at", `conversation_parts missing ["` + talks[0], "conversations_all stale " + talks[1] + " ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no difference %q", want)
		}
	}
	if v.Exit() != problem.ExitBreached || t.Failed() {
		t.Errorf("exit %d, found\n%s", v.Exit(), got)
	}
}
