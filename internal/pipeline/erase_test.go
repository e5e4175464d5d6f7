package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// canaryPlanter puts a word into every text of an answer about some contacts: in their own records, in what they wrote, in their conversations and
// calls, and in unknown fields.
type canaryPlanter map[string]string // keys: contact ids

func (p canaryPlanter) mutateAnswer(_ string, body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var answer any
	if decoder.Decode(&answer) != nil {
		return body
	}
	p.plantNested(answer)
	planted, err := json.Marshal(answer)
	if err != nil {
		return body
	}
	return planted
}

func (p canaryPlanter) plantNested(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			p.plantNested(item)
		}
	case map[string]any:
		p.plantContact(v)
		for _, inner := range v {
			p.plantNested(inner)
		}
	}
}

func (p canaryPlanter) plantContact(o map[string]any) {
	if word := p.wordFor(o, "id"); word != "" && o["type"] == "contact" && o["workspace_id"] != nil {
		plantFields(o, word, "name", "email", "phone", "external_id", "avatar", "language_override", "browser", "os")
		o["custom_attributes"] = map[string]any{"ssn": word + "attribute"}
		o["location"] = map[string]any{"type": "location", "country": word + "country", "region": word + "region", "city": word + "city"}
		o["social_profiles"] = map[string]any{"type": "list", "data": []any{map[string]any{"type": "social_profile", "name": word + "net", "url": "https://x.example/" + word}}}
		o["secret"] = map[string]any{"deep": []any{word + "unknown"}}
	}
	if author, ok := o["author"].(map[string]any); ok && p.wordFor(author, "id") != "" && o["redacted"] != true {
		word := p.wordFor(author, "id")
		plantFields(o, word, "body", "subject", "url", "external_secret")
		plantFields(author, word, "name", "email")
		o["attachments"] = []any{map[string]any{"type": "upload", "name": word + "file", "url": "https://files.example/" + word}}
	}
	if word := p.wordFor(o, "contact_id"); word != "" {
		plantFields(o, word, "phone", "external_id", "note")
		if o["direction"] != nil {
			o["recording_url"], o["transcription_url"] = "https://x.example/"+word, "https://x.example/"+word
		}
		if lines, ok := o["transcript"].([]any); ok {
			for _, line := range lines {
				plantFields(line.(map[string]any), word, "speaker", "text")
			}
		}
	}
	p.plantTalk(o)
}

// plantTalk plants the word in a conversation or a ticket and its participants.
func (p canaryPlanter) plantTalk(o map[string]any) {
	list, _ := o["contacts"].(map[string]any)
	those, _ := list["contacts"].([]any)
	for _, c := range those {
		c := c.(map[string]any)
		word := p.wordFor(c, "id")
		if word == "" {
			continue
		}
		plantFields(c, word, "external_id")
		if o["ticket_attributes"] != nil {
			o["ticket_attributes"] = map[string]any{"_default_title_": word + "title"}
		} else {
			plantFields(o, word, "title")
			o["custom_attributes"] = map[string]any{"plan": word + "plan"}
		}
		o["secret"] = word + "unknown"
		if rating, ok := o["conversation_rating"].(map[string]any); ok {
			plantFields(rating, word, "remark")
		}
	}
}

// plantConsultations puts a word into the texts of a conversation's consultations, which name no contact.
func (p canaryPlanter) plantConsultations(b *testBed) {
	b.front = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		word := p[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/conversations/"), "/hitl_events")]
		if word == "" {
			b.space.ServeHTTP(rw, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		b.space.ServeHTTP(answer, r)
		rw.Header().Set("Date", answer.Header().Get("Date"))
		text := answer.Body.String()
		for _, name := range []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question", "draft", "teammate_input", "revised_draft", "final_draft", "sent_text"} {
			text = strings.ReplaceAll(text, `"`+name+`":"`, `"`+name+`":"`+word)
		}
		_, err := rw.Write([]byte(strings.ReplaceAll(text, `"data":{`, `"data":{"secret":"`+word+`",`)))
		b.failOn(err)
	})
}

func (p canaryPlanter) wordFor(o map[string]any, key string) string {
	id, _ := o[key].(string)
	return p[id]
}

func plantFields(o map[string]any, word string, fields ...string) {
	for _, f := range fields {
		o[f] = word + f
	}
}

