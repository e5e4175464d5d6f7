package models_test

import "testing"

func TestTeammatesKeepTheirNamesAfterTheyHaveLeft(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("admins_all", "id|name|_gone_at", "1|Ada|", "2|Bo|2026-10-01 10:00:00", "5||"),
		insertRows("conversations_all", "id|created_at|source_author_type|source_author_id|source_author_name", "a|2026-10-19 10:00:00|admin|6|Fay", "b|2026-10-19 10:00:00|user|7|no admin"),
		insertRows("conversation_parts", "conversation_id|id|created_at|author_type|author_id|author_name",
			"a|1|2026-10-19 10:00:00|admin|1|Ada of old", "a|2|2026-10-19 10:00:00|admin|3|Cleo", "a|3|2026-10-19 11:00:00|admin|3|Cleo Smith", "a|4|2026-10-19 11:00:00|bot|70|a bot", "a|5|2026-10-19 12:00:00|admin|3|"))
	g.expectRows("SELECT admin_id, name, current FROM models.teammates",
		"1|Ada|true", "2|Bo|false", "3|Cleo Smith|false", "5|admin 5|true", "6|Fay|false")
}

// TestTeammatesAddUpToTheirBase: every admin who is named anywhere is there, once.
func TestTeammatesAddUpToTheirBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), count(DISTINCT admin_id), count(*) FILTER (current) FROM models.teammates",
		g.rowTexts(`SELECT count(*), count(*), (SELECT count(*) FROM main.admins) FROM (SELECT id FROM main.admins_all UNION SELECT author_id FROM main.conversation_parts WHERE author_type = 'admin' AND author_id IS NOT NULL
			UNION SELECT source_author_id FROM main.conversations WHERE source_author_type = 'admin' AND source_author_id IS NOT NULL)`)...)
}
