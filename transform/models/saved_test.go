package models_test

import (
	"slices"
	"strings"
	"testing"

	"aqueduck/docs/queries"
)

// savedAnswer is a saved query as a subquery.
func savedAnswer(t *testing.T, name string) string {
	t.Helper()
	all, err := queries.All()
	must(t, err)
	at := slices.IndexFunc(all, func(q queries.Query) bool { return q.Name == name })
	if at < 0 {
		t.Fatalf("there is no saved query %s", name)
	}
	return "(" + strings.TrimSuffix(strings.TrimSpace(all[at].SQL), ";") + ")"
}

// TestAnswersCountForTheTeamThatWasAssignedBeforeThem has workflows that assign a team and a teammate in one second, in both orders, words with an
// assignment to another team, an assignment just after an answer, and a conversation without a team.
func TestAnswersCountForTheTeamThatWasAssignedBeforeThem(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("teams_all", "id|name", "t1|One", "t2|Two"),
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type",
			"first  |2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "second|2026-10-20 10:00:00|2026-10-20 12:00:00|open|user",
			"passed |2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "then  |2026-10-20 10:00:00|2026-10-20 12:00:00|open|user",
			"at_once|2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "nobody|2026-10-20 10:00:00|2026-10-20 12:00:00|open|user"),
		insertParts(`
			first   | 2026-10-20 10:00:05 | assignment by bot 70  | open | team t1 - t1
			first   | 2026-10-20 10:00:05 | assignment by bot 70  | open | admin 1 1 -
			first   | 2026-10-20 10:30:00 | comment by admin 1    | open | | Hello.
			second  | 2026-10-20 10:00:05 | assignment by bot 70  | open | admin 1 1 -
			second  | 2026-10-20 10:00:05 | assignment by bot 70  | open | team t1 - t1
			second  | 2026-10-20 10:30:00 | comment by admin 1    | open | | Hello.
			passed  | 2026-10-20 10:00:05 | assignment by bot 70  | open | team t1 - t1
			passed  | 2026-10-20 10:30:00 | assignment by admin 1 | open | team t2 - t2 | My colleagues will look into it.
			then    | 2026-10-20 10:00:05 | assignment by bot 70  | open | team t1 - t1
			then    | 2026-10-20 10:30:00 | comment by admin 1    | open | | Hello.
			then    | 2026-10-20 10:30:00 | assignment by bot 70  | open | team t2 - t2
			at_once | 2026-10-20 10:30:00 | assignment by admin 1 | open | team t1 - t1
			at_once | 2026-10-20 10:30:00 | comment by admin 1    | open | | Hello.
			nobody  | 2026-10-20 10:00:05 | assignment by bot 70  | open | team t1 - t1
			nobody  | 2026-10-20 10:01:00 | assignment by bot 70  | open | nobody_admin - 0 0
			nobody  | 2026-10-20 10:30:00 | comment by admin 1    | open | | Hello.`),
		"UPDATE _sync.freshness SET synced_to = TIMESTAMPTZ '2026-10-30 12:00:00Z'")
	g.expectRows("SELECT team, answers FROM "+savedAnswer(t, "replies_by_team"), "One|5", "no team|1")
	g.expectRows("SELECT week_date::VARCHAR, team, answers FROM "+savedAnswer(t, "office_hours_by_team_and_week"), "2026-10-19|One|5", "2026-10-19|no team|1")
}

// TestAMessageOfABotBeforeTheContactWroteAnswersNothing has conversations that a workflow began and went on with, before and after the contact wrote.
func TestAMessageOfABotBeforeTheContactWroteAnswersNothing(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type",
			"before|2026-10-20 10:00:00|2026-10-20 12:00:00|open|bot", "both|2026-10-20 10:00:00|2026-10-20 12:00:00|open|bot",
			"after |2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "human|2026-10-20 10:00:00|2026-10-20 12:00:00|open|bot"),
		insertParts(`
			before | 2026-10-20 10:00:05 | comment by bot 70  | | | Hello!
			before | 2026-10-20 10:30:00 | comment by user u1 | | | Hello.
			both   | 2026-10-20 10:00:05 | comment by bot 70  | | | Hello!
			both   | 2026-10-20 10:30:00 | comment by user u1 | | | Hello.
			both   | 2026-10-20 10:30:05 | comment by ai 71   | | | What is it about?
			after  | 2026-10-20 10:30:05 | comment by bot 70  | | | What is it about?
			human  | 2026-10-20 10:00:05 | comment by bot 70  | | | Hello!
			human  | 2026-10-20 10:30:00 | comment by user u1 | | | Hello.
			human  | 2026-10-20 10:40:00 | comment by admin 1 | | | Hello.`),
		"UPDATE _sync.freshness SET synced_to = TIMESTAMPTZ '2026-10-30 12:00:00Z'")
	g.expectRows("SELECT conversations, by_a_human, by_a_bot_alone, by_nobody FROM "+savedAnswer(t, "replies_by_week")+" WHERE conversations > 0", "4|1|2|1")
}

// TestFirstResponsesAreThoseOfAllConversations has first responses of a human before and after the AI agent answered the contact: that one answers no wait.
func TestFirstResponsesAreThoseOfAllConversations(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("teams_all", "id|name", "t1|One"),
		insertRows("conversations_all", "id|created_at|updated_at|state|source_author_type",
			"human|2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "ai|2026-10-20 10:00:00|2026-10-20 12:00:00|open|user", "later|2026-10-16 10:00:00|2026-10-20 12:00:00|open|user"),
		insertParts(`
			human | 2026-10-20 10:00:05 | assignment by bot 70 | open | team t1 - t1
			human | 2026-10-20 10:10:00 | comment by admin 1   | open | | Hello.
			human | 2026-10-20 10:20:00 | comment by user u    | open | | Thanks.
			human | 2026-10-20 10:21:00 | comment by admin 1   | open | | Bye.
			ai    | 2026-10-20 10:00:05 | comment by ai 71     | open | | A colleague will answer.
			ai    | 2026-10-20 10:00:05 | assignment by bot 70 | open | team t1 - t1
			ai    | 2026-10-20 10:30:00 | comment by admin 1   | open | | Hello.
			later | 2026-10-16 10:00:05 | comment by ai 71     | open | | A colleague will answer.
			later | 2026-10-20 10:00:00 | comment by admin 1   | open | | Hello.`),
		"UPDATE _sync.freshness SET synced_to = TIMESTAMPTZ '2026-10-30 12:00:00Z'")
	g.expectRows("SELECT week_date::VARCHAR, team, answers, median_office_minutes, first_responses, median_first_office_minutes FROM "+savedAnswer(t, "office_hours_by_team_and_week"),
		"2026-10-19|One|2|5.5|2|20", "2026-10-12|no team|0||1|960")
}