// newErasureBed is a bed with two contacts whose texts can be found: one that will be erased and that two leads were merged into, and one that
// stays.
func newErasureBed(t *testing.T, config string) (b *testBed, person, lead string) {
	t.Helper()
	c := tinyConfig(171)
	c.Calls, c.Conversations, c.Knobs = 30, 40, emulator.Knobs{QuietConversations: emulator.Never}
	b = newBedWith(t, c, config).publishingAll()
	p := contactBed{b}
	words, asked := canaryPlanter{}, canaryPlanter{}
	var talks []string
	made := func(role, word string) string {
		id, err := b.space.CreateContact(role)
		p.advanceAfter(err)
		words[id] = word
		talk, err := b.space.OpenConversation(id, 3)
		p.advanceAfter(err, b.space.ReplyConversation(talk, conversations.ByContact, "hello"), b.space.RateConversation(talk, 3, "so so", true), b.space.AddContactNote(id, "a note"), b.space.TagContact(id, 3))
		ticket, err := b.space.CreateTicket(id, "1200")
		p.advanceAfter(err, b.space.ReplyTicket(ticket, conversations.ByContact, "it fell"), b.space.StartConsultation(talk, "approved", 2, time.Minute))
		talks, asked[talk] = append(talks, talk), word
		return id
	}
	person, lead = made("user", canary), made("lead", canary)
	made("user", visible)
	for _, talk := range talks {
		call, err := b.space.StartCall(talk, false)
		p.advanceAfter(err, b.space.AnswerCall(call))
		b.space.Advance(time.Minute)
		p.advanceAfter(b.space.EndCall(call), b.space.RecordCall(call), b.space.TranscribeCall(call, false))
	}
	p.advanceAfter(b.space.MergeContacts(lead, person))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = words.mutateAnswer })
	asked.plantConsultations(b)
	b.space.Advance(2 * time.Hour)
	return b, person, lead
}

var withTalks = withStreams("conversations, calls, call_transcripts, tickets, hitl_events")

// TestT34ErasedPersonIsInNoFile plants a word in every text of a contact, finds it in the files, has the workspace delete the contact permanently,
// and searches every byte, row and Parquet file after the next run.
// Holds: T32, F18, S37.
func TestT34ErasedPersonIsInNoFile(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b, person, _ := newErasureBed(t, withTalks+"streams: {contacts: {history: true}, conversations: {history: true}, hitl_events: {history: true}}\n")
	b.syncOnce(runner.Options{})
	older := b.copyPublished()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if err := os.WriteFile(filepath.Join(b.runner.Dir.RejectDir(), "a.main.contacts.jsonl"), []byte(canary+"reject\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"contacts_raw", "contact_social_profiles", "conversations", "conversation_parts", "conversation_attachments",
		"conversation_source_attachments", "conversation_contacts", "calls", "call_transcript_lines", "contacts_all", "conversations_history",
		"tickets", "ticket_parts", "ticket_attachments", "ticket_attributes", "ticket_contacts", "hitl_events", "hitl_events_history", "consultations"} {
		if b.countRowsWith(table, canary) == 0 {
			t.Errorf("%s holds nothing of him: the test finds nothing", table)
		}
	}
	b.failOn(b.space.EraseContact(person))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkErased(person)
	b.checkOlderErased(person, 2)
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("a quiet run after it wrote %d rows: %+v", report.TotalRows(), report.Streams)
	}
	b.syncOnce(runner.Options{FullRefresh: true}) // data that the source still sends about the person is not stored
	b.checkErased(person)

	// T35: restore an older file in place of the newest, then one in an empty directory with the erasure log beside it.
	b.putBack(older)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkErased(person)
}

