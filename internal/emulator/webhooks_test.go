package emulator_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/jobs"
	"aqueduck/internal/emulator/webhook"
)

// Section 6: every topic, caused by a request, an operation or time, with the item as a read returns it.
func TestContract6EveryTopicIsSent(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 12, WorkspaceID: "ws1"})
	c.version = "2.18"
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoLag = true })
	s := newSubscriber(t)
	c.startWebhook(webhook.Hook{URL: s.url})
	talk := unratedConversation(c)
	made := c.do("POST", "/dynamic_contents", m{"name": "price <b>", "content_type": "inline", "variations": []m{{"locale": "en", "value": "5"}}})
	got := s.collectTopics("dynamic_content.created")["dynamic_content.created"]
	if now := json.Number(strconv.FormatInt(c.w.CurrentTime().Unix(), 10)); got["type"] != "notification_event" || got["app_id"] != "ws1" || got["created_at"] != now || got["delivery_attempts"] != json.Number("1") || got["id"] == nil {
		t.Errorf("the envelope is %v", got)
	}
	checkSameItem(t, "what was created", itemOf(got), made.json)
	id := made.json["id"].(string)
	changed := c.do("PUT", "/dynamic_contents/"+id, m{"name": "cost"})
	checkSameItem(t, "what was updated", itemOf(s.collectTopics("dynamic_content.updated")["dynamic_content.updated"]), changed.json)
	c.do("DELETE", "/dynamic_contents/"+id, nil)
	if gone := itemOf(s.collectTopics("dynamic_content.deleted")["dynamic_content.deleted"]); gone["id"] != id {
		t.Errorf("%v is told of as deleted", gone)
	}

	c.failOn(c.w.ReplyConversation(talk, conversations.ByAI, "let me see"))
	read := c.do("GET", "/conversations/"+talk, nil).json
	reply := itemOf(s.collectTopics("conversation.operator.replied")["conversation.operator.replied"])
	all := read["conversation_parts"].(m)["conversation_parts"].([]any)
	read["conversation_parts"].(m)["conversation_parts"] = all[len(all)-1:]
	checkSameItem(t, "the conversation with the part of the reply", reply, read)
	c.failOn(c.w.RateConversation(talk, 4, "good", true))
	checkSameItem(t, "the rated conversation", itemOf(s.collectTopics("conversation.rating.added")["conversation.rating.added"]), c.do("GET", "/conversations/"+talk, nil).json)
	c.failOn(c.w.RateConversation(talk, 5, "better", true)) // changes the rating

	call, err := c.w.StartCall(talk, false)
	c.failOn(err)
	like := func(name, state string) {
		t.Helper()
		if got := itemOf(s.collectTopics(name)[name]); got["id"] != call || got["state"] != state {
			t.Errorf("%s tells of %v", name, got)
		}
	}
	like("call.started", "ringing")
	c.failOn(c.w.AnswerCall(call))
	c.failOn(c.w.EndCall(call))
	like("call.ended", "ended")
	c.failOn(c.w.RecordCall(call))
	like("call.recording_available", "ended")
	c.failOn(c.w.TranscribeCall(call, false))
	like("call.transcription_available", "ended")

	job := c.do("POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "bulk-1"}, {"external_id": "bulk-1"}}})
	c.w.Advance(10 * time.Minute) // no request causes it
	done := itemOf(s.collectTopics("job.completed")["job.completed"])
	checkSameItem(t, "the job", done, c.do("GET", "/contacts/bulk/"+job.json["id"].(string), nil).json)
	if done["status"] != "success" || len(done["rejected"].([]any)) != 1 {
		t.Errorf("the job is %v", done)
	}
}

