package pipeline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// TestEveryStream leads each stream of the table through the changes of a list: a second run without changes, a record that changes, disappears
// and returns, a plan without it, a page past the end, an unknown field, a value of the wrong type. Each time the tables equal the oracle.
// Holds: T82, T91.
func TestEveryStream(t *testing.T) {
	t.Parallel()
	for name, cases := range streamBeds() {
		t.Run(name, func(t *testing.T) {
			if name == "content" { // many lists with several pages each
				skipInRaceRun(t)
			}
			t.Parallel()
			newStreamBed(t, cases).checkEveryEdit()
		})
	}
}

// streamBed reads some streams from one workspace, whose answers it edits.
type streamBed struct {
	*testBed
	run   func(name string, f func(t *testing.T)) bool
	cases []streamCase
	first map[string]map[string]any // of each stream: the record that changes

	mu   sync.Mutex // guards edit
	edit string     // the edit of the answers; "": none
}

func newStreamBed(t *testing.T, cases []streamCase) *streamBed {
	t.Helper()
	var names []string
	for _, c := range cases {
		names = append(append(names, c.stream), c.with...)
	}
	config := strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", strings.Join(names, ", "), 1)
	b := &streamBed{run: t.Run, testBed: newBedWith(t, tinyConfig(131), config), cases: cases, first: map[string]map[string]any{}}
	if slices.ContainsFunc(cases, func(c streamCase) bool { return c.newest != "" }) {
		b.space.SimulateHours(12) // some records changed within the days that are searched again
	}
	for i, c := range cases {
		if c.key == nil {
			b.cases[i].key = []string{"id"}
		}
		for n := range c.tables {
			if c.tables[n].Oracle == "" {
				c.tables[n].Oracle = c.stream
			}
		}
		b.first[c.stream] = b.space.Oracle(c.stream)[0]
		for _, row := range b.space.Oracle(c.stream) {
			if c.newest != "" && row[c.newest].(int64) > b.first[c.stream][c.newest].(int64) {
				b.first[c.stream] = row
			}
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = b.editAnswer })
	return b
}

func (b *streamBed) checkEveryEdit() {
	b.checkStreams("the first run", "", b.syncOnce(runner.Options{}))
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		b.t.Errorf("the second run wrote %d rows\n%+v", report.TotalRows(), report.Streams)
	}
	for _, edit := range []string{"change", "delete", "", "unknown", "type", "past the end"} {
		b.mu.Lock()
		b.edit = edit
		b.mu.Unlock()
		b.space.Advance(time.Minute)
		b.checkStreams("edit "+edit, edit, b.syncOnce(runner.Options{}))
	}
	b.checkUnavailable()
	b.space.SimulateHours(7)
	b.checkStreams("after hours of life", "life", b.syncOnce(runner.Options{}))
}

// checkStreams compares every stream with the oracle, and the columns about a record's deletion.
func (b *streamBed) checkStreams(when, edit string, report *runlog.Report) {
	b.t.Helper()
	for _, c := range b.cases {
		b.run(when+"/"+c.stream, func(t *testing.T) {
			b.reader.CompareTables(t, b.space, b.runner.Dir.Current(), func(table oracletest.Table, rows []map[string]any) []map[string]any {
				return b.editedTruth(c, edit, table, rows)
			}, c.tables...)
			s := streamResult(t, report, c.stream)
			for _, name := range c.with {
				other := streamResult(t, report, name)
				s.Changed, s.New, s.Gone, s.Rejected = s.Changed+other.Changed, s.New+other.New, s.Gone+other.Gone, s.Rejected+other.Rejected
			}
			where := fmt.Sprintf("FROM %s_all WHERE %s", c.tables[0].Name, b.recordCondition(c))
			if c.lasts {
				where = fmt.Sprintf("FROM %s WHERE %s", c.tables[0].Name, b.recordCondition(c))
			}
			switch edit {
			case "change":
				if s.Changed != 1 || s.New != 0 || s.Gone != 0 {
					t.Errorf("%d changed, %d new, %d gone", s.Changed, s.New, s.Gone)
				}
			case "delete":
				if c.lasts {
					if s.Gone != 0 || s.Changed != 0 {
						t.Errorf("%d gone, %d changed", s.Gone, s.Changed)
					}
				} else if got := b.queryRows("SELECT count(_gone_at) " + where); s.Gone != 1 || got[0] != "1" {
					t.Errorf("%d gone, stored as gone: %v", s.Gone, got)
				}
			case "unknown":
				if got := b.queryRows("SELECT _extra->>'$.brand_new.deep' " + where); s.Rejected != 0 || got[0] != "field" {
					t.Errorf("%d rejected, _extra has %v", s.Rejected, got)
				}
			case "type":
				if got := b.queryRows(fmt.Sprintf("SELECT _extra->>'$.%s.odd' %s", c.field, where)); s.Rejected == 0 || s.Rejected > 1 && c.with == nil || got[0] != "value" {
					t.Errorf("%d rejected, _extra has %v", s.Rejected, got)
				}
			case "", "life": // in which some records are deleted
				if s.Gone != 0 && edit == "" || s.Rejected != 0 {
					t.Errorf("%d gone, %d rejected", s.Gone, s.Rejected)
				}
			}
		})
	}
}

// checkUnavailable makes the plan refuse every stream. No row is deleted, and the run succeeds.
func (b *streamBed) checkUnavailable() {
	b.t.Helper()
	refuse := func(routes ...string) { b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = routes }) }
	var routes []string
	for _, c := range b.cases {
		routes = append(routes, c.route)
	}
	refuse(routes...)
	report := b.trySync(runner.Options{}) // a run with all streams refused fails
	for _, c := range b.cases {
		if s := streamResult(b.t, report, c.stream); s.Status != runlog.StatusUnavailable || s.Rows != 0 || s.Gone != 0 {
			b.t.Errorf("%s is %s: %+v", c.stream, s.Status, s)
		}
	}
	refuse()
	b.checkStreams("unavailable", "past the end", report)
}

