package models_test

import "testing"

func TestCompanyOverviewCountsAConversationInEachCompanyOfItsContacts(t *testing.T) {
	t.Parallel()
	g := newGolden(t, people, merged,
		"INSERT INTO _raw.contacts_raw BY NAME SELECT 'arc' AS id, 'user' AS role",
		"INSERT INTO main.contact_lifecycle BY NAME SELECT 'arc' AS id, 'archived' AS lifecycle, 'inactive list' AS reason, 'search' AS record_from",
		insertRows("companies_all", "id|name|user_count|_gone_at", "X|Ex|1|", "Y|Why|5|", "Z|Zed|0|", "none|None|0|", "left|Left|0|2026-07-20"),
		// lea's company is not ann's: after the merge her conversations are those of ann.
		insertRows("_raw.contact_companies_raw", "contact_id|company_id", "ann|X", "ben|X", "ben|Y", "lea|Y", "arc|Y", "ann|left"),
		insertRows("conversations_all", "id|created_at|state|company_id|_gone_at",
			"c1|2026-07-01|open||", "c2|2026-07-02|closed||", "c3|2026-07-03|snoozed||",
			"c4|2026-07-04|open|X|", "c5|2026-07-05|open||", "c6|2026-07-06|closed|Z|",
			"gone|2026-07-07|open|X|2026-07-20", "nobody|2026-07-08|open||"),
		insertRows("conversation_contacts", "conversation_id|contact_id", "c1|ann", "c2|lea", "c3|ben", "c4|ann", "c4|ben", "c5|arc", "c6|ann", "gone|ann"))
	// X has ann's c1, c2, c4 and c6 and ben's c3; c4 is of both and counts once. Y has ben's c3 and c4, and c5 of arc, who is archived.
	// Z has what is filed under it, and nobody.
	g.expectRows("SELECT company_id, user_count, people, users, leads, conversations, conversations_filed, open_conversations, snoozed_conversations, strftime(first_conversation_at, '%d'), strftime(last_conversation_at, '%d') FROM models.company_overview",
		"X|1|2|1|1|5|1|2|1|01|06",
		"Y|5|1|0|1|3|0|2|1|03|05",
		"Z|0|0|0|0|1|1|0|0|06|06",
		"none|0|0|0|0|0|0|0|0||")
	// Nine over companies, of six conversations that belong to any.
	g.expectRows("SELECT sum(conversations), sum(people) FROM models.company_overview", "9|3")
}

func TestCompanyOverviewHasEveryCompany(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), sum(people), sum(conversations_filed) FROM models.company_overview",
		g.rowTexts("SELECT (SELECT count(*) FROM main.companies), (SELECT count(*) FROM main.company_contacts JOIN main.companies ON id = company_id), (SELECT count(*) FROM main.conversations WHERE company_id IN (SELECT id FROM main.companies))")...)
	g.expectRows("SELECT sum(conversations) >= sum(conversations_filed) AND sum(conversations) > 0 FROM models.company_overview", "true")
}
