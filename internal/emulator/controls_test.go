package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// doOperation carries out an operation over HTTP.
func (c *apiClient) doOperation(name string, with any) apiReply {
	c.t.Helper()
	r := c.do("POST", "/_emulator/do/"+name, with)
	if r.status != 200 {
		c.t.Fatalf("%s: %d %s", name, r.status, r.raw)
	}
	return r
}

func TestKnobsAreTurnedByTheirNames(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{TooLarge: 7, Unavailable: []string{"teams.list"}}})
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Mutate = func(_ string, body []byte) []byte { return append(body, ' ') } })
	answer := c.doOperation("set", m{"LagMax": "90s", "NoTotal": true, "Tail": 5_000_000_000, "Export": m{"Fail": 2, "Pending": "1m"}, "Chaos": "error=0:500"})
	c.w.SetKnobs(func(k *emulator.Knobs) {
		if k.LagMax != 90*time.Second || k.Tail != 5*time.Second || !k.NoTotal || k.Export.Fail != 2 || k.Export.Pending != time.Minute {
			t.Errorf("knobs %+v", k)
		}
		if k.TooLarge != 7 || !slices.Equal(k.Unavailable, []string{"teams.list"}) || k.Mutate == nil {
			t.Errorf("what was not named has changed: %+v", k)
		}
	})
	if toInt(answer.json["TooLarge"]) != 7 || string(c.do("GET", "/_emulator/knobs", nil).raw) != string(answer.raw) {
		t.Errorf("it answers %s", answer.raw)
	}
	if r := c.do("GET", "/contacts", nil); r.json["total_count"] != nil || r.status != 200 || r.raw[len(r.raw)-1] != ' ' {
		t.Errorf("NoTotal: %d %s", r.status, r.raw)
	}
	c.doOperation("set", m{"Chaos": "error=1:502"})
	if r := c.do("GET", "/contacts", nil); r.status != 502 {
		t.Errorf("Chaos: %d", r.status)
	}
}

func TestTokenZoneAndCursorsChangeOverHTTP(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	old, cursor := c.w.AccessToken(), c.do("GET", "/contacts?per_page=5", nil).nextPage()["starting_after"]
	c.doOperation("add-token", m{"token": "scoped", "scopes": "read_conversations read_dynamic_content"})
	c.auth = "Bearer scoped"
	if allowed, denied := c.do("GET", "/dynamic_contents", nil).status, c.do("GET", "/data_connectors/5100/versions", nil).status; allowed != 200 || denied != 403 {
		t.Errorf("a token of two scopes: %d, %d", allowed, denied)
	}
	c.auth = ""
	c.doOperation("rotate", m{"token": "another"})
	if r := c.do("GET", "/contacts", nil); r.status != 200 || old == "another" || c.w.AccessToken() != "another" {
		t.Errorf("with the new token: %d", r.status)
	}
	c.doOperation("expire-cursors", nil)
	if r := c.do("GET", fmt.Sprintf("/contacts?starting_after=%v", cursor), nil); r.status != 400 {
		t.Errorf("an expired cursor: %d", r.status)
	}
	// In the day meaning a zone says which contacts are of a day.
	c.version = "2.16"
	day := m{"query": fieldFilter("created_at", "=", c.w.CurrentTime().Unix()), "pagination": m{"per_page": 150}}
	c.w.Advance(20 * time.Hour) // 22:00 in UTC
	c.createContact("user")
	c.w.Advance(10 * time.Minute)
	today := c.do("POST", "/contacts/search", day).totalCount()
	c.doOperation("zone", m{"name": "Asia/Tokyo"}) // there it is the next day
	if after := c.do("POST", "/contacts/search", day).totalCount(); after != today-1 {
		t.Errorf("%d contacts of the day, after the change of the zone %d", today, after)
	}
}

func TestTimeAndForeignExportsAreControlledOverHTTP(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	before := c.w.CurrentTime()
	state := c.do("POST", "/_emulator/advance?by=90m", nil)
	if c.w.CurrentTime().Sub(before) != 90*time.Minute || state.json["clock"] != c.w.CurrentTime().Format(time.RFC3339) {
		t.Errorf("advanced to %v", state.json["clock"])
	}
	c.doOperation("exports.occupy", m{"jobs": 5})
	if r := c.enqueueExport(before, c.w.CurrentTime()); r.status != 429 {
		t.Errorf("a sixth export: %d", r.status)
	}
	c.doOperation("chaos", m{"set": "error=1:500"})
	if r := c.do("GET", "/contacts", nil); r.status != 500 {
		t.Errorf("chaos: %d", r.status)
	}
}

// A clock that runs during operations, like that of the machine, must not show in a replay.
func TestAReplayedJournalGivesTheSameWorkspace(t *testing.T) {
	t.Parallel()
	clock := time.Date(2024, 9, 1, 12, 0, 0, 0, time.UTC)
	running := func() time.Time {
		clock = clock.Add(700 * time.Millisecond)
		return clock
	}
	config := emulator.Config{Seed: 5, Contacts: 40, Conversations: 20, Hours: 3, Now: running, Knobs: emulator.Knobs{ListDeletes: emulator.ListAll}}
	w := emulator.New(config)
	c := serveWorkspace(t, w)
	var journal []byte
	w.SetJournal(func(d emulator.JournalEntry) error {
		line, err := json.Marshal(d)
		journal = append(append(journal, line...), '\n')
		return err
	})
	made := existingIDs(w)
	for _, s := range slices.Concat(contactSteps, conversationSteps, otherSteps) {
		r := c.doOperation(s.do, s.resolveBody(made))
		made[s.keep], _ = r.json["id"].(string)
		if part, ok := r.json["part"].(string); ok {
			made[s.keep] = part
		}
	}
	c.doOperation("live", m{"hours": 2})
	c.doOperation("advance", m{"by": "1h"})
	c.doOperation("set", m{"PartsCap": 3, "TranscriptLate": "2h"})
	if r := c.do("POST", "/_emulator/do/contacts.archive", m{"id": "nobody"}); r.status != 400 {
		t.Fatalf("%d", r.status)
	}
	c.doOperation("live", m{"hours": 1})

	again := emulator.New(config)
	for line := range bytes.Lines(journal) {
		var d emulator.JournalEntry
		failOn(t, json.Unmarshal(line, &d))
		if err := again.ReplayOperation(d); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if gap := again.CurrentTime().Sub(w.CurrentTime()).Abs(); gap > time.Minute {
		t.Errorf("the clocks are %s apart", gap)
	}
	at := w.CurrentTime().Truncate(time.Second)
	then := func(w *emulator.Workspace) (all []string) {
		for _, stream := range emulator.OracleStreams() {
			rows, err := w.TruthAt(stream, at)
			failOn(t, err)
			for _, row := range comparableRows(slices.Collect(rows)) {
				all = append(all, stream+" "+row)
			}
		}
		return all
	}
	if a, b := then(w), then(again); !slices.Equal(a, b) || len(a) < 500 {
		t.Errorf("%d rows, done again %d%s", len(a), len(b), firstDifference(a, b))
	}
	if w.HoursSimulated() != 7 || again.HoursSimulated() != 7 {
		t.Errorf("%d hours, done again %d", w.HoursSimulated(), again.HoursSimulated())
	}
}
