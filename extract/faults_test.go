package extract_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/schemas"
)

// Holds: F6.
func TestEmulatorFaultsLoseNothing(t *testing.T) {
	t.Parallel()
	single := []string{"error=%s", "429=%s", "reset=%s", "truncate=%s", "garbage=%s", "html404=%s"}
	mixed := []string{"error=%[1]s:500,429=%[1]s,reset=%[1]s,truncate=%[1]s,garbage=%[1]s"} // at 0.3 each no answer would succeed
	for p, kinds := range map[string][]string{"0.01": mixed, "0.05": mixed, "0.1": mixed, "0.3": single} {
		for _, faults := range kinds {
			chaos := fmt.Sprintf(faults, p)
			t.Run(chaos, func(t *testing.T) {
				t.Parallel()
				c := emulatedCopy(t, emulator.Config{Seed: 4, Contacts: 100, Knobs: emulator.Knobs{Chaos: chaos}})
				all := []*schemas.Stream{builtinStream(t, "contacts"), builtinStream(t, "deleted_contacts"), builtinStream(t, "contact_activities")}
				all[0].Read.Page.Size = 20
				c.syncStreams(5, all...)
				c.w.SimulateHours(6)
				c.catchUpIndex()
				c.syncStreams(5, all...)
				c.compareContacts()
				c.compareIDs("deleted_contacts")
				c.compareIDs("contact_activities")
			})
		}
	}
}

func TestT9EmulatorChangesBetweenAnyTwoRequests(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 5})
	contacts := builtinStream(t, "contacts")
	contacts.Read.Page.Size = 10
	ids := c.w.ContactIDs("active")
	c.w.RunBetween(func(n int) {
		c.w.Advance(time.Second)
		id := ids[(n*7919)%len(ids)]
		// Some have been merged or deleted since: then nothing happens.
		_ = c.w.UpdateContact(id, emulator.FieldChange{Field: "name", Value: fmt.Sprintf("changed %d", n)})
		if n%5 == 0 {
			_, _ = c.w.CreateContact("lead")
		}
	})
	for range 3 {
		c.syncStreams(1, contacts)
	}
	c.w.RunBetween(nil)
	c.catchUpIndex()
	c.syncStreams(1, contacts)
	c.compareContacts()
}

// Holds: F1.
func TestEmulatorKilledAfterEachPage(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 6, Contacts: 120})
	all := []*schemas.Stream{builtinStream(t, "contacts"), builtinStream(t, "deleted_contacts"), builtinStream(t, "contact_activities")}
	for _, s := range all {
		s.Read.Page.Size = 10
	}
	for n := range 75 {
		for _, s := range all {
			if err := c.readStream(c.newRunClient(), s, 1+n%3); err != nil {
				t.Fatal(err)
			}
		}
		if n%25 == 24 {
			c.w.SimulateHours(1)
			c.w.ExpireCursors()
		}
	}
	c.catchUpIndex()
	c.syncStreams(1, all...)
	c.syncStreams(1, all...) // the sweep that the last kill interrupted may have missed records that moved
	c.compareContacts()
	c.compareIDs("deleted_contacts")
	c.compareIDs("contact_activities")
}

func TestT15EmulatorLoopStops(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 7, Knobs: emulator.Knobs{LoopAt: 3}})
	contacts := builtinStream(t, "contacts")
	contacts.Read.Page.Size = 10
	if err := c.readStream(c.newRunClient(), contacts, -1); !errors.Is(err, extract.ErrCursorLoop) {
		t.Errorf("got %v, want ErrCursorLoop", err)
	}
}

func TestT39EmulatorRetentionIsReported(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 8, Contacts: 60, Activities: 600})
	feed := builtinStream(t, "contact_activities")
	c.syncStreams(1, feed)
	c.w.SimulateHours(24)
	c.syncStreams(1, feed)
	if c.gaps != 0 {
		t.Fatalf("%d gaps in a feed that was read daily", c.gaps)
	}
	c.w.Advance(60 * 24 * time.Hour)
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Retention = 30 * 24 * time.Hour })
	c.w.SimulateHours(24)
	c.syncStreams(1, feed)
	if c.gaps != 1 {
		t.Errorf("%d gaps told after an outage longer than the feed goes back, want 1", c.gaps)
	}
}

