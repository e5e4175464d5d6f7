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

// newStillClient returns a workspace with a searchable index without lag and a clock that stands still, and the id of a conversation.
func newStillClient(t *testing.T, k emulator.Knobs) (*apiClient, string) {
	t.Helper()
	k.NoLag = true
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: k})
	id, err := c.w.OpenConversation(c.w.ContactIDs("active")[0], 3)
	failOn(t, err)
	c.w.Advance(time.Hour)
	return c, id
}

func failOn(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// updatedAt returns a conversation's updated_at by search and by id, which must agree.
func (c *apiClient) updatedAt(t *testing.T, id string) int {
	t.Helper()
	found := c.searchTalks(fieldFilter("id", "=", id), 20, "").conversationItems()
	if len(found) != 1 {
		t.Fatalf("search finds %d of %s", len(found), id)
	}
	at := toInt(c.fetchConversation(id)["updated_at"])
	if searched := toInt(found[0]["updated_at"]); searched != at {
		t.Errorf("search says %d, the conversation %d", searched, at)
	}
	if n := len(c.searchTalks(filterGroup("AND", fieldFilter("id", "=", id), fieldFilter("updated_at", "=", at)), 20, "").conversationItems()); n != 1 {
		t.Errorf("search by updated_at does not find it at %d", at)
	}
	return at
}

// T58 and T65: each operation changes what is read, and moves updated_at or not as it says.
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
		{"redact", true, func(w *emulator.Workspace, id string) error { return w.RedactPart(id, "", true) }},
		{"redact quietly", false, func(w *emulator.Workspace, id string) error { return w.RedactPart(id, part, false) }},
		{"rate", true, func(w *emulator.Workspace, id string) error { return w.RateConversation(id, 5, "fine", true) }},
		{"rate quietly", false, func(w *emulator.Workspace, id string) error { return w.RateConversation(id, 1, "", false) }},
		{"review", true, func(w *emulator.Workspace, id string) error { return w.ReviewConversation(id, 7, "submitted", true) }},
		{"review quietly", false, func(w *emulator.Workspace, id string) error { return w.ReviewConversation(id, 7, "needs_fix", false) }},
		{"monitor", false, func(w *emulator.Workspace, id string) error { return w.EvaluateConversation(id, 9, false) }},
		{"mutate", false, func(w *emulator.Workspace, id string) error {
			return w.MutatePartSilently(id, part, emulator.RemoveTeam)
		}},
		{"tag", true, func(w *emulator.Workspace, id string) error { return w.TagConversation(id, 599) }},
		{"link", true, (*emulator.Workspace).LinkObject},
		{"update", true, func(w *emulator.Workspace, id string) error {
			return w.UpdateConversation(id, emulator.FieldChange{Field: "title", Value: "Neu"}, emulator.FieldChange{Field: "custom_attributes.x", Value: 1})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, id := newStillClient(t, emulator.Knobs{})
			part = c.w.PartIDs(id)[1]
			before, was := c.updatedAt(t, id), fmt.Sprint(c.fetchConversation(id))
			failOn(t, test.do(c.w, id))
			if moved := c.updatedAt(t, id) != before; moved != test.moves {
				t.Errorf("updated_at moved: %t", moved)
			}
			if fmt.Sprint(c.fetchConversation(id)) == was {
				t.Error("nothing changed")
			}
			c.sameConversations(t)
		})
	}
}

func TestT59RedactedPartHasNoText(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	failOn(t, c.w.ReplyConversation(id, conversations.ByContact, "<p>secret</p>"))
	part := slices.Max(c.w.PartIDs(id))
	failOn(t, c.w.RedactPart(id, part, true))
	last := partsOf(c.fetchConversation(id))[3]
	if last["id"] != part || last["body"] != nil || last["redacted"] != true || len(itemsAt(last, "attachments")) != 0 {
		t.Errorf("got %v", last)
	}
	failOn(t, c.w.RedactPart(id, "", true))
	if s := c.fetchConversation(id)["source"].(map[string]any); s["body"] != nil || s["redacted"] != true {
		t.Errorf("got %v", s)
	}
}

func TestT60DeletedConversationIsNotFound(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	failOn(t, c.w.DeleteConversation(id))
	if r := c.do("GET", "/conversations/"+id, nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("got %d %s", r.status, r.errorCode())
	}
	if found := c.searchTalks(fieldFilter("id", "=", id), 20, "").conversationItems(); len(found) != 0 || slices.Contains(c.w.ConversationIDs(), id) {
		t.Error("it is still found")
	}
	if err := c.w.CloseConversation(id); !errors.Is(err, conversations.ErrNoConversation) {
		t.Errorf("got %v", err)
	}
	c.sameConversations(t)
}