// The notice of a finished job comes when the job is over, to the fraction of a second: its ticket exists then.
func TestContract6ANoticeOfAFinishedJobComesAfterItsTicket(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 12})
	s := newSubscriber(t)
	c.startWebhook(webhook.Hook{URL: s.url, Topics: []string{"job.completed"}})
	c.w.Advance(900 * time.Millisecond)
	job := c.doOK("POST", "/tickets/enqueue", newTicket(c.createContact("user"), nil))
	c.w.Advance(5*time.Minute - 800*time.Millisecond)
	if status := c.doOK("GET", "/jobs/status/"+job["id"].(string), nil)["status"]; status != "in_progress" {
		t.Fatalf("it is %v", status)
	}
	c.w.Advance(time.Minute)
	checkSameItem(t, "the job", itemOf(s.collectTopics("job.completed")["job.completed"]), c.doOK("GET", "/jobs/status/"+job["id"].(string), nil))
}

// unratedConversation returns the id of a conversation without a rating.
func unratedConversation(c *apiClient) string {
	c.t.Helper()
	id, err := c.w.OpenConversation(c.createContact("user"), 0)
	c.failOn(err)
	return id
}

// checkSameItem compares the item of a notice with an answer. Addresses are signed anew in each.
func checkSameItem(t *testing.T, what string, got, want m) {
	t.Helper()
	if g, w := asText(t, got), asText(t, want); g != w {
		t.Errorf("%s: told\n%s\nread\n%s", what, g, w)
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Section 6: notices have no data of quality assurance, and have the assignments of parts.
func TestContract6NotificationsHaveAssignmentsAndNoQAData(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2.17", "2.16"} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 12, DefaultVersion: version})
		s := newSubscriber(t)
		c.startWebhook(webhook.Hook{URL: s.url, Topics: []string{"conversation.rating.added"}})
		c.w.SetKnobs(func(k *emulator.Knobs) { k.QAOptOut = true })
		talk := unratedConversation(c)
		c.failOn(c.w.ReviewConversation(talk, 0, "submitted", true))
		c.failOn(c.w.EvaluateConversation(talk, 0, true))
		c.failOn(c.w.AssignConversation(talk, emulator.RemoveTeammate, false))
		c.failOn(c.w.RateConversation(talk, 1, "", true))
		item := itemOf(s.nextDelivery())
		attrs := asText(t, item["custom_attributes"])
		if item["scorecards"] != nil || item["monitor_evaluations"] != nil || strings.Contains(attrs, "QA") || strings.Contains(attrs, "Review") {
			t.Errorf("%s: QA data: %s", version, asText(t, item))
		}
		parts := item["conversation_parts"].(m)["conversation_parts"].([]any)
		last := parts[len(parts)-1].(m)
		id, there := last["admin_assignee_id"]
		if later := version == "2.17"; there != later || later && (id != json.Number("0") || last["team_assignee_id"] != nil) {
			t.Errorf("%s: the part that took the teammate away is %v", version, last)
		}
	}
}

// Sections 2.10, 6: in the later version the teammate of a rating is the workflow that asked for it.
func TestContract6ARatingThatAWorkflowAskedForNamesIt(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"2.17": "admin nobody workflow", "2.16": "admin nobody"} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 6, DefaultVersion: version})
		c.version = version
		s := newSubscriber(t)
		c.startWebhook(webhook.Hook{URL: s.url})
		kinds := map[string]bool{}
		for range 16 {
			talk := unratedConversation(c)
			if read := c.do("GET", "/conversations/"+talk, nil).json; read["conversation_rating"] == nil { // some begin with one
				c.failOn(c.w.RateConversation(talk, 3, "", true))
			}
			item := itemOf(s.nextDelivery())
			checkSameItem(t, version+": a rated conversation", item, c.do("GET", "/conversations/"+talk, nil).json)
			by, _ := item["conversation_rating"].(m)["teammate"].(m)
			if kind, named := by["type"].(string); named {
				kinds[kind] = true
			} else {
				kinds["nobody"] = true
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(kinds)), " "); got != want {
			t.Errorf("%s: ratings are by %s, want %s", version, got, want)
		}
	}
}

