package pipeline_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
	"aqueduck/load/layout"
)

// asShown returns the published contacts that the source still sends, with their hashes and all child rows.
func (b *testBed) asShown() (rows []string) {
	b.t.Helper()
	for _, sql := range []string{"SELECT * EXCLUDE (_synced_at, _run_id) FROM contacts ORDER BY id",
		"SELECT s.* EXCLUDE (_synced_at, _run_id) FROM contact_social_profiles s JOIN contacts c ON c.id = s.contact_id ORDER BY ALL",
		"SELECT * EXCLUDE (_synced_at, _run_id) FROM deleted_contacts ORDER BY id"} {
		rows = append(rows, b.queryRows(sql)...)
	}
	return rows
}

// TestT174UnmaskedValuesReturnAfterFullRefresh masks a column, paths of JSON columns and of _extra, a list's column and a whole list of stored
// rows, and then removes the masking. Until a full refresh the run, the plan and verify report what is still masked. After it every value that the
// source sends is back, and a note names the archived contact.
func TestT174UnmaskedValuesReturnAfterFullRefresh(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(93)).publishingLake()
	p := contactBed{b}
	for range 4 {
		p.advanceAfter(b.space.UpdateContact(p.createUser(), emulator.FieldChange{Field: "phone", Value: "+1 555"}, emulator.FieldChange{Field: "name", Value: "Ann"},
			emulator.FieldChange{Field: "custom_attributes.ssn", Value: "12"}, emulator.FieldChange{Field: "custom_attributes.plan", Value: "big"}))
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = withSecret })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.ArchiveContact(b.space.ContactIDs("active")[0]))
	b.space.Advance(100 * time.Hour) // an ordinary run reads none of them again
	b.syncOnce(runner.Options{})
	before := b.asShown()
	b.writeConfig(nightly + `streams:
  contacts:
    hash: [email, custom_attributes.plan, social_profiles.data.name]
    drop: [phone, location, last_seen_at, custom_attributes.ssn, _extra.secret, social_profiles.data.url]
  deleted_contacts: {hash: [email]}
`)
	b.syncOnce(runner.Options{})
	if slices.Equal(b.asShown(), before) {
		t.Fatal("nothing is hidden: the test finds nothing")
	}
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("of the masked rows verify finds\n%s", verificationText(v))
	}
	b.writeConfig(nightly)
	if plan := b.planText(); !strings.Contains(plan, "contacts: the settings hash custom_attributes.plan, hash email, hash social_profiles.data.name, drop _extra.secret, ") || !strings.Contains(plan, "next: aqueduck sync --full-refresh --select contacts") {
		t.Errorf("the plan before the run says\n%s", plan)
	}
	notes := strings.Join(b.syncOnce(runner.Options{}).Notes, "\n")
	if !strings.Contains(notes, "contacts: the settings hash custom_attributes.plan, hash email, hash social_profiles.data.name, drop _extra.secret, ") || !strings.Contains(notes, "next: aqueduck sync --full-refresh --select contacts") {
		t.Errorf("the run says %q", notes)
	}
	if plan := b.planText(); !strings.Contains(plan, "keep the masked values until they are read again") {
		t.Errorf("the plan after the run says\n%s", plan)
	}
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitBreached || len(v.Findings) < 60 {
		t.Errorf("verify finds %d differences", len(v.Findings))
	}
	notes = strings.Join(b.syncOnce(runner.Options{FullRefresh: true}).Notes, "\n")
	if !strings.Contains(notes, "1 row, no longer sent by the source, keeps the masked values") {
		t.Errorf("the full refresh says %q", notes)
	}
	if got := b.asShown(); !slices.Equal(got, before) {
		t.Error(firstOther(got, before))
	}
	if report := b.syncOnce(runner.Options{FullRefresh: true}); report.TotalRows() != 0 || len(report.Notes) > 0 {
		t.Errorf("another full refresh wrote %d rows and says %q", report.TotalRows(), report.Notes)
	}
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("afterwards verify finds\n%s", verificationText(v))
	}
}

