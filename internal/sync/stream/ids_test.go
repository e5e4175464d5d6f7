package stream

import (
	"regexp"
	"slices"
	"strings"
	"testing"

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