// Sections 5.3, 9: no notice of topics that the version lacks, or that the token has no scope for.
func TestContract6TopicsNeedTheirVersionAndTheirScope(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule, version, token string
		knobs                emulator.Knobs
		want                 string
	}{
		{"all", "2.17", "", emulator.Knobs{}, "conversation.operator.replied conversation.rating.added dynamic_content.created job.completed"},
		{"9 before 2.14", "2.13", "", emulator.Knobs{LaterOnly: true}, "conversation.rating.added"},
		{"9 before the later version", "2.16", "", emulator.Knobs{LaterOnly: true}, "conversation.operator.replied conversation.rating.added job.completed"},
		{"5.3 without the scope", "2.17", "other", emulator.Knobs{}, "conversation.rating.added dynamic_content.created job.completed"},
		{"5.3 with it", "2.17", "talks", emulator.Knobs{}, "conversation.operator.replied conversation.rating.added dynamic_content.created job.completed"},
		{"5.1 a token that is not good", "2.17", "gone", emulator.Knobs{}, ""},
		{"5.4 dynamic content is disabled", "2.17", "", emulator.Knobs{NoDynamicContent: true}, "conversation.operator.replied conversation.rating.added job.completed"},
	} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 6, DefaultVersion: test.version, Knobs: test.knobs})
		c.failOn(c.w.AddToken("other", "write_users_companies"))
		c.failOn(c.w.AddToken("talks", "read_conversations"))
		s := newSubscriber(t)
		end := c.startWebhook(webhook.Hook{URL: s.url, Token: test.token})
		talk := unratedConversation(c)
		c.failOn(c.w.ReplyConversation(talk, conversations.ByAI, "x"))
		c.failOn(c.w.ReplyConversation(talk, conversations.ByTeammate, "x"))
		c.failOn(c.w.RateConversation(talk, 4, "", true))
		_, err := c.w.CreateContent("dynamic_contents")
		c.failOn(err)
		_, err = c.w.CreateContent("articles")
		c.failOn(err)
		_, err = c.w.StartJob(jobs.ContactsDelete, jobs.JobPlan{Fails: true})
		c.failOn(err)
		c.w.Advance(time.Hour)
		c.w.CurrentState()
		if missed := end(); missed != 0 {
			t.Errorf("%s: %d were not delivered", test.rule, missed)
		}
		var names []string
		for _, one := range s.got {
			names = append(names, one["topic"].(string))
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: told of %q, want %q", test.rule, got, test.want)
		}
	}
}

// A notice that is not answered with a 2xx is sent again unchanged, until it is accepted or given up. The workspace does not wait for it.
func TestNotificationIsRepeatedUntilAccepted(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 6})
	s := newSubscriber(t)
	s.answer = func(n int) int { return []int{500, 302, 404, 200}[min(n, 4)-1] }
	end := c.startWebhook(webhook.Hook{URL: s.url})
	_, err := c.w.CreateContent("dynamic_contents")
	c.failOn(err)
	if last := s.nextDelivery(); last["delivery_attempts"] != json.Number("4") || len(s.got) != 4 || s.got[0]["id"] != last["id"] || s.got[0]["delivery_attempts"] != json.Number("1") {
		t.Errorf("it came as %v", s.got)
	}
	if missed := end(); missed != 0 {
		t.Errorf("%d were not delivered", missed)
	}
	s.answer = func(int) int { return 500 }
	over := make(chan webhook.Delivery, 100)
	end = c.startWebhook(webhook.Hook{URL: s.url + "?key=hidden", Tries: 3, Watch: func(d webhook.Delivery) { over <- d }})
	_, err = c.w.CreateContent("dynamic_contents")
	c.failOn(err)
	for try := 1; try <= 3; try++ {
		if d := <-over; d.Tries != try || d.Taken || d.Over != (try == 3) || d.Status != 500 || d.Error != "answered 500" || d.URL != s.url {
			t.Errorf("try %d: %+v", try, d)
		}
	}
	if missed := end(); missed != 1 {
		t.Errorf("%d were not delivered, want 1", missed)
	}
}