func TestT75SkipReopenLeavesAClosedConversationClosed(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	failOn(t, c.w.CloseConversation(id))
	closed := c.fetchConversation(id)
	failOn(t, c.w.AssignConversation(id, emulator.AssignTeammate, true))
	now := c.fetchConversation(id)
	if now["state"] != "closed" || talkStatistic(now, "last_close_at") != talkStatistic(closed, "last_close_at") || talkStatistic(now, "count_reopens") != talkStatistic(closed, "count_reopens") {
		t.Errorf("skipped: %v %v", now["state"], now["statistics"])
	}
	failOn(t, c.w.AssignConversation(id, emulator.AssignTeammate, false))
	if now = c.fetchConversation(id); now["state"] != "open" || talkStatistic(now, "count_reopens") != talkStatistic(closed, "count_reopens")+1 {
		t.Errorf("not skipped: %v %v", now["state"], now["statistics"])
	}
}

// An assignment reopens a closed conversation, and no other.
func TestT75AnAssignmentLeavesASnoozedConversationSnoozed(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	until := c.w.CurrentTime().Add(time.Hour)
	failOn(t, c.w.SnoozeConversation(id, until))
	for _, skip := range []bool{true, false} {
		failOn(t, c.w.AssignConversation(id, emulator.AssignTeam, skip))
		if talk := c.fetchConversation(id); talk["state"] != "snoozed" || toInt(talk["snoozed_until"]) != int(until.Unix()) {
			t.Errorf("skipped %t: %v until %v", skip, talk["state"], talk["snoozed_until"])
		}
	}
	failOn(t, c.w.ReplyConversation(id, conversations.ByContact, "<p>hello?</p>"))
	if talk := c.fetchConversation(id); talk["state"] != "open" || talk["snoozed_until"] != nil {
		t.Errorf("answered: %v until %v", talk["state"], talk["snoozed_until"])
	}
}

func talkStatistic(talk map[string]any, name string) int {
	return toInt(talk["statistics"].(map[string]any)[name])
}

func TestT58CallSummaryArrivesLater(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	part, call, err := c.w.SummariseCall(id)
	failOn(t, err)
	before := c.fetchConversation(id)
	if last := partsOf(before)[3]; last["body"] != nil || last["event_details"].(map[string]any)["call_id"] != call || last["part_type"] != "call_summary" {
		t.Errorf("at first %v", last)
	}
	c.w.Advance(time.Minute)
	failOn(t, c.w.FillCallSummary(id, part, "<p>summary</p>"))
	after := c.fetchConversation(id)
	if last := partsOf(after)[3]; last["body"] != "<p>summary</p>" || after["updated_at"] != before["updated_at"] {
		t.Errorf("then %v", last)
	}
	if err := c.w.FillCallSummary(id, "1", "x"); !errors.Is(err, conversations.ErrNoPart) {
		t.Errorf("a part that is not there: %v", err)
	}
}

func TestT6LaggingIndexFindsAConversationLater(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{LagMax: 30 * time.Minute}})
	id, err := c.w.OpenConversation(c.w.ContactIDs("active")[0], 0)
	failOn(t, err)
	if n := len(c.searchTalks(fieldFilter("id", "=", id), 20, "").conversationItems()); n != 0 || c.fetchConversation(id)["id"] != id {
		t.Error("search is not late")
	}
	c.w.Advance(time.Hour)
	if n := len(c.searchTalks(fieldFilter("id", "=", id), 20, "").conversationItems()); n != 1 {
		t.Error("search never finds it")
	}
}

func TestConversationsAreReadWhileTheyChange(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 40, Knobs: emulator.Knobs{ChangeShare: 1, SilentParts: true, NoLag: true}})
	lived := make(chan bool)
	go func() {
		for range 20 {
			c.w.SimulateHours(1)
		}
		close(lived)
	}()
	for done := false; !done; {
		select {
		case <-lived:
			done = true
		default:
		}
		for _, talk := range c.searchTalks(fieldFilter("state", "=", "closed"), 150, "").conversationItems() {
			if talk["state"] != "closed" {
				t.Errorf("%v is %v", talk["id"], talk["state"])
			}
		}
		c.fetchConversation(c.w.ConversationIDs()[7])
	}
	c.sameConversations(t)
}
