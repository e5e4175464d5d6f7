package pipeline_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/runner"
)

// TestT24T26MergedLeadKeepsItsConversations: the lead's id stays in the rows, and contact_identity has the survivor.
func TestT24T26MergedLeadKeepsItsConversations(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := conversationConfig(emulator.Knobs{})
	c.Conversations = 12
	p := contactBed{newBedWith(t, c, withStreams("conversations"))}
	lead, user := p.createLead(), p.createUser()
	before, err := p.space.OpenConversation(lead, 2)
	p.advanceAfter(err, p.space.ReplyConversation(before, conversations.ByContact, "<p>it is me</p>"))
	p.space.Advance(time.Hour)
	p.syncOnce(runner.Options{})
	p.advanceAfter(p.space.ForceMerge(lead, user), p.space.ReplyConversation(before, conversations.ByTeammate, "<p>hello</p>"))
	p.space.Advance(time.Hour)
	p.syncOnce(runner.Options{})
	got := p.queryRows(`SELECT contact_id, current_contact_id,
			(SELECT count(*) > 0 FROM conversation_parts p WHERE p.conversation_id = c.conversation_id AND author_id = contact_id)
		FROM conversation_contacts c JOIN contact_identity USING (contact_id) WHERE conversation_id = '` + before + "'")
	if want := lead + "|" + user + "|true"; len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want %s", got, want)
	}
	p.equalsOracle()
}

// TestT61T62T63AssignmentValuesAreStoredAsSent: 0 (removed) differs from null (unchanged), a missing field is null, a bot may be the assignee, and
// ids are text however they are sent.
func TestT61T62T63AssignmentValuesAreStoredAsSent(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	want := []string{"∅|∅|∅|∅", "admin|id|id|id", "admin|id|id|∅", "team|id|∅|id", "bot|id|id|∅",
		"nobody_admin|∅|∅|0", "nobody_admin|∅|0|∅", "nobody_admin|∅|∅|∅"}
	id := func(column string) string { return "CASE WHEN " + column + " > '0' THEN 'id' ELSE " + column + " END" }
	for name, omit := range map[string]bool{"null": false, "absent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChatBed(t, 12, emulator.Knobs{OmitEmpty: omit})
			talk := c.openConversation(0)
			for as := range len(want) {
				c.advanceAfter(c.space.AssignConversation(talk, emulator.Assignment(as), true))
			}
			c.readAfterHour()
			c.checkQuery("the table", "SELECT assigned_to_type, "+id("assigned_to_id")+", "+id("admin_assignee_id")+", "+id("team_assignee_id")+
				" FROM conversation_parts WHERE conversation_id = '"+talk+"' ORDER BY id::BIGINT", want...)
			c.checkQuery("ids that differ between the two places", `SELECT count(*) FROM conversation_parts
				WHERE assigned_to_type = 'team' AND assigned_to_id <> team_assignee_id OR assigned_to_type IN ('admin', 'bot') AND assigned_to_id <> admin_assignee_id`, "0")
			c.checkQuery("types", `SELECT DISTINCT typeof(c.admin_assignee_id), typeof(p.admin_assignee_id), typeof(assigned_to_id)
				FROM conversations c, conversation_parts p`, "VARCHAR|VARCHAR|VARCHAR")

			number := regexp.MustCompile(`("(?:admin|team)_assignee_id":)(\d+)`)
			c.mutateRoute("conversations.get", func(body []byte) []byte { return number.ReplaceAll(body, []byte(`$1"$2"`)) })
			n := c.space.RequestCount()
			if s := streamResult(t, c.readAfterWeek(), "conversations"); c.countSingleReads(n) == 0 || s.Rows != 0 {
				t.Errorf("%d readings whose ids are text change %d rows", c.countSingleReads(n), s.Rows)
			}
			c.equalsOracle()
		})
	}
}