// A subscriber that never answers delays neither the workspace nor its end, which reports the undelivered notices.
func TestHangingSubscriberDelaysNothing(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 6})
	let := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-let:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hangs.Close)
	t.Cleanup(func() { close(let) })
	n, err := c.w.StartNotifier(c.url, webhook.Hook{URL: hangs.URL, Secret: "x"})
	c.failOn(err)
	for range 20 {
		if r := c.do("POST", "/dynamic_contents", m{"name": "n", "content_type": "inline", "variations": []m{{"locale": "en", "value": "5"}}}); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if missed := n.Close(ctx); missed != 20 {
		t.Errorf("%d were not delivered, want 20", missed)
	}
	if list := n.Deliveries(); len(list) != 20 || list[0].Taken {
		t.Errorf("deliveries: %v", list)
	}
}

// A replay of a journal sends no notices. Simulated hours do, once for every call and reply.
func TestReplayedJournalSendsNoNotifications(t *testing.T) {
	t.Parallel()
	config := emulator.Config{Contacts: 120, Conversations: 60}
	c := startWorkspace(t, config)
	var journal []emulator.JournalEntry
	c.w.SetJournal(func(d emulator.JournalEntry) error { journal = append(journal, d); return nil })
	s := newSubscriber(t)
	end := c.startWebhook(webhook.Hook{URL: s.url})
	for range 30 {
		_, err := c.w.RunOperation("live", json.RawMessage(`{"hours": 1}`))
		c.failOn(err)
	}
	c.do("POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "b"}}})
	_, err := c.w.RunOperation("content.create", json.RawMessage(`{"kind": "dynamic_contents"}`))
	c.failOn(err)
	if missed := end(); missed != 0 {
		t.Errorf("%d were not delivered", missed)
	}
	seen, topics := map[string]bool{}, map[string]int{}
	for _, one := range s.got {
		if id := one["id"].(string); seen[id] {
			t.Errorf("%v is told twice", one)
		} else {
			seen[id] = true
		}
		topics[one["topic"].(string)]++
	}
	for _, name := range []string{"call.started", "call.ended", "call.recording_available", "call.transcription_available", "conversation.operator.replied",
		"conversation.rating.added", "dynamic_content.created", "dynamic_content.updated"} {
		if topics[name] == 0 {
			t.Errorf("thirty hours of life bring nothing of %s: %v", name, topics)
		}
	}
	if calls := len(c.w.CallIDs()); topics["call.started"] == 0 || topics["call.started"] > calls {
		t.Errorf("%d calls began, of %d", topics["call.started"], calls)
	}
	again, before := serveWorkspace(t, emulator.New(config)), len(s.got)
	end = again.startWebhook(webhook.Hook{URL: s.url})
	for _, d := range journal {
		again.failOn(again.w.ReplayOperation(d))
	}
	if missed := end(); missed != 0 || len(s.got) != before {
		t.Errorf("a journal that is done again tells of %v", s.got[before:])
	}
}

func TestWebhookNeedsAnHTTPAddressAndASecret(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Contacts: 20, Conversations: -1})
	for _, h := range []webhook.Hook{{URL: "http://127.0.0.1/x"}, {URL: "ftp://127.0.0.1/x", Secret: "s"}, {URL: "127.0.0.1:99", Secret: "s"},
		{URL: "http://", Secret: "s"}, {URL: "http://me:pass@127.0.0.1/", Secret: "s"}, {URL: "http://127.0.0.1/", Secret: "s", Topics: []string{"contact.created"}}} {
		if _, err := w.StartNotifier("http://127.0.0.1", h); err == nil {
			t.Errorf("%+v is taken", h)
		}
	}
}