// TestT174UnmaskedValuesReturnWhenReadAgain masks from the first run on. After the masking is removed, rows that are read again get their values
// back, although they are unchanged, without a full refresh; a note counts the others.
func TestT174UnmaskedValuesReturnWhenReadAgain(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(96), nightly+"streams: {contacts: {hash: [email]}}\n").publishingLake()
	b.syncOnce(runner.Options{})
	id := contactBed{b}.createUser()
	contactBed{b}.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "email", Value: "ann@example.com"}))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	email := "SELECT email FROM contacts WHERE id = '" + id + "'"
	if got := b.queryRows(email)[0]; len(got) != 32 {
		t.Fatalf("stored as %q", got)
	}
	b.writeConfig(nightly)
	notes := strings.Join(b.syncOnce(runner.Options{}).Notes, "\n")
	if got := b.queryRows(email)[0]; got != "ann@example.com" {
		t.Errorf("read again it is %q", got)
	}
	if !strings.Contains(notes, "contacts: the setting hash email was removed: ") {
		t.Errorf("of those that were not read again the run says %q", notes)
	}
}

// goOnFromPlanted makes the planted file the one that the next run continues from, as if a run had left it.
func (b *testBed) goOnFromPlanted() {
	b.t.Helper()
	planted := b.runner.Dir.Current()
	b.failOn(layout.WriteSum(b.runner.Dir, layout.SumFile(planted), planted, filepath.Base(planted)))
}

// planText returns the output of the plan.
func (b *testBed) planText() string {
	b.t.Helper()
	planned, err := plan.Make(b.t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskNone)
	b.failOn(err)
	var text strings.Builder
	render.PrintPlan(planned, &text)
	return text.String()
}

// firstOther returns the first row that differs between two lists.
func firstOther(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return got[i] + "\nwant " + want[i]
		}
	}
	return "a list that ends before the other"
}

// allRows returns every row of every stored table of the workspace, without histories and snapshots, and without the columns about when and by
// which run a row was read.
func (b *testBed) allRows() map[string][]string {
	b.t.Helper()
	var each []string
	for _, name := range b.queryRows(`SELECT table_name FROM _sync.tables WHERE NOT ends_with(table_name, '_history') AND NOT ends_with(table_name, '_daily')`) {
		each = append(each, "SELECT '"+name+"', to_json(t)::VARCHAR FROM (SELECT COLUMNS(c -> c NOT IN ('_synced_at', '_run_id', 'read_at', '_hash')) FROM "+name+") t")
	}
	all := map[string][]string{}
	for _, row := range b.queryRows(strings.Join(each, " UNION ALL ") + " ORDER BY ALL") {
		name, values, _ := strings.Cut(row, "|")
		all[name] = append(all[name], values)
	}
	return all
}

