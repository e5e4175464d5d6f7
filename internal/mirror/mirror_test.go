package mirror

import (
	"strings"
	"testing"
)

var every = []string{"contacts", "contact_counts", "tags", "nothing"}

// TestEveryTableIsEqualAfterEachNight changes, adds and deletes rows for three nights. A second mirror of the same file commits nothing.
func TestEveryTableIsEqualAfterEachNight(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	if r := y.mirror(); r.Tables != 4 || r.Changed != 3 || r.Added != 1000+2+5 || r.Removed != 0 {
		t.Errorf("the first mirror: %+v", r)
	}
	y.expectEqual(every...)
	for _, night := range []string{
		"UPDATE contacts SET name = 'renamed', _hash = 'x' WHERE age BETWEEN 10 AND 19; DELETE FROM contacts WHERE age > 990",
		"INSERT INTO contacts SELECT * REPLACE ('new' || id AS id) FROM contacts WHERE age < 5; DELETE FROM tags WHERE rowid = 0; INSERT INTO tags VALUES ('b'), ('c')",
		"UPDATE contacts SET extra = NULL WHERE age < 30; INSERT INTO nothing VALUES ('something', now()); DELETE FROM tags",
	} {
		y.publish(night)
		if r := y.mirror(); r.Changed == 0 || len(r.Notes) > 0 {
			t.Errorf("the night of %s: %+v", night, r)
		}
		y.expectEqual(every...)
		before := y.requests.Load()
		if r := y.mirror(); r.Changed != 0 || y.requests.Load() != before {
			t.Errorf("the second mirror: %+v, with %d requests that write", r, y.requests.Load()-before)
		}
	}
}

// TestColumnsFollowThePublishedFile adds, removes and widens columns.
func TestColumnsFollowThePublishedFile(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.mirror()
	y.publish("DROP VIEW contact_counts; ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' || age WHERE age < 100; ALTER TABLE contacts DROP COLUMN active; ALTER TABLE contacts ALTER age TYPE VARCHAR")
	r := y.mirror()
	y.expectEqual("contacts", "tags", "nothing")
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "contact_counts is no longer in the published file") {
		t.Errorf("it says %s", notes)
	}
}
