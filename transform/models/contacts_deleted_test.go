package models_test

import "testing"

// TestContactsDeletedHasEachWayOfDeletionAndNothingElse fills the evidence by hand: the relation reads it, and no personal data.
func TestContactsDeletedHasEachWayOfDeletionAndNothingElse(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("_raw.contacts_raw", "id|role|email|created_at", "active|user|a@x|2026-01-01", "archived|user|b@x|2026-01-02", "blocked|user|c@x|2026-01-03",
			"merged|lead|d@x|2026-01-04", "asked|user|e@x|2026-01-05", "event|lead|f@x|2026-01-06", "not found|user|g@x|2026-01-07"),
		insertRows("contact_lifecycle", "id|lifecycle|inactive_since|merged_into_id|reason|record_from|email",
			"archived|archived|2026-05-01||inactive list|search|", "blocked|blocked|2026-05-02||inactive list|search|", "merged|merged|2026-05-03|active|event|search|",
			"asked|pending_deletion|2026-05-04||inactive list|search|e@x", "event|deleted|2026-05-05||event|search|", "not found|deleted|2026-05-06||read by id|search|",
			// No record of it was ever read.
			"erased|permanently_deleted|2026-05-07||inactive list|inactive list|", "unread|deleted|||event|inactive list|",
			// Another status that the source may send one day is no deletion.
			"other|sleeping|2026-05-08||inactive list|inactive list|"),
		insertRows("contact_activities", "id|contact_id|event_type|role|created_at", "1|erased|contact.created|user|2026-01-08", "2|asked|contact.created|user|2026-01-01",
			"3|unread|contact.deleted|lead|2026-05-09"))
	g.expectRows("SELECT id, how, strftime(deleted_at, '%m-%d'), strftime(first_seen_at, '%m-%d'), certainty FROM main.contacts_deleted",
		"asked|pending_deletion|05-04|01-05|stated", "event|deleted|05-05|01-06|stated", "not found|deleted|05-06|01-07|inferred",
		"erased|permanently_deleted|05-07|01-08|stated", "unread|deleted|||stated")
	g.expectRows("SELECT column_name FROM _sync.dictionary WHERE table_name = 'contacts_deleted' AND pii")
}

// TestContactsDeletedAreTheInactiveOnesThatNobodyCanReactivate compares the relation with the lifecycles of a whole workspace.
func TestContactsDeletedAreTheInactiveOnesThatNobodyCanReactivate(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT id, how, deleted_at::VARCHAR FROM main.contacts_deleted",
		g.rowTexts("SELECT id, lifecycle, inactive_since::VARCHAR FROM main.contacts_inactive WHERE lifecycle NOT IN ('merged', 'archived', 'blocked')")...)
	g.expectRows("SELECT count(DISTINCT how) FROM main.contacts_deleted", "3")
	g.expectRows("SELECT DISTINCT certainty FROM main.contacts_deleted", "stated")
}
