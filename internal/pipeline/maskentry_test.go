package pipeline_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// TestS38ANamedAttributeIsMaskedInAllItsPlaces masks attributes of stored tickets by their names: in the object, in the rows that its entries
// are, and in the column of the title. What stored rows become is what a reading stores.
func TestS38ANamedAttributeIsMaskedInAllItsPlaces(t *testing.T) {
	lane.SkipHeavy(t)
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
		if plan := b.planText(); !strings.Contains(plan, note+"; the next run rewrites ") {
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
	check("hash: [ticket_attributes._default_title_]", "tickets: new settings: hash ticket_attributes._default_title_", titles, all)
	if got := b.queryRows("SELECT count(*) FROM tickets WHERE title IS NOT NULL AND NOT regexp_full_match(title, '[0-9a-f]{32}')")[0]; got != "0" {
		t.Errorf("%s titles are not hashed", got)
	}
	others := b.queryRows("SELECT " + all + " - " + titles)[0]
	check("hash: [ticket_attributes._default_title_, ticket_attributes.value]", "tickets: new settings: hash ticket_attributes.value", all, all)
	check("drop: [ticket_attributes._default_title_], hash: [ticket_attributes.value]", "tickets: new settings: drop ticket_attributes._default_title_", others, others)
}

// plannedValues is the number of values that the plan says the next run rewrites.
func plannedValues(plan string) string {
	_, after, _ := strings.Cut(plan, "the next run rewrites ")
	words := strings.Fields(after)
	return words[0] + " " + strings.TrimSuffix(words[2], ",")
}

// keepTitles changes the answers so that tickets have no attribute but their title.
func keepTitles(_ string, body []byte) []byte {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return body
	}
	tickets, _ := answer["tickets"].([]any)
	for _, each := range append(tickets, any(answer)) {
		if ticket, ok := each.(map[string]any); ok && ticket["ticket_attributes"] != nil {
			attributes, _ := ticket["ticket_attributes"].(map[string]any)
			ticket["ticket_attributes"] = map[string]any{"_default_title_": attributes["_default_title_"]}
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return body
	}
	return text
}

// TestT152AMaskExplainsOnlyTheRowsThatItRemoves: the publish guard accepts the rows of a dropped entry, also if another run removed them, and holds
// back a loss beside them.
func TestT152AMaskExplainsOnlyTheRowsThatItRemoves(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(98)
	c.Tickets = 30
	b := newBedWith(t, c, withStreams("tickets"))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	names := b.queryRows("SELECT name FROM ticket_attributes GROUP BY ALL ORDER BY count(*) DESC, name")
	dropping := func(names ...string) string {
		return withStreams("tickets") + `streams: {tickets: {drop: ["ticket_attributes.` + strings.Join(names, `", "ticket_attributes.`) + `"]}}` + "\n"
	}
	b.writeConfig(dropping("_default_title_"))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = keepTitles })
	for n := range 2 { // in the run that removes the rows, and in a later one
		b.space.Advance(time.Hour)
		if report := b.trySync(runner.Options{FullRefresh: true}); report.Exit() != problem.ExitBreached || report.Held == nil || !strings.Contains(report.Held.What, "ticket_attributes") {
			t.Errorf("run %d: a mask let a loss pass: %s", n, report.LastLine())
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = nil })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{FullRefresh: true})
	before := b.queryRows("SELECT count(*) FROM ticket_attributes")[0]
	kept := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "_default_title_" })[0]
	b.writeConfig(dropping(slices.DeleteFunc(names, func(name string) bool { return name == kept })...))
	b.space.Advance(time.Hour)
	b.interruptAfter(2)
	report := b.syncOnce(runner.Options{})
	after := b.queryRows("SELECT count(*) FROM ticket_attributes")[0]
	if notes := strings.Join(report.Notes, "\n"); strings.Contains(notes, "stored values were rewritten") {
		t.Errorf("the interrupted run has removed nothing: the test finds nothing: %s", notes)
	}
	if b.queryRows("SELECT " + after + " < 0.6 * " + before + " AND " + before + " - " + after + " > 10")[0] != "true" {
		t.Errorf("%s of %s attributes are left: too few went to show anything", after, before)
	}
}