// TestT64UnknownTypesAreStored: undocumented types of parts, authors and teammates are text like others.
// Holds: F13.
func TestT64UnknownTypesAreStored(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 60, emulator.Knobs{})
	talk := c.openConversation(4)
	c.advanceAfter(c.space.RateConversation(talk, 3, "", true), c.space.ReviewConversation(talk, 0, "submitted", true))
	words := strings.NewReplacer(`"part_type":"comment"`, `"part_type":"telepathy"`, `"author":{"type":"bot"`, `"author":{"type":"oracle"`,
		`"assigned_to":{"type":"team"`, `"assigned_to":{"type":"swarm"`, `"event_type":"otp_email_verification_failed"`, `"event_type":"mind_was_read"`,
		`"state":"open"`, `"state":"ajar"`, `"metadata":null`, `"metadata":{"quick_reply_option_uuid":"q-1","new":[1]}`, `"review_status":"submitted"`, `"review_status":"on_the_moon"`)
	teammate := regexp.MustCompile(`"teammate":(null|\{[^}]*\})`)
	c.mutateRoute("conversations.get", func(body []byte) []byte {
		return teammate.ReplaceAll([]byte(words.Replace(string(body))), []byte(`"teammate":{"type":"workflow","id":"w1"}`))
	})
	c.readAfterHour()
	c.checkQuery("rejects", "SELECT count(*) FROM _sync.rejects", "0")
	c.checkQuery("conversations", "SELECT count(*) FROM conversations", "61")
	for _, word := range []string{"part_type = 'telepathy'", "author_type = 'oracle'", "assigned_to_type = 'swarm'",
		"event_type = 'mind_was_read'", "state = 'ajar'", "(metadata->>'quick_reply_option_uuid') = 'q-1' AND (metadata->>'$.new[0]') = '1'"} {
		c.checkQuery(word, "SELECT count(*) > 0 FROM conversation_parts WHERE "+word, "true")
	}
	c.checkQuery("a status of reviews", "SELECT review_status FROM conversation_scorecards WHERE scorecard_id = 'scorecard-0' AND conversation_id = '"+talk+"'",
		"on_the_moon")
	c.checkQuery("a workflow that asked for a rating", "SELECT rating, rating_teammate_type, rating_teammate_id FROM conversations WHERE id = '"+talk+"'",
		"3|workflow|w1")
}

// TestT65T68QualityDataIsAlwaysRequestedAndTranslationsNever: data that is requested only sometimes would look deleted at other times, and
// translations would replace the original text.
func TestT65T68QualityDataIsAlwaysRequestedAndTranslationsNever(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{NoLag: true})
	talk := c.openConversation(2)
	c.readAfterHour()
	c.advanceAfter(c.space.ReviewConversation(talk, 7, "needs_fix", false), c.space.EvaluateConversation(talk, 1, false))
	c.readAfterHour()
	c.checkQuery("a review without a sign, too early", "SELECT count(*) FROM conversation_scorecards WHERE scorecard_id = 'scorecard-7'", "0")
	c.readAfterWeek()
	c.checkQuery("a review without a sign", "SELECT conversation_id, review_status FROM conversation_scorecards WHERE scorecard_id = 'scorecard-7'", talk+"|needs_fix")
	c.equalsOracle()
	if c.countSingleReads(0) < 14 {
		t.Errorf("%d readings", c.countSingleReads(0))
	}
	for _, r := range c.space.Requests() {
		if strings.Contains(r.Query, "translations") {
			t.Errorf("asked for %s?%s", r.Path, r.Query)
		}
		if r.Method == "GET" && (!strings.Contains(r.Query, "include_scorecards=true") || !strings.Contains(r.Query, "include_monitors=true")) {
			t.Errorf("asked for %s?%s", r.Path, r.Query)
		}
	}
}

