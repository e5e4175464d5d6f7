package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/pipeline"
)

// TestRequestsOfAChangedRecord changes some records of every kind that are not read as a whole list anyway, and holds what the next run
// asks for beyond a quiet one against the least possible: a page for each so many, and each by itself where it is read so.
func TestRequestsOfAChangedRecord(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 171, Contacts: 300, Inactive: 30, Activities: 300, Conversations: 80},
		strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", `"*"`, 1))
	some := pipeline.Options{Exclude: []string{"reporting*"}}
	b.sync(some)
	b.space.Advance(25 * time.Hour)
	b.sync(some)
	quiet := b.sync(some)
	const n = 30
	for i, id := range b.space.IDs("active")[:2*n] {
		if i < n {
			b.must(b.space.UpdateContact(id, emulator.Change{Field: "name", Value: fmt.Sprint("new ", i)}))
		} else {
			b.must(b.space.Archive(id))
		}
	}
	for i, id := range b.space.ConversationIDs()[:n] {
		b.must(b.space.ReplyConversation(id, emulator.ByTeammate, fmt.Sprint("answer ", i)))
	}
	for _, id := range b.rows(fmt.Sprint("SELECT id FROM companies ORDER BY id LIMIT ", n)) {
		b.must(b.space.UpdateCompany(id, emulator.Change{Field: "name", Value: "new"}))
	}
	b.space.AddLogs(n, time.Hour)
	b.space.Advance(time.Hour)
	changed := b.sync(some)
	for _, s := range b.runner.Catalogue.Streams() {
		i := slices.IndexFunc(changed.Streams, func(r pipeline.StreamResult) bool { return r.Stream == s.Name })
		if i < 0 {
			fmt.Println("??", s.Name)
			continue
		}
		now, before := changed.Streams[i], stream(t, quiet, s.Name)
		fmt.Println(s.Name, now.New+now.Changed, "requests", before.Requests, now.Requests, "least", float64(now.New+now.Changed)*s.Change())
	}
}
