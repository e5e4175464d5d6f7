package emulator_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// A workspace of the population team is served as the oracle says, also after hours in which its talks go on.
func TestTheTeamIsServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Population: emulator.Team, Contacts: 120, Conversations: 200})
	for hours := range 3 {
		c.w.SimulateHours(hours * 6)
		if c.sameConversations(t); t.Failed() {
			t.Fatalf("after %d more hours", hours*6)
		}
		c.sameLists(t)
		c.sameTickets(t)
	}
}

func TestTheSameSeedAndHoursGiveTheSameTeam(t *testing.T) {
	t.Parallel()
	rows := func(seed uint64) string {
		w := emulator.New(emulator.Config{Seed: seed, Population: emulator.Team, Contacts: 100, Conversations: 150})
		w.SimulateHours(60)
		return fmt.Sprint(comparableRows(w.Oracle("contacts")), comparableRows(w.Oracle("conversations")), comparableRows(w.Oracle("conversation_parts")),
			comparableRows(w.Oracle("tickets")), comparableRows(w.Oracle("calls")), comparableRows(w.Oracle("hitl_events")), comparableRows(w.Oracle("admin_activity_logs")))
	}
	first := rows(3)
	if rows(3) != first {
		t.Error("two workspaces of one seed differ")
	}
	if rows(4) == first {
		t.Error("another seed gives the same")
	}
}

// What the oracle says of an earlier time does not change when talks go on.
func TestTruthOfATeamAtATimeIsWhatTheOracleSaidThen(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Seed: 5, Population: emulator.Team, Contacts: 150, Conversations: 400, Start: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)})
	past := []oracleSnapshot{snapshotOracle(w)}
	for range 5 {
		w.SimulateHours(1)
		past = append(past, snapshotOracle(w))
	}
	for i, then := range past {
		for _, stream := range emulator.OracleStreams() {
			rows, err := w.TruthAt(stream, then.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := comparableRows(slices.Collect(rows)); !slices.Equal(got, then.rows[stream]) {
				t.Errorf("%s at %s, the %dth time: %d rows, %d then%s", stream, then.at, i, len(got), len(then.rows[stream]), firstDifference(got, then.rows[stream]))
			}
		}
	}
	if slices.Equal(past[0].rows["conversation_parts"], past[5].rows["conversation_parts"]) {
		t.Error("nothing was said in five hours of a Friday")
	}
}

// The smallest sizes, and none, have a population, which lives.
func TestTheSmallestTeams(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, -1}, {3, 9}, {40, 8}} {
		w := emulator.New(emulator.Config{Seed: uint64(size[0]), Population: emulator.Team, Contacts: size[0], Conversations: size[1]})
		w.SimulateHours(72)
		for _, stream := range emulator.OracleStreams() {
			w.Oracle(stream)
		}
		if got := len(w.Oracle("conversations")); got < size[1] {
			t.Errorf("%d conversations of %d", got, size[1])
		}
	}
}

// TestATeamGrowsAsBeforeHour0: as many contacts come in the weeks after hour 0 as in those before it, few of them as users.
func TestATeamGrowsAsBeforeHour0(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Seed: 3, Population: emulator.Team, Contacts: 6000, Inactive: 100, Conversations: 100})
	start := w.CurrentTime().Unix()
	firms := len(w.Oracle("companies"))
	w.SimulateHours(14 * 24)
	before, after, users := 0, 0, 0
	for _, row := range w.Oracle("contact_activities") {
		if row["event_type"] != "contact.created" {
			continue
		}
		switch at := unix(row["created_at"]); {
		case at > start:
			after++
			if row["role"] == "user" {
				users++
			}
		case at > start-14*86400:
			before++
		}
	}
	if before < 100 || after < before*2/3 || after > before*3/2 || users > after/4 {
		t.Errorf("%d contacts came in the two weeks before hour 0, %d in those after it, %d of them as users", before, after, users)
	}
	if more := len(w.Oracle("companies")) - firms; more < 5 || more > 40 {
		t.Errorf("%d companies came in two weeks, to %d", more, firms)
	}
}

// TestContactsOfATeamTellWhatTheirConversationsDo: an active contact last wrote when its newest message was sent, or before the conversations that are stored.
// Nobody begins a conversation after having left, and no company has more contacts than employees.
func TestContactsOfATeamTellWhatTheirConversationsDo(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Seed: 2, Population: emulator.Team, Contacts: 400, Inactive: 100, Conversations: 500})
	start, left := w.CurrentTime().Unix(), map[any]int64{}
	for _, row := range w.Oracle("deleted_contacts") {
		left[row["id"]] = unix(row["updated_at"])
	}
	for _, row := range w.Oracle("conversations") {
		if at := left[row["source_author_id"]]; at != 0 && at < unix(row["created_at"]) {
			t.Errorf("conversation %s begins after its contact left", row["id"])
		}
	}
	for range 3 {
		newest, sent := map[any]int64{}, map[int64]bool{}
		note := func(author any, at int64) { newest[author], sent[at] = max(newest[author], at), true }
		for _, row := range w.Oracle("conversations") {
			note(row["source_author_id"], unix(row["created_at"]))
		}
		for _, row := range w.Oracle("conversation_parts") {
			if row["body"] != nil && row["part_type"] != "note" {
				note(row["author_id"], unix(row["created_at"]))
			}
		}
		wrote, before := 0, 0
		for _, row := range w.Oracle("contacts") {
			at := unix(row["last_replied_at"])
			switch {
			case at < newest[row["id"]]:
				t.Errorf("contact %s last wrote at %d, and has a message of %d", row["id"], at, newest[row["id"]])
			case sent[at]:
				wrote++
			case at != 0 && at < start-365*86400:
				before++
			case at != 0:
				t.Errorf("contact %s last wrote at %d, when nobody wrote", row["id"], at)
			}
		}
		if wrote < 50 || before < 10 {
			t.Errorf("%d contacts wrote, %d before the conversations that are stored", wrote, before)
		}
		w.SimulateHours(20)
	}
	people := map[any]int{}
	for _, row := range w.Oracle("contact_companies") {
		people[row["company_id"]]++
	}
	for _, row := range w.Oracle("companies") {
		if size, _ := row["size"].(int64); people[row["id"]] > int(size) {
			t.Errorf("company %s has %d employees and %d contacts", row["id"], size, people[row["id"]])
		}
	}
	if len(people) < 10 {
		t.Errorf("%d companies have contacts", len(people))
	}
}