// editedTruth returns the oracle's rows with the same edit as the answers.
func (b *streamBed) editedTruth(c streamCase, edit string, table oracletest.Table, rows []map[string]any) []map[string]any {
	first := b.first[c.stream]
	if table.Oracle != c.stream {
		parent, _, _ := strings.Cut(table.Columns[0], ":")
		return slices.DeleteFunc(rows, func(row map[string]any) bool { return edit == "delete" && row[parent] == first[c.key[0]] })
	}
	n := slices.IndexFunc(rows, func(row map[string]any) bool {
		return !slices.ContainsFunc(c.key, func(name string) bool { return row[name] != first[name] })
	})
	switch edit {
	case "change":
		rows[n][c.field] = "changed"
	case "type":
		rows[n][c.field] = nil
	case "delete":
		if c.lasts {
			rows[n][c.field] = "changed" // as last read
		} else {
			rows = slices.Delete(rows, n, n+1)
		}
	}
	return rows
}

// recordCondition is the condition for the changed record.
func (b *streamBed) recordCondition(c streamCase) string {
	var all []string
	for _, name := range c.key {
		all = append(all, fmt.Sprintf("%s = '%v'", name, b.first[c.stream][name]))
	}
	return strings.Join(all, " AND ")
}

// editAnswer applies the current edit to an answer.
func (b *streamBed) editAnswer(route string, body []byte) []byte {
	b.mu.Lock()
	edit := b.edit
	b.mu.Unlock()
	i := slices.IndexFunc(b.cases, func(c streamCase) bool {
		return c.route == route || c.single == route || slices.Contains(c.also, route)
	})
	if i < 0 || edit == "" {
		return body
	}
	c := b.cases[i]
	if c.single == route {
		var record map[string]json.RawMessage
		if err := json.Unmarshal(body, &record); err != nil {
			b.t.Errorf("%s: %v", route, err)
		}
		return rawJSON(b.t, b.editRecords(c, edit, []map[string]json.RawMessage{record})[0])
	}
	var answer map[string]json.RawMessage
	var list []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(body, &answer), json.Unmarshal(answer[c.list], &list)); err != nil {
		b.t.Errorf("%s: %v", route, err)
		return body
	}
	if edit == "past the end" && route == c.paged && len(list) > 0 {
		// Only an empty page shows the end of the list.
		answer["total_count"], answer["pages"] = rawJSON(b.t, nil), rawJSON(b.t, map[string]int{})
	}
	edited := b.editRecords(c, edit, list)
	var total int
	if len(edited) < len(list) && json.Unmarshal(answer["total_count"], &total) == nil {
		answer["total_count"] = rawJSON(b.t, total-1)
	}
	answer[c.list] = rawJSON(b.t, edited)
	return rawJSON(b.t, answer)
}

// editRecords applies the edit to a list's record.
func (b *streamBed) editRecords(c streamCase, edit string, list []map[string]json.RawMessage) []map[string]json.RawMessage {
	n := slices.IndexFunc(list, func(record map[string]json.RawMessage) bool {
		return !slices.ContainsFunc(c.key, func(name string) bool {
			return strings.Trim(string(record[name]), `"`) != fmt.Sprint(b.first[c.stream][name])
		})
	})
	if n < 0 {
		return list
	}
	switch edit {
	case "change":
		list[n][c.field] = rawJSON(b.t, "changed")
	case "unknown":
		list[n]["brand_new"] = rawJSON(b.t, map[string]string{"deep": "field"})
	case "type":
		list[n][c.field] = rawJSON(b.t, map[string]string{"odd": "value"})
	case "delete":
		list = slices.Delete(list, n, n+1)
	}
	return list
}

// rawJSON encodes a value as JSON without escapes.
func rawJSON(t testing.TB, value any) json.RawMessage {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Error(err)
	}
	return text.Bytes()
}

// TestDailySnapshotsAreKept for a list whose stream file asks for it: the snapshot of a day is that of its last read.
// Holds: T83, T153.
func TestDailySnapshotsAreKept(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	config := strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", "segments", 1)
	b := newBedWith(t, tinyConfig(132), strings.Replace(config, "{dir: data}", "{dir: data, timezone: Pacific/Kiritimati}", 1))
	days := func() []string {
		return b.queryRows("SELECT snapshot_date, count(*), sum(member_count) FROM segments_daily GROUP BY ALL ORDER BY 1")
	}
	now := func() string {
		return b.queryRows("SELECT count(*), sum(member_count) FROM segments")[0]
	}
	b.syncOnce(runner.Options{}) // 02:00 UTC is 16:00 in the warehouse's time zone
	first := now()
	b.space.SimulateHours(4)
	if report := b.syncOnce(runner.Options{}); report.TotalRows() == 0 || now() == first {
		t.Fatalf("segments have as many as before: %s", first)
	}
	if got := days(); len(got) != 1 || !strings.HasSuffix(got[0], "|"+now()) {
		t.Errorf("the day's copy is %v, there are %s", got, now())
	}
	last := days()
	b.space.Advance(4 * time.Hour) // after midnight in the warehouse's time zone
	b.syncOnce(runner.Options{})
	if got := days(); len(got) != 2 || got[0] != last[0] {
		t.Errorf("the next day there is %v, before it %v", got, last)
	}
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("a second reading of the day wrote %d rows", report.TotalRows())
	}
}
