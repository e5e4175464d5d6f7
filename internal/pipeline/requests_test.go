package pipeline_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/goldentest"
	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/schemas"
)

// changedRecord counts what a run requested because records of one stream had changed.
type changedRecord struct {
	stream  string
	changed int64   // changed records; of a child stream the changed parent rows
	more    int64   // requests beyond those of a run without changes
	least   float64 // the fewest possible requests: pages, and one for each record that is read by id
}

// TestRequestsOfAChangedRecord changes records of every kind, and compares the requests of the next run, beyond those of a run without changes,
// with the fewest possible: at most 1.1 times that, and one page that is not full. docs/internals/performance.md shows the measured numbers.
func TestRequestsOfAChangedRecord(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 171, Contacts: 300, Inactive: 30, Activities: 300, Conversations: 200, Calls: 60},
		strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", `"*"`, 1))
	exports := runner.Options{Exclude: []string{"reporting*"}} // exports are read by the day, whatever changes
	b.syncOnce(exports)
	b.space.Advance(25 * time.Hour)
	b.syncOnce(exports)
	b.space.Advance(time.Minute)
	quiet := b.syncOnce(exports)
	b.changesSome(30)
	b.space.Advance(2 * time.Hour)
	from := b.space.RequestCount()
	report := b.syncOnce(exports)
	var nested int64 // a record has ten items of each list; the rest needs a request
	for _, r := range b.space.Requests()[from:] {
		if strings.HasPrefix(r.Path, "/contacts/") && strings.Count(r.Path, "/") == 3 {
			nested++
		}
	}
	var all []changedRecord
	for _, s := range b.runner.Catalogue.Streams() {
		if s.IsExportFamily() {
			continue
		}
		one := changedRecord{stream: s.Name, changed: changedIn(t, report, b.runner.Catalogue, s), more: streamResult(t, report, s.Name).Requests - streamResult(t, quiet, s.Name).Requests}
		one.least = float64(one.changed) * s.RequestsPerChange()
		if s.Name == "contacts" {
			one.least += float64(nested)
		}
		if float64(one.more) > math.Ceil(1.1*one.least)+1 {
			t.Errorf("%s: %d requests more for %d records, %.2f are the least", s.Name, one.more, one.changed, one.least)
		}
		if s.With != "" && one.changed == 0 && one.more == 0 {
			continue // read by id when the lists leave a question open
		}
		if one.changed == 0 && s.RequestsPerChange() > 0 {
			t.Errorf("%s: nothing changed, so nothing is shown", s.Name)
		}
		all = append(all, one)
	}
	holdsRequests(t, all, b.runner.Catalogue)
}

// changedIn returns how many records of a stream changed, whichever stream found each change first.
func changedIn(t *testing.T, report *runlog.Report, c *schemas.Catalogue, s *schemas.Stream) (n int64) {
	t.Helper()
	names := []string{s.Name}
	if s.Read.UsesPendingIDs() {
		names = s.Read.Over.Streams
	}
	for _, other := range c.Streams() {
		if other.Into == s.Name {
			names = append(names, other.Name)
		}
	}
	for _, name := range names {
		one := streamResult(t, report, name)
		n += one.New + one.Changed
	}
	return n
}

// changesSome changes n records of every kind except those in full-list streams.
func (b *testBed) changesSome(n int) {
	b.t.Helper()
	for i, id := range b.space.ContactIDs("active")[:n] {
		b.failOn(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: fmt.Sprint("new ", i)}))
	}
	for i := range n {
		_, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: fmt.Sprint("another ", i)}) // which also makes an event
		b.failOn(err)
	}
	for i, id := range b.space.ConversationIDs()[:n] {
		b.failOn(b.space.ReplyConversation(id, conversations.ByTeammate, fmt.Sprint("answer ", i)))
		b.failOn(b.space.StartConsultation(id, "approved", 1, time.Minute))
	}
	for _, id := range b.queryRows(fmt.Sprint("SELECT id FROM companies ORDER BY id LIMIT ", n)) {
		b.failOn(b.space.UpdateCompany(id, emulator.FieldChange{Field: "name", Value: "new"}))
	}
	for i, id := range b.space.TicketIDs()[:n] {
		b.failOn(b.space.ReplyTicket(id, conversations.ByNote, fmt.Sprint("answer ", i)))
	}
	for _, row := range b.space.Oracle("data_connectors") {
		b.failOn(b.space.EditContent("data_connectors", fmt.Sprint(row["id"])))
	}
	for _, id := range b.space.ConversationIDs()[:n] {
		call, err := b.space.StartCall(id, true)
		b.failOn(err)
		b.failOn(b.space.AnswerCall(call))
		b.failOn(b.space.EndCall(call))
		b.failOn(b.space.TranscribeCall(call, false))
	}
	b.space.AddRandomActions(n, time.Hour)
}

// holdsRequests compares the table of docs/internals/performance.md with the measured numbers; -update writes it.
func holdsRequests(t *testing.T, all []changedRecord, c *schemas.Catalogue) {
	t.Helper()
	const file, begin, end = "../../docs/internals/performance.md", "<!-- measured: requests of a changed record -->\n", "<!-- end -->"
	var table strings.Builder
	table.WriteString("| stream | changed | requests more | least possible | ratio |\n|---|---:|---:|---:|---:|\n")
	var lists []string
	for _, one := range all {
		if s, _ := c.Stream(one.stream); s.RequestsPerChange() == 0 && one.more == 0 {
			lists = append(lists, "`"+one.stream+"`")
			continue
		}
		least, ratio := max(1, math.Ceil(one.least)), "–"
		if one.changed > 0 {
			ratio = strconv.FormatFloat(float64(one.more)/least, 'f', 2, 64)
		}
		fmt.Fprintf(&table, "| `%s` | %d | %d | %.0f | %s |\n", one.stream, one.changed, one.more, least, ratio)
	}
	fmt.Fprintf(&table, "| %s | some | 0 | 0 | – |\n", strings.Join(slices.Sorted(slices.Values(lists)), ", "))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), begin)
	was, tail, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the table", file)
	}
	if *goldentest.Update {
		if err := os.WriteFile(file, []byte(head+begin+table.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table.String(), was); diff != "" {
		t.Errorf("make docs would change docs/internals/performance.md (-want +got):\n%s", diff)
	}
}
