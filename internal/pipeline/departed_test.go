package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// TestT36DeletionTimeComesFromTheEvent un-archives a contact and deletes it in a way that no list shows. The answer by id shows only that it is
// gone; the event has the time.
func TestT36DeletionTimeComesFromTheEvent(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := smallConfig()
	c.ListDeletes = emulator.ListNone
	b := newBed(t, c)
	id := b.space.ContactIDs("active")[3]
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b.space.Advance(time.Minute)
	}
	do(b.space.ArchiveContact(id))
	b.syncOnce(runner.Options{})
	do(b.space.UnarchiveContact(id, false))
	do(b.space.DeleteContact(id))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}
