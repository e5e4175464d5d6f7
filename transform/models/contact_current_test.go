package models_test

import "testing"

func TestContactCurrentKeepsContactsThatWereNotMerged(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("_raw.contacts_raw", "id|role|email|created_at",
			"one|user|one@x|2026-03-01", "lead of one|lead|old@x|2026-01-01", "two|user||2026-02-01",
			"archived|user||2026-02-02", "deleted|lead||2026-02-03"),
		insertRows("contact_lifecycle", "id|lifecycle|inactive_since|merged_into_id|reason|record_from|role",
			"lead of one|merged|2026-04-01|one|event|search|",
			"archived|archived|2026-05-01||inactive list|search|",
			"deleted|deleted|2026-05-02||event|search|",
			"listed only|blocked|2026-05-03||inactive list|inactive list|lead",
			// Read by nobody before it was merged: it counts, and tells no creation.
			"unread lead|merged|2026-05-04|two|inactive list|inactive list|lead",
			"into nobody|merged|2026-05-05||inactive list|inactive list|lead",
			// Nothing was ever read of the one that it was merged into: a person all the same.
			"into unread|merged|2026-05-06|unread|event|inactive list|lead"),
		insertRows("contact_activities", "id|contact_id|event_type|role|created_at", "1|new|contact.created|lead|2026-05-07", // search does not find it yet
			// The list of inactive contacts has no times of creation. The feed tells them, also of a lead that was merged before it was read.
			"2|listed only|contact.created|lead|2026-01-04", "3|unread lead|contact.created|lead|2026-01-05", "4|one|contact.created|user|2026-03-02", "5|into nobody|contact.role_updated|user|2026-05-01"))
	g.expectRows("SELECT contact_id, lifecycle, role, email, merged_contacts, strftime(first_seen_at, '%m-%d'), strftime(inactive_since, '%m-%d') FROM models.contact_current",
		"one|active|user|one@x|1|01-01|", "two|active|user||1|01-05|", "archived|archived|user||0|02-02|05-01", "deleted|deleted|lead||0|02-03|05-02", "listed only|blocked|lead||0|01-04|05-03",
		"into nobody|merged|lead||0||05-05", "unread||||1||", "new|active|||0|05-07|")
	// Ten ids, and the unread one.
	g.expectRows("SELECT count(*) + sum(merged_contacts) FROM models.contact_current", "11")
	g.expectRows("SELECT count(*) FROM main.contact_identity", "10")
	g.expectRows("SELECT count(DISTINCT current_contact_id) FROM main.contact_identity", g.rowTexts("SELECT count(*) FROM models.contact_current")...)
}

func TestContactCurrentRollsUpTheWholeBase(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*) + sum(merged_contacts) FROM models.contact_current", g.rowTexts("SELECT count(*) FROM main.contact_identity")...)
	g.expectRows("SELECT count(*) FROM models.contact_current WHERE lifecycle = 'merged'", "0")
	// Nobody is first seen later than an event of creation says.
	g.expectRows(`SELECT count(*) > 0, count(*) FILTER (first_seen_at IS NULL OR first_seen_at > a.created_at) FROM models.contact_current c
		JOIN main.contact_identity i ON i.current_contact_id = c.contact_id JOIN main.contact_activities a ON a.contact_id = i.contact_id WHERE a.event_type = 'contact.created'`, "true|0")
}