func TestT116EmulatorRevokedAndRotatedTokens(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 9})
	client := c.newRunClient()
	c.w.RotateToken("another")
	err := c.readStream(client, builtinStream(t, "contacts"), -1)
	if api.ClassOf(err) != api.ClassAuth || client.Requests() != 1 {
		t.Errorf("got %v after %d requests", err, client.Requests())
	}
	c.change = func(o *api.Options) {
		o.Token = "old"
		o.Refresh = func() (api.Secret, error) { return "another", nil }
	}
	c.syncStreams(1, builtinStream(t, "contacts"))
	c.catchUpIndex()
	c.compareContacts()
}

func TestEmulatorRefusalsOfOneStream(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 10, Knobs: emulator.Knobs{LaterOnly: true}})
	c.change = func(o *api.Options) { o.Version = "2.14" }
	if err := c.readStream(c.newRunClient(), builtinStream(t, "deleted_contacts"), -1); api.ClassOf(err) != api.ClassNotFound {
		t.Errorf("got %v, want that the API says that there is no such list", err)
	}
}

func TestEmulatorOverReadsByID(t *testing.T) {
	t.Parallel()
	c := emulatedCopy(t, emulator.Config{Seed: 11})
	ids := append(c.w.ContactIDs("active")[:60], c.w.ContactIDs("merged")[:1]...)
	r := extract.NewReader(c.newRunClient(), extract.Request{Stream: builtinStream(t, "contacts_by_id"), IDs: append(ids, "nobody")})
	gone, there := 0, 0
	for {
		p, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range p.Records {
			if rec.Gone {
				gone++
				continue
			}
			there++
		}
	}
	if there != 60 || gone != 2 {
		t.Errorf("%d there, %d gone; want 60 and 2", there, gone)
	}
}

func TestT117EmulatorQuotaIsNeverPassed(t *testing.T) {
	t.Parallel()
	for _, knobs := range []emulator.Knobs{{}, {NoRateHeaders: true}, {NoRateHeaders: true, RetryAfter: "seconds"}, {NoRateHeaders: true, RetryAfter: "date"}} {
		c := emulatedCopy(t, emulator.Config{Seed: 12, Contacts: 100, RatePerMinute: 600, Knobs: knobs})
		contacts := builtinStream(t, "contacts")
		contacts.Read.Page.Size = 1
		client := c.newRunClient()
		if err := c.readStream(client, contacts, -1); err != nil {
			t.Errorf("%+v: %v", knobs, err)
		}
		refused := 0
		for _, r := range c.w.Requests() {
			if r.Status == 429 {
				refused++
			}
		}
		if limit := int(client.Requests()) / 10; refused > limit || !knobs.NoRateHeaders && refused > 0 {
			t.Errorf("%+v: %d of %d requests were refused", knobs, refused, client.Requests())
		}
	}
}

// TestF20ACursorThatDiesAtAnyPageCostsLittle makes the cursors expire before each page of a list in turn.
func TestF20ACursorThatDiesAtAnyPageCostsLittle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds, with one reader at a time: make test runs it")
	}
	for _, name := range []string{"contacts", "contact_activities"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			walk := func(dies int) (requests int) {
				c := emulatedCopy(t, emulator.Config{Seed: 13, Contacts: 100, Activities: 120})
				s := builtinStream(t, name)
				s.Read.Page.Size = 10
				c.w.RunBetween(func(n int) {
					if n == dies {
						c.w.ExpireCursors()
					}
				})
				c.syncStreams(1, s)
				c.w.RunBetween(nil)
				if name == "contacts" {
					c.compareContacts()
				} else {
					c.compareIDs(name)
				}
				return c.w.RequestCount()
			}
			clean, most := walk(0), 0
			for page := 2; page <= clean; page++ {
				most = max(most, walk(page))
			}
			t.Logf("%d requests, %d at most when a cursor dies", clean, most)
			if most > 2*clean {
				t.Errorf("want at most twice as many")
			}
		})
	}
}
