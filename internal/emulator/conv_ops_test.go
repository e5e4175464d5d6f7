package emulator_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// still is a workspace whose index has no lag and whose clock stands.
func still(t *testing.T, k emulator.Knobs) (*client, string) {
	t.Helper()
	k.NoLag = true
	c := start(t, emulator.Config{Contacts: 60, Knobs: k})
	id, err := c.w.OpenConversation(c.w.IDs("active")[0], 3)
	must(t, err)
	c.w.Advance(time.Hour)
	return c, id
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// updated is a conversation's updated_at by search and by id, which must agree.
func (c *client) updated(t *testing.T, id string) int {
	t.Helper()
	found := c.searchTalks(filter("id", "=", id), 20, "").talks()
	if len(found) != 1 {
		t.Fatalf("search finds %d of %s", len(found), id)
	}
	at := whole(c.talk(id)["updated_at"])
	if searched := whole(found[0]["updated_at"]); searched != at {
		t.Errorf("search says %d, the conversation %d", searched, at)
	}
	if n := len(c.searchTalks(group("AND", filter("id", "=", id), filter("updated_at", "=", at)), 20, "").talks()); n != 1 {
		t.Errorf("search by updated_at does not find it at %d", at)
	}
	return at
}

// T58 and T65: each of these changes what is read, and what moves updated_at is as the operation says.
func TestEveryOperationChangesTheConversationAndMovesItOrNot(t *testing.T) {
	t.Parallel()
	var part string
	for _, test := range []struct {
		name  string
		moves bool
		do    func(w *emulator.Workspace, id string) error
	}{
		{"reply", true, func(w *emulator.Workspace, id string) error {
			return w.ReplyConversation(id, conversations.ByAI, "<p>x</p>")
		}},
		{"note", true, func(w *emulator.Workspace, id string) error {
			return w.ReplyConversation(id, conversations.ByNote, "<p>x</p>")
		}},
		{"part", true, func(w *emulator.Workspace, id string) error { return w.AddPart(id, "💬") }},
		{"assign", true, func(w *emulator.Workspace, id string) error {
			return w.AssignConversation(id, emulator.AssignTeam, false)
		}},
		{"close", true, (*emulator.Workspace).CloseConversation},
		{"reopen", true, (*emulator.Workspace).ReopenConversation},
		{"snooze", true, func(w *emulator.Workspace, id string) error {
			return w.SnoozeConversation(id, time.Unix(2_000_000_000, 0))
		}},
		{"redact", true, func(w *emulator.Workspace, id string) error { return w.Redact(id, "", true) }},
		{"redact quietly", false, func(w *emulator.Workspace, id string) error { return w.Redact(id, part, false) }},
		{"rate", true, func(w *emulator.Workspace, id string) error { return w.Rate(id, 5, "fine", true) }},
		{"rate quietly", false, func(w *emulator.Workspace, id string) error { return w.Rate(id, 1, "", false) }},
		{"review", true, func(w *emulator.Workspace, id string) error { return w.Review(id, 7, "submitted", true) }},
		{"review quietly", false, func(w *emulator.Workspace, id string) error { return w.Review(id, 7, "needs_fix", false) }},
		{"monitor", false, func(w *emulator.Workspace, id string) error { return w.Monitor(id, 9, false) }},
		{"mutate", false, func(w *emulator.Workspace, id string) error {
			return w.MutatePartSilently(id, part, emulator.RemoveTeam)
		}},
		{"tag", true, func(w *emulator.Workspace, id string) error { return w.TagConversation(id, 599) }},
		{"link", true, (*emulator.Workspace).LinkObject},
		{"update", true, func(w *emulator.Workspace, id string) error {
			return w.UpdateConversation(id, emulator.Change{Field: "title", Value: "Neu"}, emulator.Change{Field: "custom_attributes.x", Value: 1})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, id := still(t, emulator.Knobs{})
			part = c.w.PartIDs(id)[1]
			before, was := c.updated(t, id), fmt.Sprint(c.talk(id))
			must(t, test.do(c.w, id))
			if moved := c.updated(t, id) != before; moved != test.moves {
				t.Errorf("updated_at moved: %t", moved)
			}
			if fmt.Sprint(c.talk(id)) == was {
				t.Error("nothing changed")
			}
			c.sameTalks(t)
		})
	}
}

func TestT59ARedactedPartHasNoWordsLeft(t *testing.T) {
	t.Parallel()
	c, id := still(t, emulator.Knobs{})
	must(t, c.w.ReplyConversation(id, conversations.ByContact, "<p>secret</p>"))
	part := slices.Max(c.w.PartIDs(id))
	must(t, c.w.Redact(id, part, true))
	last := parts(c.talk(id))[3]
	if last["id"] != part || last["body"] != nil || last["redacted"] != true || len(each(last, "attachments")) != 0 {
		t.Errorf("got %v", last)
	}
	must(t, c.w.Redact(id, "", true))
	if s := c.talk(id)["source"].(map[string]any); s["body"] != nil || s["redacted"] != true {
		t.Errorf("got %v", s)
	}
}

func TestT60ADeletedConversationIsNotFoundAnyMore(t *testing.T) {
	t.Parallel()
	c, id := still(t, emulator.Knobs{})
	must(t, c.w.DeleteConversation(id))
	if r := c.do("GET", "/conversations/"+id, nil); r.status != 404 || r.code() != "not_found" {
		t.Errorf("got %d %s", r.status, r.code())
	}
	if found := c.searchTalks(filter("id", "=", id), 20, "").talks(); len(found) != 0 || slices.Contains(c.w.ConversationIDs(), id) {
		t.Error("it is still found")
	}
	if err := c.w.CloseConversation(id); !errors.Is(err, conversations.ErrNoConversation) {
		t.Errorf("got %v", err)
	}
	c.sameTalks(t)
}

func TestT75SkipReopenLeavesAClosedConversationClosed(t *testing.T) {
	t.Parallel()
	c, id := still(t, emulator.Knobs{})
	must(t, c.w.CloseConversation(id))
	closed := c.talk(id)
	must(t, c.w.AssignConversation(id, emulator.AssignTeammate, true))
	now := c.talk(id)
	if now["state"] != "closed" || stat(now, "last_close_at") != stat(closed, "last_close_at") || stat(now, "count_reopens") != stat(closed, "count_reopens") {
		t.Errorf("skipped: %v %v", now["state"], now["statistics"])
	}
	must(t, c.w.AssignConversation(id, emulator.AssignTeammate, false))
	if now = c.talk(id); now["state"] != "open" || stat(now, "count_reopens") != stat(closed, "count_reopens")+1 {
		t.Errorf("not skipped: %v %v", now["state"], now["statistics"])
	}
}

// An assignment opens what is closed, and nothing else.
func TestT75AnAssignmentLeavesASnoozedConversationSnoozed(t *testing.T) {
	t.Parallel()
	c, id := still(t, emulator.Knobs{})
	until := c.w.Clock().Add(time.Hour)
	must(t, c.w.SnoozeConversation(id, until))
	for _, skip := range []bool{true, false} {
		must(t, c.w.AssignConversation(id, emulator.AssignTeam, skip))
		if talk := c.talk(id); talk["state"] != "snoozed" || whole(talk["snoozed_until"]) != int(until.Unix()) {
			t.Errorf("skipped %t: %v until %v", skip, talk["state"], talk["snoozed_until"])
		}
	}
	must(t, c.w.ReplyConversation(id, conversations.ByContact, "<p>hello?</p>"))
	if talk := c.talk(id); talk["state"] != "open" || talk["snoozed_until"] != nil {
		t.Errorf("answered: %v until %v", talk["state"], talk["snoozed_until"])
	}
}

func stat(talk map[string]any, name string) int {
	return whole(talk["statistics"].(map[string]any)[name])
}

func TestT58TheSummaryOfACallComesLater(t *testing.T) {
	t.Parallel()
	c, id := still(t, emulator.Knobs{})
	part, call, err := c.w.SummariseCall(id)
	must(t, err)
	before := c.talk(id)
	if last := parts(before)[3]; last["body"] != nil || last["event_details"].(map[string]any)["call_id"] != call || last["part_type"] != "call_summary" {
		t.Errorf("at first %v", last)
	}
	c.w.Advance(time.Minute)
	must(t, c.w.FillCallSummary(id, part, "<p>summary</p>"))
	after := c.talk(id)
	if last := parts(after)[3]; last["body"] != "<p>summary</p>" || after["updated_at"] != before["updated_at"] {
		t.Errorf("then %v", last)
	}
	if err := c.w.FillCallSummary(id, "1", "x"); !errors.Is(err, conversations.ErrNoPart) {
		t.Errorf("a part that is not there: %v", err)
	}
}

func TestT6AnIndexThatIsLateFindsAConversationLater(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{LagMax: 30 * time.Minute}})
	id, err := c.w.OpenConversation(c.w.IDs("active")[0], 0)
	must(t, err)
	if n := len(c.searchTalks(filter("id", "=", id), 20, "").talks()); n != 0 || c.talk(id)["id"] != id {
		t.Error("search is not late")
	}
	c.w.Advance(time.Hour)
	if n := len(c.searchTalks(filter("id", "=", id), 20, "").talks()); n != 1 {
		t.Error("search never finds it")
	}
}

func TestConversationsAreReadWhileTheyChange(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{Contacts: 60, Conversations: 40, Knobs: emulator.Knobs{ChangeShare: 1, SilentParts: true, NoLag: true}})
	lived := make(chan bool)
	go func() {
		for range 20 {
			c.w.Live(1)
		}
		close(lived)
	}()
	for done := false; !done; {
		select {
		case <-lived:
			done = true
		default:
		}
		for _, talk := range c.searchTalks(filter("state", "=", "closed"), 150, "").talks() {
			if talk["state"] != "closed" {
				t.Errorf("%v is %v", talk["id"], talk["state"])
			}
		}
		c.talk(c.w.ConversationIDs()[7])
	}
	c.sameTalks(t)
}
