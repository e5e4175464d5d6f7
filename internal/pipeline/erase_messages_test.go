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

// TestMessagesOfRunsOutliveAnErasure has a run that fails with the words of the API, which name a person, and one that fails for another reason.
// When the person is erased, the messages lose the person and keep the rest: in the notes of ended runs, in the logs of runs and in the database.
func TestMessagesOfRunsOutliveAnErasure(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(96))
	p := contactBed{b}
	id := p.createUser()
	p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Rosalind Canary"}, emulator.FieldChange{Field: "external_id", Value: "Rosalind"}))
	b.syncOnce(runner.Options{})
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
	refuse("the feed stops at Rosalind Canary, who is " + id)
	refuse("the feed is closed for today")
	p.advanceAfter(b.space.EraseContact(id))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
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
	if len(messages) != 6 {
		t.Fatalf("%d messages: %q", len(messages), messages)
	}
	for i, text := range messages {
		want := []string{"the feed is closed for today", "the feed stops at (erased), who is (erased)"}[i%2]
		if !strings.Contains(text, want) || strings.Contains(text, "Rosalind") || strings.Contains(text, id) {
			t.Errorf("message %d: %q, want %q in it", i, text, want)
		}
	}
}
