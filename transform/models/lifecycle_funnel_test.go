package models_test

import "testing"

func TestLifecycleFunnelFollowsContactsFromTheDayOfTheirCreation(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("_raw.contacts_raw", "id|role|created_at",
			"lead|lead|2026-07-01 10:00:00",
			"made user|user|2026-07-01 10:00:00",
			"merged|lead|2026-07-01 10:00:00",
			"user|user|2026-07-01 10:00:00",
			"unsaid|user|2026-07-01 10:00:00", // no event: nothing says that it was a lead
			"archived|user|2026-07-01 23:30:00",
			"blocked|lead|2026-07-01 23:30:00"),
		insertRows("contact_lifecycle", "id|lifecycle|merged_into_id|reason|record_from|role",
			"merged|merged|user|event|search|", "archived|archived||inactive list|search|", "blocked|blocked||inactive list|search|",
			"deleted|deleted||event|inactive list|user", "forgotten|permanently_deleted||inactive list|inactive list|",
			"listed|merged|user|inactive list|inactive list|",     // only leads are merged
			"unknown|archived||inactive list|inactive list|lead"), // nothing tells of its creation
		insertRows("contact_activities", "id|contact_id|event_type|role|created_at",
			"1|made user|contact.created|lead|2026-07-01 10:00:00", "2|made user|contact.role_updated|user|2026-07-09",
			"3|user|contact.created|user|2026-07-01 10:00:00",
			"4|archived|contact.role_updated|user|2026-07-09", // so it was a lead, though its creation came before the feed
			"5|deleted|contact.created|lead|2026-07-02 10:00:00", "6|deleted|contact.role_updated|user|2026-07-03", "7|deleted|contact.deleted||2026-07-04",
			"8|forgotten|contact.created|lead|2026-07-02 10:00:00", "11|forgotten|contact.role_updated|user|2026-07-03", // nothing else tells that it was a user
			"10|listed|contact.created||2026-07-02 10:00:00",
			"9|new|contact.created|lead|2026-07-03 10:00:00")) // search does not find it yet
	// 1 July: lead, made user, merged, user, unsaid. 2 July, which began at 23:00 UTC: archived, blocked, deleted, forgotten, listed. 3 July: new.
	g.expectRows("SELECT strftime(cohort_date, '%m-%d'), contacts, leads_created, users_created, became_users, active, archived, blocked, merged, deleted FROM models.lifecycle_funnel",
		"07-01|5|3|2|1|4|0|0|1|0", "07-02|5|5|0|3|0|1|1|1|2", "07-03|1|1|0|0|1|0|0|0|0")
	g.expectRows("SELECT sum(contacts) FROM models.lifecycle_funnel", "11") // of twelve ids
	g.expectRows("SELECT count(*) FROM main.contact_identity", "12")
}

func TestLifecycleFunnelAddsUpToTheBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*) FROM models.lifecycle_funnel WHERE contacts <> active + archived + blocked + merged + deleted OR contacts <> leads_created + users_created OR became_users > leads_created", "0")
	g.expectRows("SELECT sum(contacts), sum(merged) FROM models.lifecycle_funnel",
		g.rowTexts(`SELECT count(*), count(*) FILTER (i.lifecycle = 'merged') FROM main.contact_identity i LEFT JOIN main.contacts_all a ON a.id = i.contact_id
			WHERE a.created_at IS NOT NULL OR i.contact_id IN (SELECT contact_id FROM main.contact_activities WHERE event_type = 'contact.created')`)...)
}
