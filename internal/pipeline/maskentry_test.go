package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// TestS38ANamedAttributeIsMaskedInAllItsPlaces masks attributes of stored tickets by their names: in the object, in the rows that its entries
// are, and in the column of the title. What stored rows become is what a reading stores.
func TestS38ANamedAttributeIsMaskedInAllItsPlaces(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(97)
	c.Tickets = 6
	b := newBedWith(t, c, withStreams("tickets")).publishingLake()
	for n := range 3 {
		id, err := b.space.CreateTicket(b.space.ContactIDs("active")[n], "1200", emulator.FieldChange{Field: "_default_title_", Value: canary + "title"})
		b.failOn(err)
		b.failOn(b.space.ReplyTicket(id, conversations.ByNote, visible+"note"))
		b.space.Advance(time.Minute)
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	count := func(where string) string {
		return b.queryRows("SELECT count(*) FROM ticket_attributes WHERE " + where)[0]
	}
	all, titles := count("true"), count("name = '_default_title_'")
	if titles == "0" || count("value::VARCHAR LIKE '%"+canary+"%'") != "3" {
		t.Fatal("the tickets have no titles: the test finds nothing")
	}
	check := func(masks, note string, hashed, left string) {
		t.Helper()
		b.writeConfig(withStreams("tickets") + "streams: {tickets: {" + masks + "}}\n")
		if plan := b.planText(); !strings.Contains(plan, note+" is new: the next run rewrites ") {
			t.Errorf("%s: the plan says\n%s", masks, plan)
		}
		planned := plannedValues(b.planText())
		report := b.syncOnce(runner.Options{})
		if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, ", "+planned+" changed, and every file is rewritten") {
			t.Errorf("%s: %s were planned, the run says %q", masks, planned, notes)
		}
		b.noCanaryInTables()
		if got := count("regexp_full_match(value::VARCHAR, '\"[0-9a-f]{32}\"')"); got != hashed {
			t.Errorf("%s: %s attributes are hashed, not %s", masks, got, hashed)
		}
		if got := count("true"); got != left {
			t.Errorf("%s: %s attributes are left of %s, not %s", masks, got, all, left)
		}
		if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
			t.Errorf("%s: verify finds\n%s", masks, verificationText(v))
		}
		before := b.allRows()
		b.syncOnce(runner.Options{FullRefresh: true})
		for name, rows := range b.allRows() {
			if !slices.Equal(rows, before[name]) {
				t.Errorf("%s: the full refresh changes %s: %s", masks, name, firstOther(rows, before[name]))
			}
		}
	}
	check("hash: [ticket_attributes._default_title_]", "tickets: hash ticket_attributes._default_title_", titles, all)
	if got := b.queryRows("SELECT count(*) FROM tickets WHERE title IS NOT NULL AND NOT regexp_full_match(title, '[0-9a-f]{32}')")[0]; got != "0" {
		t.Errorf("%s titles are not hashed", got)
	}
	others := b.queryRows("SELECT " + all + " - " + titles)[0]
	check("hash: [ticket_attributes._default_title_, ticket_attributes.value]", "tickets: hash ticket_attributes.value", all, all)
	check("drop: [ticket_attributes._default_title_], hash: [ticket_attributes.value]", "tickets: drop ticket_attributes._default_title_", others, others)
}

// plannedValues is the number of values that the plan says the next run rewrites.
func plannedValues(plan string) string {
	_, after, _ := strings.Cut(plan, "the next run rewrites ")
	words := strings.Fields(after)
	return words[0] + " " + strings.TrimSuffix(words[2], ",")
}