// TestT66MissingReviewerDiffersFromMissingReview: the reviewer is null in both cases, and the status differs.
func TestT66MissingReviewerDiffersFromMissingReview(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{})
	talk := c.openConversation(1)
	for card := range 3 {
		c.advanceAfter(c.space.ReviewConversation(talk, card, []string{"", "unreviewed", "submitted"}[card], true))
	}
	reviewer := regexp.MustCompile(`"reviewer":(?:null|\{[^}]*\}),("review_status":"unreviewed")`)
	c.mutateRoute("conversations.get", func(body []byte) []byte { return reviewer.ReplaceAll(body, []byte(`"reviewer":null,$1`)) })
	c.readAfterHour()
	c.checkQuery("reviews", `SELECT scorecard_id, review_status, reviewer_type, submitted_by_type IS NULL FROM conversation_scorecards
		WHERE conversation_id = '`+talk+"' AND scorecard_id <> 'scorecard-2' ORDER BY 1", "scorecard-0|∅|∅|true", "scorecard-1|unreviewed|∅|true")
	c.checkQuery("a submitted one", `SELECT review_status, submitted_by_type IS NULL FROM conversation_scorecards
		WHERE conversation_id = '`+talk+"' AND scorecard_id = 'scorecard-2'", "submitted|false")
}

// TestT67CustomAttributesAreReplacedTogether: an attribute that was removed disappears. Those of quality assurance are not sent after 2.16; the
// row has the API version.
func TestT67CustomAttributesAreReplacedTogether(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{NoLag: true})
	c.writeConfig(strings.Replace(talking, `"2.17"`, `"2.16"`, 1))
	talk := c.openConversation(1)
	set := func(name string, value any) emulator.FieldChange {
		return emulator.FieldChange{Field: "custom_attributes." + name, Value: value}
	}
	c.advanceAfter(c.space.UpdateConversation(talk, set("plan", "gold"), set("seats", int64(3))), c.space.ReviewConversation(talk, 0, "submitted", true))
	c.readAfterHour()
	attributes := `SELECT _api_version, json_exists(custom_attributes, '$."Review status"'), custom_attributes->>'plan', custom_attributes->>'seats'
		FROM conversations WHERE id = '` + talk + "'"
	c.checkQuery("at 2.16", attributes, "2.16|true|gold|3")
	c.advanceAfter(c.space.UpdateConversation(talk, set("plan", nil), set("seats", int64(4))))
	c.readAfterHour()
	c.checkQuery("without the plan", attributes, "2.16|true|∅|4")
	c.space.SetKnobs(func(k *emulator.Knobs) { k.QAOptOut = true })
	c.advanceAfter(c.space.UpdateConversation(talk, set("seats", int64(5))), c.space.UpdateConversation(talk, set("seats", int64(4))))
	c.readAfterHour()
	c.checkQuery("not opted in at 2.16", attributes, "2.16|false|∅|4")
	c.writeConfig(talking)
	c.readAfterHour()
	c.checkQuery("at 2.17", attributes, "2.17|false|∅|4")
	c.checkQuery("its review", "SELECT review_status FROM conversation_scorecards WHERE scorecard_id = 'scorecard-0' AND conversation_id = '"+talk+"'", "submitted")
}

// TestT67PartsThatAreReadAgainHaveTheNewAPIVersion: the version decides what a part of an assignment means, also where the part is as it was.
func TestT67PartsThatAreReadAgainHaveTheNewAPIVersion(t *testing.T) {
	t.Parallel()
	versionsOfParts := func(versions ...string) string {
		b := newBedWith(t, conversationConfig(emulator.Knobs{NoLag: true}), talking)
		for _, version := range versions {
			b.writeConfig(strings.Replace(talking, `"2.17"`, `"`+version+`"`, 1))
			b.syncOnce(runner.Options{})
			b.space.Advance(time.Hour)
		}
		return strings.Join(b.queryRows("SELECT count(*), count(*) FILTER (_api_version = '2.16') FROM conversation_parts"), " ")
	}
	if again, once := versionsOfParts("2.16", "2.17"), versionsOfParts("2.17"); again != once {
		t.Errorf("%s, read once %s", again, once)
	}
}

