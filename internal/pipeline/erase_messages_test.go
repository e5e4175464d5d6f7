package pipeline_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// TestMessagesOfRunsOutliveAnErasure has a run that fails with the words of the API, which name a person, and one that fails for another reason. What names
// persons is not written, of contacts and of teammates. The id is: it says where to look. When the person is erased, the messages lose it, too, and keep the
// rest: in the notes of ended runs, in the logs of runs and in the database.
func TestMessagesOfRunsOutliveAnErasure(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(96), strings.ReplaceAll(nightly, "[contacts,", "[admins, contacts,"))
	p := contactBed{b}
	id := p.createUser()
	p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Rosalind Canary"}, emulator.FieldChange{Field: "external_id", Value: "Rosalind-7"}, emulator.FieldChange{Field: "phone", Value: "4930123456"}))
	b.syncOnce(runner.Options{})
	teammate := b.queryRows("SELECT name FROM admins WHERE length(name) > 5 ORDER BY id LIMIT 1")[0]
	var refused []string // the runs
	refuse := func(message string) {
		b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "activities") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"type":"error.list","errors":[{"code":"bad_request","message":%q}]}`, message)
				return
			}
			b.space.ServeHTTP(w, r)
		})
		b.space.Advance(time.Hour)
		report, err := sync.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{}, io.Discard)
		b.failOn(err)
		refused = append(refused, report.RunID)
		b.front = b.space
	}
	refuse("the feed stops at ROSALIND canary, 4930123456, rosa@example.org, +49 30 123-456, Rosalind-7 of " + teammate + ", who is " + id)
	refuse("the feed is closed for today")
	const hidden = "the feed stops at [redacted], [redacted], [redacted], [redacted], [redacted] of [redacted], who is "
	expectMessages := func(person string) {
		t.Helper()
		messages := messagesOf(b, refused)
		if len(messages) != 6 {
			t.Fatalf("%d messages: %q", len(messages), messages)
		}
		for i, text := range messages {
			if want := []string{"the feed is closed for today", hidden + person}[i%2]; !strings.Contains(text, want) {
				t.Errorf("message %d: %q, want %q in it", i, text, want)
			}
		}
	}
	expectMessages(id)
	p.advanceAfter(b.space.EraseContact(id))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	expectMessages("(erased)")
}

// messagesOf are the errors of runs: of the notes of ended runs, of the database and of the logs, each newest first.
func messagesOf(b *testBed, refused []string) []string {
	t := b.t
	t.Helper()
	runs, err := runlog.PastRuns(t.Context(), b.runner.Dir, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, r := range runs {
		if r.Error != "" {
			messages = append(messages, r.Error)
		}
	}
	messages = append(messages, b.queryRows("SELECT error FROM _sync.stream_runs WHERE error IS NOT NULL ORDER BY run_id DESC")...)
	for i := range refused {
		log, err := runlog.ReadLog(b.runner.Dir, refused[len(refused)-1-i], runlog.LogFilter{Level: slog.LevelWarn, Stream: "contact_activities"})
		b.failOn(err)
		for _, line := range log.Lines {
			messages = append(messages, fmt.Sprint(line))
		}
	}
	return messages
}
