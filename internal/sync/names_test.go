package sync

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"aqueduck/internal/config"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/schemas"
)

// TestAMessageThatCannotBeComparedIsNotShown: the work database is closed, or a run has compared so many messages that it compares no new one. Then what
// is known of messages of the same kind is taken out, with all numbers and ids.
func TestAMessageThatCannotBeComparedIsNotShown(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	f := &nameFilter{run: &stream.Run{Runner: &runner.Runner{Log: slog.New(slog.NewTextHandler(&log, nil)), Config: &config.Config{}, Catalogue: &schemas.Catalogue{}}}}
	if got := f.hideNames("Access Token Invalid"); got != "Access Token Invalid" {
		t.Errorf("before the work database is open: %q", got)
	}
	f.run.Writer = &warehouse.Writer{}
	for range 2 {
		if got := f.hideNames("No company of Rosa Canary"); got != "[redacted]" {
			t.Errorf("closed: %q", got)
		}
	}
	if strings.Count(log.String(), "could not be compared with stored names") != 1 || strings.Contains(log.String(), "Canary") {
		t.Errorf("the log has %s", log.String())
	}
	for i := range mostLookups {
		f.note(fmt.Sprintf("Contact %d of Rosa Canary is locked", i), "Contact of Rosa Canary is locked", []string{"Rosa Canary"})
	}
	for message, want := range map[string]string{
		"Contact 7 of Rosa Canary is locked":          "Contact 7 of [redacted] is locked",
		"Contact Order-4711 of Rosa Canary is locked": "Contact of [redacted] is locked",
		"Company of Rosa Canary":                      "[redacted]",
	} {
		if got := f.hideNames(message); got != want {
			t.Errorf("%q became %q, want %q", message, got, want)
		}
	}
}