// TestT174EveryKindOfStreamIsUnmasked masks in streams of every kind: records read by id, with lists that only grow, tables that several streams
// write, transcripts by id, a log and exports by windows, also of days before the usual start. All values return, and so do those that an earlier
// version masked without changing the content hash.
func TestT174EveryKindOfStreamIsUnmasked(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(94)
	c.Contacts, c.Conversations, c.Calls = 60, 15, 10
	config := withStreams(`companies, conversations, calls, call_transcripts, admin_activity_logs, segments, reporting_conversation`)
	exports := "streams:\n  \"reporting_*\": {start: 2024-03-01}\n"
	b := newBedWith(t, c, config+exports).publishingLake()
	b.syncOnce(runner.Options{})
	b.writeConfig(config) // exports begin 90 days ago by default; these go further back
	before := b.allRows()
	masks := `streams:
  companies: {hash: [website]}
  conversations: {hash: [source_author_email, custom_attributes, conversation_parts.author_name], drop: [conversation_parts.body, conversation_contacts.external_id, source.subject]}
  call_transcripts: {drop: [call_transcript_lines.text]}
  calls: {hash: [phone]}
  admin_activity_logs: {hash: [performed_by_email], drop: [metadata.before]}
  segments: {hash: [name]}
  "reporting_*": {hash: [contact_name], drop: [teammate]}
`
	b.writeConfig(config + masks)
	b.syncOnce(runner.Options{})
	b.writeConfig(config + strings.Replace(masks, "hash: [website]", "hash: [name, website]", 1))
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FILTER (NOT regexp_full_match(name, '[0-9a-f]{32}')), count(*) FROM segments_daily"); strings.HasPrefix(got[0], "0|0") || !strings.HasPrefix(got[0], "0|") {
		t.Errorf("names in the copies of segments that are not hashed, copies: %s", got[0])
	}
	stored := b.queryRows("SELECT id, name, website FROM companies ORDER BY id")
	hidden := b.allRows()
	b.syncOnce(runner.Options{FullRefresh: true})
	if got := b.queryRows("SELECT id, name, website FROM companies ORDER BY id"); !slices.Equal(got, stored) {
		t.Errorf("read again, the hashes are others: %s", firstOther(got, stored))
	}
	b.writeConfig(config)
	b.syncOnce(runner.Options{FullRefresh: true})
	other, after := 0, b.allRows()
	for name, want := range before {
		if !slices.Equal(hidden[name], want) {
			other++
		}
		if got := after[name]; !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, were %d: %s", name, len(got), len(want), firstOther(got, want))
		}
	}
	if other < 8 {
		t.Errorf("only %d tables had something to give back: the test finds little", other)
	}
}

// TestT174VerifyFindsRowsBehindAStaleContentHash plants what an earlier version left: masked values in rows whose content hash is that of the
// source's values. Verify finds them in columns, in JSON, in _extra and in lists; a full refresh corrects them.
func TestT174VerifyFindsRowsBehindAStaleContentHash(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(95))
	p := contactBed{b}
	var ids []string
	for range 4 {
		id := p.createUser()
		p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "email", Value: "ann@example.com"}, emulator.FieldChange{Field: "custom_attributes.plan", Value: "big"}))
		ids = append(ids, id)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = withSecret })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	before := b.asShown()
	const hash = "0123456789abcdef0123456789abcdef"
	owner := b.queryRows("SELECT contact_id FROM contact_social_profiles JOIN contacts ON id = contact_id ORDER BY ALL LIMIT 1")[0]
	b.plantRows("UPDATE _raw.contacts_raw SET email = '"+hash+"' WHERE id = '"+ids[0]+"'",
		`UPDATE _raw.contacts_raw SET custom_attributes = json_merge_patch(custom_attributes, '{"plan": "`+hash+`"}') WHERE id = '`+ids[1]+"'",
		`UPDATE _raw.contacts_raw SET _extra = json_merge_patch(_extra, '{"secret": "`+hash+`"}') WHERE id = '`+ids[2]+"'",
		"UPDATE _raw.contact_social_profiles_raw SET name = '"+hash+"' WHERE contact_id = '"+owner+"' AND _position = 0",
		`UPDATE _raw.contacts_raw SET custom_attributes = ' { ' || substr(custom_attributes::VARCHAR, 2) WHERE id = '`+ids[3]+"'") // the same JSON, written differently
	want := []string{"contact_social_profiles_raw stale " + `["` + owner + `","0"]` + " name", "contacts_raw stale " + ids[0] + " email",
		"contacts_raw stale " + ids[1] + " custom_attributes", "contacts_raw stale " + ids[2] + " _extra"}
	slices.Sort(want)
	if got := listDifferences(b.verifyPublished(verify.VerifyOptions{Deep: true})); !slices.Equal(got, want) {
		t.Errorf("verify finds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.goOnFromPlanted()
	b.syncOnce(runner.Options{FullRefresh: true})
	if got := b.asShown(); !slices.Equal(got, before) {
		t.Error(firstOther(got, before))
	}
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("afterwards verify finds\n%s", verificationText(v))
	}
}
