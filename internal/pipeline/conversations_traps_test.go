package pipeline_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
)

// talking reads conversations only.
const talking = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {streams: [conversations]}
`

// chatBed is a workspace with a handful of conversations, which a test changes.
type chatBed struct{ contactBed }

func newChatBed(t testing.TB, conversations int, k emulator.Knobs) chatBed {
	t.Helper()
	c := conversationConfig(k)
	c.Conversations = conversations
	return chatBed{contactBed{newBedWith(t, c, talking)}}
}

// openConversation has a contact begin a conversation with n parts.
func (c chatBed) openConversation(parts int) string {
	c.t.Helper()
	id, err := c.space.OpenConversation(c.space.ContactIDs("active")[0], parts)
	c.advanceAfter(err)
	return id
}

// readAfterHour runs the pipeline an hour later, when the search index is up to date.
func (c chatBed) readAfterHour() *runlog.Report {
	c.t.Helper()
	c.space.Advance(time.Hour)
	return c.syncOnce(runner.Options{})
}

// readAfterWeek runs the pipeline a week later, when it looks for silent changes.
func (c chatBed) readAfterWeek() *runlog.Report {
	c.t.Helper()
	c.space.Advance(8 * 24 * time.Hour)
	return c.syncOnce(runner.Options{})
}

// checkQuery compares the result of a query.
func (c chatBed) checkQuery(what, sql string, want ...string) {
	c.t.Helper()
	if got := c.queryRows(sql); !slices.Equal(got, want) {
		c.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// equalsOracle compares the published conversations with the oracle.
func (c chatBed) equalsOracle() {
	c.t.Helper()
	oracletest.CompareConversations(c.t, c.space, c.runner.Dir.Current())
}

// mutateRoute changes the answers of a route from now on.
func (c chatBed) mutateRoute(route string, change func(body []byte) []byte) {
	c.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(name string, body []byte) []byte {
			if name == route {
				return change(body)
			}
			return body
		}
	})
}

// countSingleReads counts the requests for single conversations since request n.
func (c chatBed) countSingleReads(n int) int {
	return c.countRequests(n, "/conversations/", "/conversations/search")["/conversations/"]
}

// incompleteConversations counts the stored conversations with another number of parts than the API states.
const incompleteConversations = `SELECT count(*) FROM conversations c WHERE statistics_count_conversation_parts <>
	(SELECT count(*) FROM conversation_parts p WHERE p.conversation_id = c.id)`

// TestT54AnswerWithNoneOrBothListNamesStopsTheStream: the list of a search has one of two names. An answer with neither or both is an error, and
// not an empty list.
func TestT54AnswerWithNoneOrBothListNamesStopsTheStream(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{})
	c.readAfterHour()
	before, mark := c.queryRows("SELECT count(*) FROM conversations"), c.checkpointState("conversations")
	c.advanceAfter(c.space.ReplyConversation(c.space.ConversationIDs()[0], conversations.ByContact, "<p>hello</p>"))
	for name, list := range map[string]string{"neither": `"items":[`, "both": `"data":[],"conversations":[`} {
		c.mutateRoute("conversations.search", func(body []byte) []byte {
			return bytes.Replace(body, []byte(`"conversations":[`), []byte(list), 1)
		})
		c.space.Advance(time.Hour)
		report := c.trySync(runner.Options{})
		if s := streamResult(t, report, "conversations"); report.Exit() != problem.ExitFailed || s.Class != "data" {
			t.Errorf("%s: %s\n%+v", name, report.LastLine(), s)
		}
		c.checkQuery(name, "SELECT count(*) FROM conversations", before...)
		if now := c.checkpointState("conversations"); now != mark {
			t.Errorf("%s: the mark went from %s to %s", name, mark, now)
		}
	}
	c.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = nil })
	c.readAfterHour()
	c.equalsOracle()
}

// TestT55PartsAddedDuringAPageAreNotLost adds a part after the search has answered, before the conversation is read, and another one right after
// that. Every read has all parts.
func TestT55PartsAddedDuringAPageAreNotLost(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{})
	id := c.openConversation(3)
	c.space.Advance(time.Hour)
	c.onFirstRequest("/conversations/"+id, func() {
		c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "<p>before it is read</p>"))
	})
	c.syncOnce(runner.Options{})
	parts := "SELECT count(*) FROM conversation_parts WHERE conversation_id = '" + id + "'"
	c.checkQuery("with the part that came in between", parts, "4")
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByTeammate, "<p>after it was read</p>"))
	c.onFirstRequest("/conversations/search", func() {
		c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "<p>while it is searched</p>"))
	})
	c.readAfterHour()
	c.readAfterHour()
	c.checkQuery("all parts", parts, "6")
	c.equalsOracle()
}

// TestT56ConversationAndItsPartsAreCommittedTogether: the request for one conversation fails, and then runs are interrupted at one request after
// the other. Stored conversations are never incomplete, and none is lost.
func TestT56ConversationAndItsPartsAreCommittedTogether(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 12, emulator.Knobs{NoLag: true})
	bad := c.openConversation(5)
	c.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, bad) {
			return &fault.Fault{Status: http.StatusInternalServerError}
		}
		return nil
	})
	c.space.Advance(time.Hour)
	for range 2 {
		report := c.trySync(runner.Options{})
		aside := slices.ContainsFunc(report.Findings, func(f load.Finding) bool { return f.Name == "incomplete" && strings.Contains(f.Message, bad) })
		if s := streamResult(t, report, "conversations"); report.Exit() != problem.ExitFailed || s.Status != "ok" || !aside {
			t.Errorf("%s\n%+v\n%+v", report.LastLine(), s, report.Findings)
		}
	}
	c.checkQuery("the one that failed", "SELECT count(*) FROM conversations WHERE id = '"+bad+"'", "0")
	c.checkQuery("halves after a failed reading", incompleteConversations, "0")
	c.space.InjectFaults(nil)
	c.readAfterHour()
	c.checkQuery("halves", incompleteConversations, "0")
	c.equalsOracle()

	for n := range 4 {
		for _, id := range c.space.ConversationIDs()[:6] {
			c.advanceAfter(c.space.ReplyConversation(id, conversations.ByTeammate, fmt.Sprint("<p>", n, "</p>")))
		}
		c.space.Advance(time.Hour)
		c.interruptAfter(2 + n)
	}
	c.readAfterHour()
	c.checkQuery("halves after interruptions", incompleteConversations, "0")
	c.equalsOracle()
}

// TestT57PartsBeyondTheNewest500Stay: an answer has the newest 500. Parts that were read earlier stay, and the number of parts that the source
// states shows that others cannot be read any more.
func TestT57PartsBeyondTheNewest500Stay(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 14, emulator.Knobs{})
	tests := []struct{ parts, first, then int }{{499, 499, 502}, {500, 500, 503}, {501, 500, 503}, {1200, 500, 503}}
	stored := func(id string) string {
		return c.queryRows(`SELECT (SELECT count(*) FROM conversation_parts p WHERE p.conversation_id = c.id), statistics_count_conversation_parts
			FROM conversations c WHERE id = '` + id + "'")[0]
	}
	var ids []string
	for _, tt := range tests {
		ids = append(ids, c.openConversation(tt.parts))
	}
	c.readAfterHour()
	for i, tt := range tests {
		if got, want := stored(ids[i]), fmt.Sprint(tt.first, "|", tt.parts); got != want {
			t.Errorf("of %d parts: got %s, want %s", tt.parts, got, want)
		}
		for range 3 {
			c.advanceAfter(c.space.ReplyConversation(ids[i], conversations.ByTeammate, "<p>one more</p>"))
		}
	}
	c.readAfterHour()
	for i, tt := range tests {
		if got, want := stored(ids[i]), fmt.Sprint(tt.then, "|", tt.parts+3); got != want {
			t.Errorf("of %d parts and three more: got %s, want %s", tt.parts, got, want)
		}
	}
	c.checkQuery("the first part of a conversation of 500", "SELECT min(id::BIGINT) FROM conversation_parts WHERE conversation_id = '"+ids[1]+"'",
		c.space.PartIDs(ids[1])[0])
	c.equalsOracle()
}

// TestT59RedactedTextIsInNoRow: null replaces the body, its plain text and the files, with and without a new updated_at.
func TestT59RedactedTextIsInNoRow(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 60, emulator.Knobs{NoLag: true})
	id := c.openConversation(2)
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "<p>"+canary+"told</p>"),
		c.space.ReplyConversation(id, conversations.ByNote, "<p>"+canary+"quietly</p>"),
		c.space.ReplyConversation(id, conversations.ByContact, "<p>"+visible+"stays</p>"))
	c.readAfterHour()
	files := strings.Split(c.queryRows(`SELECT conversation_id, part_id FROM conversation_attachments JOIN conversations ON id = conversation_id
		ORDER BY updated_at DESC LIMIT 1`)[0], "|")
	begun := c.queryRows("SELECT conversation_id FROM conversation_source_attachments LIMIT 1")[0]
	said := `SELECT count(*), count(body), count(text), count(*) FILTER (redacted) FROM conversation_parts
		WHERE conversation_id = '` + id + "' AND id IN ('%s', '%s')"
	parts := c.space.PartIDs(id)
	c.checkQuery("before", fmt.Sprintf(said, parts[2], parts[3]), "2|2|2|0")
	c.advanceAfter(c.space.RedactPart(id, parts[2], true), c.space.RedactPart(id, parts[3], false),
		c.space.RedactPart(files[0], files[1], true), c.space.RedactPart(begun, "", true))
	c.readAfterWeek()
	c.checkQuery("two redacted parts", fmt.Sprintf(said, parts[2], parts[3]), "2|0|0|2")
	c.checkQuery("a part with files", `SELECT body, text, redacted,
			(SELECT count(*) FROM conversation_attachments a WHERE a.conversation_id = p.conversation_id AND part_id = id)
		FROM conversation_parts p WHERE conversation_id = '`+files[0]+`' AND id = '`+files[1]+"'", "∅|∅|true|0")
	c.checkQuery("a source with files", `SELECT source_body, source_text, source_redacted,
			(SELECT count(*) FROM conversation_source_attachments WHERE conversation_id = id)
		FROM conversations WHERE id = '`+begun+"'", "∅|∅|true|0")
	c.noCanaryInTables()
	c.equalsOracle()
}

// TestUnchangedConversationCostsNoRequest: a conversation that search shows as stored is not read by id.
func TestUnchangedConversationCostsNoRequest(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := newChatBed(t, 30, emulator.Knobs{})
	changed := c.openConversation(2)
	c.readAfterHour()
	if n := c.countSingleReads(0); n < 31 {
		t.Errorf("%d of 31 conversations were read by themselves at first", n)
	}
	quiet := c.space.RequestCount()
	if report := c.readAfterHour(); c.countSingleReads(quiet) != 0 || report.TotalRows() != 0 {
		t.Errorf("%d readings and %d rows in a run without news", c.countSingleReads(quiet), report.TotalRows())
	}
	c.advanceAfter(c.space.ReplyConversation(changed, conversations.ByContact, "<p>again</p>"))
	busy := c.space.RequestCount()
	if c.readAfterHour(); c.countSingleReads(busy) != 1 {
		t.Errorf("%d readings after one conversation changed", c.countSingleReads(busy))
	}
	c.equalsOracle()
}
