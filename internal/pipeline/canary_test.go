package pipeline_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// hidden is a configuration that hashes e-mail addresses, and drops columns, paths and a field without a column.
const hidden = nightly + `streams:
  contacts:
    hash: [email]
    drop: [phone, last_seen_at, custom_attributes.ssn, _extra.secret, social_profiles.data.url]
  deleted_contacts: {hash: [email]}
`

// canary is the prefix of values that must be masked, visible that of others. A search that finds the second kind would have found the first.
const canary, visible = "CANARY-", "FINCH-"

// TestMaskedValuesAreInNoFile puts canaries wherever a masked value can come from: a hashed column, a dropped custom attribute, a field without a
// column, a value that does not fit its column, a record without a key. No byte of the warehouse may contain one, nor the work database of a run
// under way, the kept rejects, or the program's log.
// Holds: F18, S38.
func TestMaskedValuesAreInNoFile(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(91), hidden).publishingAll()
	p := contactBed{b}
	var ids []string
	for range 6 {
		id := p.createUser()
		p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "email", Value: canary + "email@example.com"},
			emulator.FieldChange{Field: "phone", Value: canary + "phone"}, emulator.FieldChange{Field: "name", Value: visible + "name"},
			emulator.FieldChange{Field: "custom_attributes.ssn", Value: canary + "attribute"}))
		ids = append(ids, id)
	}
	p.advanceAfter(b.space.ArchiveContact(ids[0]), b.space.EraseContact(ids[1]))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = withCanaries })
	b.space.Advance(time.Hour)
	b.space.RunBetween(func(int) { b.noCanary(b.runner.Dir.State()) })
	report := b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.UnarchiveContact(ids[0], false)) // the next run reads it by id
	b.syncOnce(runner.Options{})
	b.space.RunBetween(nil)
	b.noCanary(string(b.runner.Dir))
	if text := b.log.String(); strings.Contains(text, canary) || len(text) == 0 {
		t.Errorf("the log says %s", text)
	}
	if kept := b.filesContaining(b.runner.Dir.RejectDir(), visible); len(kept) == 0 || streamResult(t, report, "contacts").Rejected == 0 {
		t.Errorf("no record was rejected and kept: %s", report.LastLine())
	}
	if found := b.filesContaining(string(b.runner.Dir), visible); len(found) == 0 {
		t.Error("not even what is not hidden was found: the test finds nothing")
	}
	b.noCanaryInTables()
	if got := b.queryRows("SELECT count(DISTINCT email), min(length(email)) > 20, count(phone) FROM contacts WHERE name = '" + visible + "name'"); got[0] != "1|true|0" {
		t.Errorf("the hashed e-mails: %v", got)
	}
}

// TestLaterMaskingRebuildsStoredRows reads everything unmasked, twice, and then masks it. No byte of a masked value stays in any file, and the run
// reports the rebuild. Hashes equal those of a warehouse that always hashed.
// Holds: S38.
func TestLaterMaskingRebuildsStoredRows(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(93)).publishingAll()
	p := contactBed{b}
	var ids []string
	for n := range 4 {
		id := p.createUser()
		p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "email", Value: canary + strings.Repeat("x", n) + "@example.com"},
			emulator.FieldChange{Field: "phone", Value: canary + "phone"}, emulator.FieldChange{Field: "name", Value: visible + "name"},
			emulator.FieldChange{Field: "custom_attributes.ssn", Value: canary + "attribute"}, emulator.FieldChange{Field: "custom_attributes.plan", Value: visible + "plan"}))
		ids = append(ids, id)
	}
	p.advanceAfter(b.space.ArchiveContact(ids[0]))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = withSecret })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	p.createUser() // so that there is a second file
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if len(b.filesContaining(b.runner.Dir.Published(), canary)) < 2 || b.countRowsWith("contacts", canary) < 3 {
		t.Fatal("the files do not hold what is to be hidden: the test finds nothing")
	}
	b.writeConfig(hidden)
	report := b.syncOnce(runner.Options{})
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "contacts: hash email, drop _extra.secret, ") || !strings.Contains(notes, "deleted_contacts: hash email since this run: stored values were rewritten") {
		t.Errorf("the run says %q", notes)
	}
	b.noCanary(string(b.runner.Dir))
	b.noCanaryInTables()
	if b.inLake(canary) || !b.inLake(visible) || b.countRowsWith("contacts", visible+"plan") == 0 {
		t.Error("a Parquet file holds what is hidden, or not even what is not")
	}
	stored := b.queryRows("SELECT id, email FROM contacts_all WHERE email IS NOT NULL ORDER BY ALL")
	report = b.syncOnce(runner.Options{FullRefresh: true})
	if again := b.queryRows("SELECT id, email FROM contacts_all WHERE email IS NOT NULL ORDER BY ALL"); !slices.Equal(stored, again) || len(stored) == 0 || len(report.Notes) > 0 {
		t.Errorf("read again, the hashes are %v, were %v; notes %v", again, stored, report.Notes)
	}
}

// withSecret adds an unknown field to each contact.
func withSecret(route string, body []byte) []byte {
	if route != "contacts.search" && route != "contacts.get" {
		return body
	}
	return bytes.ReplaceAll(body, []byte(`{"type":"contact",`), []byte(`{"type":"contact","secret":{"deep":["`+canary+`unknown"]},`))
}

// withCanaries adds an unknown field and an impossible time to each contact, and a record without a key to each list of contacts.
func withCanaries(route string, body []byte) []byte {
	if route != "contacts.search" && route != "contacts.get" {
		return body
	}
	body = bytes.ReplaceAll(body, []byte(`{"type":"contact",`), []byte(`{"type":"contact","secret":{"deep":["`+canary+`unknown"]},`))
	body = bytes.ReplaceAll(body, []byte(`"last_seen_at":`), []byte(`"last_seen_at":"`+canary+`misfit","was_seen_at":`))
	reject := `"data":[{"type":"contact","email":"` + canary + `reject","phone":"` + canary + `reject","name":"` + visible + `reject","secret":"` + canary + `reject"},`
	return bytes.Replace(body, []byte(`"data":[{"type":"contact"`), []byte(reject+`{"type":"contact"`), 1)
}

func (b *testBed) noCanary(dir string) {
	b.t.Helper()
	if found := b.filesContaining(dir, canary); len(found) > 0 && !b.t.Failed() {
		b.t.Errorf("a canary is in %v", found)
	}
}

// filesContaining returns the files below a directory that contain a text.
func (b *testBed) filesContaining(dir, text string) []string {
	b.t.Helper()
	return oracletest.FilesContaining(b.t, dir, text)
}

// noCanaryInTables looks through every table, because its bytes in the file may be compressed.
func (b *testBed) noCanaryInTables() {
	b.t.Helper()
	var all []string
	for _, name := range b.queryRows("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT internal") {
		all = append(all, fmt.Sprintf("SELECT '%s', count(*) FILTER (to_json(t)::VARCHAR LIKE '%%%s%%'), count(*) FILTER (to_json(t)::VARCHAR LIKE '%%%s%%') FROM %[1]s t",
			name, canary, visible))
	}
	seen := 0
	for _, row := range b.queryRows(strings.Join(all, " UNION ALL ")) {
		found := strings.Split(row, "|")
		if found[1] != "0" {
			b.t.Errorf("%s holds a canary in %s rows", found[0], found[1])
		}
		if found[2] != "0" {
			seen++
		}
	}
	if seen == 0 {
		b.t.Error("no table holds what is not hidden: the test finds nothing")
	}
}
