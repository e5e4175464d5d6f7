package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// TestT1T2T3SearchByDaysLosesNothingAroundMidnight runs several times around the workspace's midnight, in zones from -11 to +14: with searches in
// which a time means its whole day and a record may count for the next day, and with searches in which it means its second.
func TestT1T2T3SearchByDaysLosesNothingAroundMidnight(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	for _, test := range []struct{ version, zone string }{
		{"2.16", "Pacific/Kiritimati"}, {"2.16", "Pacific/Pago_Pago"}, {"2.17", "Pacific/Kiritimati"},
	} {
		t.Run(test.version+" "+test.zone, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(test.zone)
			if err != nil {
				t.Fatal(err)
			}
			c := tinyConfig(41)
			c.Zone, c.Start = zone, time.Date(2024, 6, 15, 22, 40, 0, 0, zone)
			c.Knobs = emulator.Knobs{NoLag: true, Misday: 5 * time.Minute}
			b := newBedWith(t, c, strings.Replace(nightly, `"2.17"`, `"`+test.version+`"`, 1))
			b.syncOnce(runner.Options{})
			for _, pause := range []time.Duration{75 * time.Minute, 3 * time.Minute, 4 * time.Minute, 23*time.Hour + 56*time.Minute} {
				for i, id := range b.space.ContactIDs("active")[:12] {
					if i%2 == 0 {
						b.space.Advance(pause / 6)
					}
					if err := b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: fmt.Sprint(pause)}); err != nil {
						t.Fatal(err)
					}
				}
				b.syncOnce(runner.Options{})
				b.equalsContacts()
			}
		})
	}
}

// equalsContacts compares the fields of contacts that every version has.
func (b *testBed) equalsContacts() {
	b.t.Helper()
	var want []string
	for _, row := range b.space.Oracle("contacts") {
		name := row["name"]
		if name == nil {
			name = "∅"
		}
		want = append(want, fmt.Sprintf("%v|%v|%v", row["id"], row["updated_at"], name))
	}
	oracletest.CompareRows(b.t, "contacts", b.queryRows("SELECT id, epoch(updated_at)::BIGINT, name FROM contacts"), want)
}
