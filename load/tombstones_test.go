package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// TestT35TheLogOfErasuresSurvivesAKill reads the appended lines, ignores a line that a killed process left unfinished,
// and refuses a damaged one.
// Holds: S37.
func TestT35TheLogOfErasuresSurvivesAKill(t *testing.T) {
	t.Parallel()
	d := layout.Dir(t.TempDir())
	read := func() *tombstone.Log {
		t.Helper()
		log, err := tombstone.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	log, here := read(), tombstone.People("main")
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if err := log.Begin(); err != nil {
		t.Fatal(err)
	}
	add := func(log *tombstone.Log, id string) {
		t.Helper()
		if err := log.AppendHashes(here, []tombstone.IDHash{log.Hash(here, id)}, at); err != nil {
			t.Fatal(err)
		}
	}
	add(log, "ann")
	add(log, "ann")
	torn, err := os.OpenFile(d.Erasures(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"at":"2026-11-01T00:00:00Z","schema":"ma`); err != nil {
		t.Fatal(err)
	}
	if err := torn.Close(); err != nil {
		t.Fatal(err)
	}
	log = read()
	add(log, "bob")
	log = read()
	if !log.Has(here, "ann") || !log.Has(here, "bob") || log.Has(here, "cy") || log.Has(tombstone.People("other"), "ann") || log.Has(tombstone.Scope{Schema: "main", Table: "parts"}, "ann") {
		t.Errorf("the log has %v", log.Hashes)
	}
	text, err := os.ReadFile(d.Erasures())
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 3 || strings.Contains(string(text), "ann") {
		t.Errorf("the file has %d lines, and should name nobody:\n%s", lines, text)
	}
	if info, err := os.Stat(d.Erasures()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(string(d), "erasures.log"), append(text, "nonsense\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tombstone.Read(d); err == nil || !strings.Contains(err.Error(), "erasures.log:4") {
		t.Errorf("a damaged log is read: %v", err)
	}
}
