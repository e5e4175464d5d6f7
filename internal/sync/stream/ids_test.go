package stream

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/extract"
	"aqueduck/schemas"
)

var (
	sqlComment    = regexp.MustCompile(`--.*`)
	checkpointsOf = regexp.MustCompile(`(?s)_sync\.checkpoints\s+WHERE schema = trim\('\{schema\}', '"'\) AND stream (?:=|IN) (\(?'[^)]*?'\)?)(?:\)|\s)`)
	quotedName    = regexp.MustCompile(`'(\w+)'`)
	bookkeeping   = regexp.MustCompile(`_sync\.(\w+)`)
)

// TestFingerprintOfIDsHasAllThatBuiltInFilesRead: beside tables of the workspace, they read checkpoints of streams that are read before. Only
// calls_to_transcribe.sql depends on the time, so it runs each night.
func TestFingerprintOfIDsHasAllThatBuiltInFilesRead(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var every, same []string
	for _, s := range catalogue.Streams() {
		if s.Read.Over == nil || s.Read.Over.SQL == "" {
			continue
		}
		text := sqlComment.ReplaceAllString(s.Read.Over.SQL, "")
		if changesEachRun.MatchString(s.Read.Over.SQL) {
			every = append(every, s.Name)
			continue
		}
		same = append(same, s.Name)
		found := checkpointsOf.FindAllStringSubmatch(text, -1)
		if n := strings.Count(text, "_sync."); n != len(found) {
			t.Errorf("%s reads %v of _sync, %d of them as expected", s.Name, bookkeeping.FindAllString(text, -1), len(found))
		}
		for _, clause := range found {
			for _, name := range quotedName.FindAllStringSubmatch(clause[1], -1) {
				if name[1] != s.Name && !slices.Contains(s.Read.Over.After, name[1]) {
					t.Errorf("%s reads the checkpoint of %s, which its fingerprint lacks", s.Name, name[1])
				}
			}
		}
	}
	if got := strings.Join(every, " "); got != "call_transcripts" || !slices.Contains(same, "contacts_by_id") || len(same) < 3 {
		t.Errorf("the SQL of %s runs each night, want call_transcripts; %v have a fingerprint", got, same)
	}
}

// TestFingerprintOfIDsHasHowFarTheHistoryReaches: contacts that an event names are read where the history has come to their time, so the
// fingerprint has that time. The watermark, which moves in each run, is not in it.
func TestFingerprintOfIDsHasHowFarTheHistoryReaches(t *testing.T) {
	t.Parallel()
	before := extract.State{SyncedTo: 2000, HistoryTo: 1000, Short: map[string]int64{"a": 1, "b": 2}}
	for name, c := range map[string]struct {
		change func(*extract.State)
		same   bool
	}{
		"watermark":                {func(s *extract.State) { s.SyncedTo++ }, true},
		"history":                  {func(s *extract.State) { s.HistoryTo-- }, false},
		"another incomplete":       {func(s *extract.State) { s.Short = map[string]int64{"a": 1, "b": 2, "c": 3} }, false},
		"incomplete once more":     {func(s *extract.State) { s.Short = map[string]int64{"a": 1, "b": 3} }, false},
		"complete in the meantime": {func(s *extract.State) { s.Short = nil }, false},
	} {
		after := before
		if c.change(&after); (idState(after) == idState(before)) != c.same {
			t.Errorf("%s: %q, then %q; want the same: %t", name, idState(before), idState(after), c.same)
		}
	}
}
