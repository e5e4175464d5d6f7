package pipeline_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// doors is a stream of a list that the test makes up.
const doors = `stream: doors
doc: One row per door.
read: {endpoint: GET /doors, records: data, page: {by: number, in: query, size: 1}, since: {by: full}}
key: [id]
newest: updated_at
absent: gone
columns:
  - {name: id, type: text}
  - {name: updated_at, type: timestamp}
  - {name: state, type: text}
  - {name: seen, type: int, volatile: true}
`

// doorList serves GET /doors: a list of records, one page for each.
type doorList struct{ pages []string }

func (b *testBed) withDoors(more string) *doorList {
	b.t.Helper()
	d := &doorList{}
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/doors" {
			return false
		}
		page := 1
		_, err := fmt.Sscan(r.URL.Query().Get("page"), &page)
		b.failOn(err)
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		_, err = fmt.Fprintf(rw, `{"type":"list","data":[%s],"pages":{"page":%d,"per_page":1,"total_pages":%d}}`, d.pages[min(page, len(d.pages))-1], page, len(d.pages))
		b.failOn(err)
		return true
	})
	b.failOn(os.MkdirAll(filepath.Join(filepath.Dir(b.file), "streams"), 0o755))
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(doors), 0o600))
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\n" + more)
	return d
}

func (d *doorList) showPages(pages ...string) { d.pages = pages }

func doorJSON(id, updated int, state string) string {
	return fmt.Sprintf(`{"id":%d,"updated_at":%d,"state":%q,"seen":%d}`, id, 1700000000+updated, state, time.Now().UnixNano())
}

// TestT154HistoryHasOneRowForEachStateRead changes, repeats, restores and removes records between reads and during one. Unchanged records and late
// copies of a replica add no row.
func TestT154HistoryHasOneRowForEachStateRead(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401)).publishingLake()
	d := b.withDoors("streams:\n  doors: {history: true}\n")
	began := b.space.CurrentTime().Truncate(time.Second)
	history := func(want ...string) {
		t.Helper()
		got := b.queryRows(fmt.Sprintf(`SELECT id, state, date_diff('hour', TIMESTAMPTZ '%s', valid_from), epoch(source_updated_at)::BIGINT - 1700000000,
			date_diff('hour', TIMESTAMPTZ '%[1]s', valid_to) FROM doors_history ORDER BY id, valid_from`, began.Format(time.RFC3339)))
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("history:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	read := func(pages ...string) *runlog.Report {
		t.Helper()
		d.showPages(pages...)
		report := b.syncOnce(runner.Options{Select: []string{"doors"}})
		b.space.Advance(time.Hour)
		return report
	}
	read(doorJSON(1, 0, "open"), doorJSON(2, 0, "open"))
	history("1|open|0|0|∅", "2|open|0|0|∅")
	if report := read(doorJSON(1, 0, "open"), doorJSON(2, 0, "open")); report.TotalRows() != 0 {
		t.Errorf("reading again wrote %d rows", report.TotalRows())
	}
	// An older copy comes first, the new state twice, and one sweep shows two states of a record.
	read(doorJSON(1, 5, "shut"), doorJSON(2, -9, "never"), doorJSON(1, 5, "shut"), doorJSON(2, 6, "ajar"), doorJSON(2, 7, "open"))
	want := []string{"1|open|0|0|2", "1|shut|2|5|∅", "2|open|0|0|2", "2|ajar|2|6|2", "2|open|2|7|∅"}
	history(want...)
	if got := b.queryRows("SELECT count(*) FROM doors_history a JOIN doors_history b USING (id) WHERE a.valid_from < b.valid_from AND coalesce(a.valid_to, 'infinity') > b.valid_from"); got[0] != "0" {
		t.Errorf("%s intervals overlap", got[0])
	}
	read(doorJSON(1, 5, "shut")) // the second door is missing from both sweeps of this run
	want[4] = "2|open|2|7|3"
	history(want...)
	read(doorJSON(1, 5, "shut"), doorJSON(2, 7, "open"))
	want = append(want, "2|open|4|7|∅")
	history(want...)

	// A new column for a field in _extra is filled in the history too, and makes no new state.
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(doors+"  - {name: colour, type: text}\n"), 0o600))
	config, err := os.ReadFile(b.file)
	b.failOn(err)
	b.writeConfig(string(config))
	read(doorJSON(1, 5, "shut"), doorJSON(2, 7, "open"))
	history(want...)
	if info, err := os.Stat(filepath.Join(b.runner.Dir.Lake("main"), "doors_history", "all.parquet")); err != nil || info.Size() == 0 {
		t.Errorf("the history in the lake: %v", err)
	}
}

// TestContactHistoryEqualsTheOracleOfEachRun compares the states of contacts with the oracle at the time of each run.
// Holds: T154.
func TestContactHistoryEqualsTheOracleOfEachRun(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(402), nightly+"streams:\n  contacts: {history: true, hash: [email]}\n")
	id := b.space.ContactIDs("active")[3]
	names := []string{"First <1>", "Second & \"2\"", "売上"}
	for _, name := range names {
		b.failOn(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: name}))
		b.space.Advance(72 * time.Hour) // records older than the lookback window are not read again
		b.syncOnce(runner.Options{})
	}
	b.syncOnce(runner.Options{FullRefresh: true})
	got := b.queryRows("SELECT name FROM contacts_history WHERE id = '" + id + "' ORDER BY valid_from")
	if strings.Join(got, "\n") != strings.Join(names, "\n") {
		t.Errorf("names: %q", got)
	}
	if got := b.queryRows(`SELECT count(*), count(*) FILTER (h.name IS DISTINCT FROM c.name OR h._extra IS DISTINCT FROM c._extra), (SELECT count(*) FROM contacts_raw)
		FROM contacts_history h JOIN contacts_raw c USING (id) WHERE h.valid_to IS NULL`); !strings.HasPrefix(got[0], strings.Split(got[0], "|")[2]+"|0|") {
		t.Errorf("open states, those that are not what is stored, contacts: %s", got[0])
	}
	if got := b.queryRows("SELECT count(*) FROM contacts_history WHERE email LIKE '%@%'"); got[0] != "0" {
		t.Errorf("%s addresses that should be hashed", got[0])
	}
}