// checkOlderErased gives readers each older published file, and then the newest again: none has data of the person, all have the rows of the other one.
func (b *testBed) checkOlderErased(person string, want int) {
	b.t.Helper()
	files, err := admin.PublishedFiles(b.t.Context(), b.runner.Dir)
	b.failOn(err)
	if len(files) != want+1 {
		b.t.Fatalf("%d files are published, want the current one and %d older ones: %+v", len(files), want, files)
	}
	counts := map[string]bool{}
	for _, f := range append(files[1:], files[0]) {
		done, err := admin.Rollback(context.Background(), b.runner, f.Run, func(_, _ admin.PublishedFile) (bool, error) { return true, nil })
		b.failOn(err)
		if !done {
			b.t.Errorf("no rollback to %s", f.Run)
		}
		b.noCanaryInTables()
		if b.countRowsWith("contacts_all", visible) != 1 || b.countRowsWith("conversation_parts", visible) == 0 || b.countRowsWith("consultations", visible) == 0 {
			b.t.Errorf("%s lost rows of the other person", f.Run)
		}
		got := b.queryRows("SELECT (SELECT value FROM _sync.meta WHERE key = 'published_at'), count(*) FROM contacts_all WHERE id = '" + person + "'")
		counts[got[0]] = true
		if !strings.HasSuffix(got[0], "|1") {
			b.t.Errorf("%s has no row of the person's contact: %s", f.Run, got)
		}
	}
	if len(counts) != want+1 {
		b.t.Errorf("the files do not keep their times: %v", counts)
	}
}

// copyPublished copies the published file.
func (b *testBed) copyPublished() []byte {
	b.t.Helper()
	text, err := os.ReadFile(b.runner.Dir.Current())
	b.failOn(err)
	return text
}

// putBack makes an older file the only published one, as restoring a backup does.
func (b *testBed) putBack(text []byte) {
	b.t.Helper()
	dir := b.runner.Dir
	log, err := os.ReadFile(dir.Erasures())
	b.failOn(err)
	b.failOn(os.RemoveAll(string(dir)))
	b.failOn(os.MkdirAll(string(dir), 0o755))
	b.failOn(os.WriteFile(filepath.Join(string(dir), "warehouse.duckdb"), text, 0o644))
	b.failOn(os.WriteFile(dir.Erasures(), log, 0o600))
}

// checkErased fails the test when any data of the erased person is left, or any of the other one is missing.
func (b *testBed) checkErased(person string) {
	b.t.Helper()
	b.noCanary(string(b.runner.Dir))
	b.noCanaryInTables()
	if b.inLake(canary) {
		b.t.Error("a Parquet file holds a canary")
	}
	if !b.inLake(visible) || len(b.filesContaining(b.runner.Dir.Published(), visible)) == 0 {
		b.t.Error("not even the other person was found: the test finds nothing")
	}
	if b.runner.Dir.Erasing() {
		b.t.Error("the erasure is not at its end")
	}
	got := b.queryRows("SELECT count(*), any_value(role), count(COLUMNS(* EXCLUDE (id, role, lifecycle, inactive_since, merged_into_id, _api_version, _hash, _synced_at, _run_id))) FROM contacts_all WHERE id = '" + person + "'")
	if row := strings.SplitN(got[0], "|", 3); row[0] != "1" || row[1] != "user" || strings.Trim(row[2], "0|") != "" {
		b.t.Errorf("the contact's row: %s", got)
	}
	for _, query := range []string{
		"SELECT count(*) FROM contact_tags WHERE contact_id = $", "SELECT count(*) FROM contact_notes WHERE contact_id = $",
		"SELECT count(*) FROM contact_social_profiles WHERE contact_id = $", "SELECT count(email) FROM contacts_history WHERE id = $", "SELECT count(*) FROM conversation_parts WHERE author_id = $ AND erased IS NOT TRUE",
		"SELECT count(*) FROM conversations WHERE source_author_id = $ AND erased IS NOT TRUE", "SELECT count(custom_attributes) FROM conversations WHERE source_author_id = $",
		"SELECT count(*) FROM ticket_parts WHERE author_id = $ AND erased IS NOT TRUE",
		"SELECT count(*) FROM tickets JOIN ticket_contacts ON ticket_id = id WHERE contact_id = $ AND erased IS NOT TRUE",
	} {
		if got := b.queryRows(strings.ReplaceAll(query, "$", "'"+person+"'")); got[0] != "0" {
			b.t.Errorf("%s: %s", query, got)
		}
	}
	for _, query := range []string{
		"SELECT count(*) > 0 FROM contact_identity WHERE contact_id = $", "SELECT count(*) > 0 FROM conversation_contacts WHERE contact_id = $",
		"SELECT count(*) > 0 FROM ticket_contacts WHERE contact_id = $",
		"SELECT count(*) > 0 FROM calls WHERE contact_id = $", "SELECT count(*) > 0 FROM _sync.erasures WHERE rows > 0 AND json_array_length(files) > 0",
		"SELECT count(*) > 2 FROM conversation_parts WHERE conversation_id IN (SELECT conversation_id FROM conversation_contacts WHERE contact_id = $)",
	} {
		if got := b.queryRows(strings.ReplaceAll(query, "$", "'"+person+"'")); got[0] != "true" {
			b.t.Errorf("%s: %s", query, got)
		}
	}
}

