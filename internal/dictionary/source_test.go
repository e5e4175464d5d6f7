package dictionary

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// expectedSources are the sources of columns that are in several of the relations that the SQL reads, or that have another name there; - is for those that
// are computed, although a relation has a column of their name. They were compared with the SQL by eye.
var expectedSources = map[string]string{
	"models.ai_resolution":            "conversation_id=conversations.id",
	"models.article_effectiveness":    "article_id=articles.id title=articles.title state=articles.state author_id=articles.author_id url=articles.url created_at=articles.created_at updated_at=articles.updated_at reactions_per_view=-",
	"models.assigned_bots":            "id=conversation_parts.assigned_to_id",
	"models.calls_with_parts":         "call_id=calls.id conversation_id=calls.conversation_id contact_id=contact_identity.current_contact_id state=calls.state conversation_state=conversations.state conversation_created_at=conversations.created_at talk_time=-",
	"models.company_overview":         "company_id=companies.id external_id=companies.external_id name=companies.name created_at=companies.created_at",
	"models.contact_current":          "contact_id=contact_identity.current_contact_id lifecycle=contacts_all.lifecycle role=contacts_all.role external_id=contacts_all.external_id created_at=contacts_all.created_at",
	"models.conversation_messages":    "conversation_id=conversation_parts.conversation_id author_type=conversation_parts.author_type author_id=conversation_parts.author_id",
	"models.conversation_metrics":     "conversation_id=conversations.id created_at=conversations.created_at state=conversations.state admin_assignee_id=conversations.admin_assignee_id team_assignee_id=conversations.team_assignee_id parts_reported=conversations.statistics_count_conversation_parts waiting_since=-",
	"models.csat":                     "conversation_id=conversations.id contact_id=contact_identity.current_contact_id rated_id=conversations.rating_teammate_id",
	"models.first_contact_resolution": "conversation_id=conversations.id reopened=models.state_intervals.reopened",
	"models.reply_pairs":              "conversation_id=conversation_parts.conversation_id",
	"models.segment_trend":            "segment_id=segments_daily.id",
	"models.sla": "conversation_id=conversations.id created_at=models.conversation_metrics.created_at state=models.conversation_metrics.state admin_assignee_id=models.conversation_metrics.admin_assignee_id " +
		"team_assignee_id=models.conversation_metrics.team_assignee_id waiting_since=models.conversation_metrics.waiting_since",
	"models.state_intervals": "state=conversation_parts.state",
	"models.ticket_cycle":    "ticket_id=tickets.id number=tickets.number admin_assignee_id=tickets.admin_assignee_id team_assignee_id=tickets.team_assignee_id created_at=tickets.created_at parts_reported=tickets.part_count",
	"contacts_all":           "id=contacts_raw.id external_id=contacts_raw.external_id role=contacts_raw.role email=contacts_raw.email created_at=contacts_raw.created_at utm_term=contacts_raw.utm_term lifecycle=contact_lifecycle.lifecycle",
	"contact_tags":           "contact_id=contact_tags_raw.contact_id tag_id=contact_tags_raw.tag_id",
	"call_recordings":        "call_id=calls.id",
	"consultations":          "duration_seconds=hitl_events.duration_seconds",
}

func TestSourcesOfColumnsAreThoseOfTheSQL(t *testing.T) {
	t.Parallel()
	d := builtinDictionary(t)
	tables := d.Models
	for _, s := range d.Streams {
		tables = append(tables, s.Tables...)
	}
	for name, columns := range expectedSources {
		at := slices.IndexFunc(tables, func(table DictionaryTable) bool { return table.Name == name })
		if at < 0 {
			t.Fatalf("there is no %s", name)
		}
		from := map[string]string{}
		for _, c := range tables[at].Columns {
			from[c.Name] = fmt.Sprint(c.From)
		}
		for _, column := range strings.Fields(columns) {
			column, want, _ := strings.Cut(column, "=")
			if want = "[" + strings.TrimPrefix(want, "-") + "]"; from[column] != want {
				t.Errorf("%s.%s comes from %s, not from %s", name, column, from[column], want)
			}
		}
	}
	requireCommentsOfSources(t, tables)
}

// requireCommentsOfSources fails the test when a model has the comment of another column of that name than the one that it shows.
func requireCommentsOfSources(t *testing.T, tables []DictionaryTable) {
	t.Helper()
	docs := map[string]string{}
	for _, table := range tables {
		for _, c := range table.Columns {
			docs[table.Name+"."+c.Name] = c.Doc
		}
	}
	inherited := 0
	for _, table := range tables {
		for _, c := range table.Columns {
			source := strings.Join(c.From, " ")
			if c.Name == "conversation_id" { // its own comments say the same everywhere
				continue
			}
			if doc, known := docs[source]; known && strings.HasSuffix(source, "."+c.Name) && doc != c.Doc && slices.ContainsFunc(table.Reads, func(read string) bool { return docs[read+"."+c.Name] == c.Doc }) {
				t.Errorf("%s.%s comes from %s, and has the comment of another column: %s", table.Name, c.Name, source, c.Doc)
			} else if known && doc == c.Doc {
				inherited++
			}
		}
	}
	if inherited < 100 {
		t.Errorf("%d columns have the comment of their source", inherited)
	}
}
