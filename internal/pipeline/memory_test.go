package pipeline_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

// TestS59TooLargeRecordFailsWithNextStep: the page is below the limit for answers, and its record above the memory of a commit. With more memory,
// as the error says, it is stored.
func TestS59TooLargeRecordFailsWithNextStep(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(93), strings.Replace(nightly, "dir: data", "dir: data, memory: 100MB", 1))
	b.growRecord(`"name":"Big","not_yet_told":"` + strings.Repeat("x", 24<<20) + `"`)
	report := b.trySync(runner.Options{})
	s := streamResult(t, report, "contacts")
	if report.Exit() != problem.ExitFailed || s.Class != "data" || !strings.Contains(s.Next, "memory: 1GB") || !strings.Contains(s.Error, "Out of Memory Error") || strings.Contains(s.Error, "Possible solutions") {
		t.Errorf("%s\nerror[%s] %s\nnext: %s", report.LastLine(), s.Class, s.Error, s.Next)
	}
	b.writeConfig(strings.Replace(b.readConfig(), "memory: 100MB", "memory: 1GB", 1))
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM contacts WHERE name = 'Big'"); got[0] != "1" {
		t.Errorf("%s big contacts", got[0])
	}
}

// TestS59RecordWithManyAttributesBlocksNoPublish: its attributes are in the column of all attributes, and not columns of the view.
func TestS59RecordWithManyAttributesBlocksNoPublish(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(94))
	var record strings.Builder
	record.WriteString(`"name":"Big","custom_attributes":{`)
	for i := range 200_000 {
		fmt.Fprintf(&record, `"attribute %d":%d,`, i, i)
	}
	record.WriteString(`"last":1}`)
	b.growRecord(record.String())
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT custom_attributes->>'last' FROM contacts WHERE name = 'Big'"); len(got) != 1 || got[0] != "1" {
		t.Errorf("big contacts: %v", got)
	}
	if got := b.queryRows("SELECT count(*) FROM (DESCRIBE contacts_attributes)"); len(got[0]) > 2 {
		t.Errorf("the view has %s columns", got[0])
	}
}

// growRecord reads the workspace once. After that, search returns other fields in place of one contact's name.
func (b *testBed) growRecord(fields string) {
	b.t.Helper()
	b.syncOnce(runner.Options{})
	b.failOn(b.space.UpdateContact(b.space.ContactIDs("active")[0], emulator.FieldChange{Field: "name", Value: "To Be Big"}))
	b.space.Advance(time.Hour)
	b.answerWith("contacts.search", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"name":"To Be Big"`), []byte(fields), 1)
	})
}