// countRowsWith counts the rows of a table that contain a word.
func (b *testBed) countRowsWith(table, word string) int {
	b.t.Helper()
	got := b.queryRows("SELECT 1 FROM " + table + " t WHERE to_json(t)::VARCHAR LIKE '%" + word + "%'")
	return len(got)
}

// inLake reports whether any value in a Parquet file contains a word.
func (b *testBed) inLake(word string) bool {
	b.t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(string(b.runner.Dir), "lake"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		reader := parquet.NewReader(f)
		defer reader.Close()
		rows := make([]parquet.Row, 100)
		for {
			n, err := reader.ReadRows(rows)
			found = found || slices.ContainsFunc(rows[:n], func(row parquet.Row) bool {
				return slices.ContainsFunc(row, func(v parquet.Value) bool { return strings.Contains(v.String(), word) })
			})
			if err != nil {
				return nil // the end
			}
		}
	})
	b.failOn(err)
	return found
}

// TestT35LeadIsErasedWithItsSurvivor learns of the merge only after the contact is erased.
// Holds: S37.
func TestT35LeadIsErasedWithItsSurvivor(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(175)).publishingLake()
	person, err := b.space.CreateContact("user")
	b.failOn(err)
	lead, err := b.space.CreateContact("lead", emulator.FieldChange{Field: "name", Value: canary + "name"})
	b.failOn(err)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.failOn(b.space.EraseContact(person))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if len(b.filesContaining(string(b.runner.Dir), canary)) == 0 {
		t.Fatal("the lead is not found: the test finds nothing")
	}
	b.failOn(b.space.ForceMerge(lead, person))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.noCanary(string(b.runner.Dir))
	b.equalsOracle()
}

// TestT35ReportReadBeforeItsConversationIsErased publishes an export's row with a person's name before any stored row says whose conversation it
// is. The conversation arrives later, of a person who was erased long before.
// Holds: F18.
func TestT35ReportReadBeforeItsConversationIsErased(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(172)
	c.Conversations, c.Knobs = 30, emulator.Knobs{QuietConversations: emulator.Never}
	b := newBedWith(t, c, withStreams(`conversations, "reporting_*"`)+"streams: {\"reporting_*\": {start: 2024-06-01}}\n").publishingLake().keepingOlder()
	people := runner.Options{Select: []string{"contacts", "deleted_contacts", "contact_activities"}}
	reports := runner.Options{Select: []string{"reporting_*"}}
	told := func(name string) (person, talk string) {
		person, err := b.space.CreateContact("user")
		b.failOn(err)
		b.space.Advance(time.Minute)
		talk, err = b.space.OpenConversation(person, 2)
		b.failOn(err)
		b.failOn(b.space.ReportChange("conversation", talk, "contact_name", name))
		return person, talk
	}
	person, talk := told(canary)
	told(visible)
	b.space.Advance(time.Hour)
	b.syncOnce(people)
	b.failOn(b.space.EraseContact(person))
	b.space.Advance(time.Hour)
	b.syncOnce(people)
	b.space.SimulateHours(26)
	b.syncOnce(reports)
	if b.countRowsWith("reporting_conversation", canary) != 1 || !b.inLake(canary) {
		t.Fatal("what is published holds nothing of him: the test finds nothing")
	}
	b.syncOnce(runner.Options{})
	b.noCanary(string(b.runner.Dir))
	b.noCanaryInTables()
	if b.inLake(canary) || !b.inLake(visible) {
		t.Error("a Parquet file has the person, or not the other one")
	}
	if got := b.queryRows("SELECT count(*), count(contact_name) FROM reporting_conversation WHERE conversation_id = '" + talk + "'"); got[0] != "1|0" {
		t.Errorf("the report's row: %s", got)
	}
	b.equalsOracle()
	b.reportsEqualOracle(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC))
}