// TestT75AssignmentWithoutReopeningLeavesConversationClosed: the state that the conversation itself states is stored, and nothing is derived from
// its parts.
func TestT75AssignmentWithoutReopeningLeavesConversationClosed(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{})
	talk := c.openConversation(2)
	c.advanceAfter(c.space.ReopenConversation(talk), c.space.CloseConversation(talk))
	standing := `SELECT state, open, statistics_count_reopens, epoch(statistics_last_close_at)::BIGINT, statistics_count_conversation_parts
		FROM conversations WHERE id = '` + talk + "'"
	c.readAfterHour()
	closed := strings.Split(c.queryRows(standing)[0], "|")
	if closed[0] != "closed" || closed[4] != "4" {
		t.Fatalf("it is %v", closed)
	}
	c.advanceAfter(c.space.AssignConversation(talk, emulator.AssignTeam, true))
	c.readAfterHour()
	closed[4] = "5"
	c.checkQuery("assigned without reopening", standing, strings.Join(closed, "|"))
	c.advanceAfter(c.space.AssignConversation(talk, emulator.AssignTeammate, false))
	c.readAfterHour()
	if got := strings.Split(c.queryRows(standing)[0], "|"); got[0] != "open" || got[1] != "true" || got[2] == closed[2] || got[4] != "6" {
		t.Errorf("assigned and reopened: %v after %v", got, closed)
	}
	c.equalsOracle()
}

// TestT76EmptyReasonDiffersFromMissingEvent: an empty object means that no reason was recorded.
func TestT76EmptyReasonDiffersFromMissingEvent(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 60, emulator.Knobs{})
	c.readAfterHour()
	c.checkQuery("what events tell", `SELECT DISTINCT event_type, event_data::VARCHAR FROM conversation_parts
			WHERE event_type IS NOT NULL OR event_data IS NOT NULL ORDER BY 2`,
		`otp_email_verification_failed|{"otp_email_verification_failed":{"reason":"no_email"}}`, "otp_email_verification_failed|{}")
	c.mutateRoute("conversations.get", func(body []byte) []byte { return bytes.ReplaceAll(body, []byte(`"data":{},`), nil) })
	c.space.Advance(time.Hour)
	c.syncOnce(runner.Options{FullRefresh: true})
	c.checkQuery("where the key is not sent", `SELECT count(*) > 0, count(event_data), count(_extra) FROM conversation_parts
		WHERE event_type IS NOT NULL AND coalesce(event_data, '{}') = '{}'`, "true|0|0")
}

// TestT77CallHasOneIDInBothAPIs: the call in a part is the call of the calls API, also where one of the two sends its id as a number.
func TestT77CallHasOneIDInBothAPIs(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	config := conversationConfig(emulator.Knobs{})
	config.Conversations, config.Calls = 60, 40
	c := chatBed{contactBed{newBedWith(t, config, strings.Replace(talking, "[conversations]", "[conversations, calls]", 1))}}
	number := regexp.MustCompile(`"call_id":"(\d+)"`)
	c.mutateRoute("conversations.get", func(body []byte) []byte { return number.ReplaceAll(body, []byte(`"call_id":$1`)) })
	talk := c.openConversation(1)
	part, call, err := c.space.SummariseCall(talk)
	c.advanceAfter(err)
	c.readAfterHour()
	c.checkQuery("summaries, their calls, and those of another conversation", `SELECT count(*) > 20, count(*) = count(c.id), count(*) = count(DISTINCT call_id),
		count(*) FILTER (c.conversation_id <> p.conversation_id), count(*) FILTER (event_details->>'call_id' <> call_id), any_value(typeof(call_id))
		FROM conversation_parts p LEFT JOIN calls c ON c.id = p.call_id WHERE part_type = 'call_summary'`, "true|true|true|0|0|VARCHAR")
	body := "SELECT body FROM conversation_parts WHERE call_id = '" + call + "'"
	c.checkQuery("a summary that has no words yet", body, "∅")
	c.advanceAfter(c.space.FillCallSummary(talk, part, "<p>all is well</p>")) // without a new updated_at (T58)
	c.readAfterWeek()
	c.checkQuery("a summary", body, "<p>all is well</p>")
}
