package models_test

import "testing"

func TestConversationMessagesAreWhatTheContactCouldSee(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("conversations_all", "id|created_at|source_author_type|source_author_id", "a|2026-10-19 10:00:00|user|u", "b|2026-10-19 10:00:00|admin|1", "c|2026-10-19 10:00:00|bot|70"),
		insertParts(`
			a | 2026-10-19 10:01:00 | note by admin 1 | | | not seen
			a | 2026-10-19 10:02:00 | comment by ai 71 | | | words
			a | 2026-10-19 10:03:00 | assignment by admin 1 | | admin 2 2 - |
			a | 2026-10-19 10:04:00 | assignment by admin 1 | | admin 2 2 - | redacted
			a | 2026-10-19 10:05:00 | close by admin 1 | closed | | words
			a | 2026-10-19 10:06:00 | close by bot 70 | closed | | words of a bot
			a | 2026-10-19 10:07:00 | open by admin 1 | open | | <p>words</p>
			a | 2026-10-19 10:08:00 | snoozed by admin 1 | snoozed | | <br>
			b | 2026-10-19 10:01:00 | quick_reply by lead l
			b | 2026-10-19 10:02:00 | quick_reply by bot 70
			b | 2026-10-19 10:03:00 | comment by team t
			b | 2026-10-19 10:04:00 | comment
			gone | 2026-10-19 10:01:00 | comment by user u | | | of no conversation`))
	g.expectRows("SELECT conversation_id, part_id, author_kind, author_id FROM models.conversation_messages",
		"a|source|contact|u", "a|2|ai|71", "a|4|human|1", "a|5|human|1", "a|7|human|1",
		"b|source|human|1", "b|1|contact|l", "b|3|workflow|t", "b|4||", "c|source|workflow|70")
}

// TestConversationMessagesAddUpToTheirBase counts the comments and the first messages of a whole workspace.
func TestConversationMessagesAddUpToTheirBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*) FILTER (part_id = 'source'), count(DISTINCT (conversation_id, part_id)) = count(*), count(*) FILTER (author_kind IS NULL) FROM models.conversation_messages",
		g.rowTexts("SELECT count(*), true, (SELECT count(*) FROM models.conversation_messages WHERE author_type NOT IN ('user', 'lead', 'admin', 'bot', 'team') OR author_type IS NULL) FROM main.conversations")...)
	g.expectRows("SELECT count(*) FROM models.conversation_messages m JOIN main.conversation_parts p ON p.conversation_id = m.conversation_id AND p.id = m.part_id WHERE p.part_type = 'comment'",
		g.rowTexts("SELECT count(*) FROM main.conversation_parts WHERE part_type = 'comment' AND conversation_id IN (SELECT id FROM main.conversations)")...)
}
