package emulator

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator/knobs"
)

// notYetRead are knobs for data that the program does not read yet; only the emulator's own tests run under both readings.
var notYetRead = []string{"MergeHistory", "JobWords", "SegmentCount", "FormerAdmins",
	"ScrollNamesEnd", "StrictFilters", "SearchRefused", "FlatTables", "TextTimes"}

// faultKnobs are knobs of faults and of explicit choices, not of another reading of the document.
var faultKnobs = []string{"Chaos", "Forms", "Mutate", "Unavailable", "RevokeAt", "EmptyLists", "Export"}

var knobNames = regexp.MustCompile("`(?:Export\\.)?([A-Z][A-Za-z]+)`")

// Every open question of the document has a row with the answer, the reason and the knob for the other reading. Every knob is in a row, and
// the code that reads the API is tested with it.
func TestEveryOpenQuestionHasAKnobAndTestsUnderBothReadings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/internals/emulator-choices.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| open question | the emulator | reason | knob |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("there is no table of silences")
	}
	mentioned := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			t.Errorf("a row without an answer, a reason or a knob: %s", line)
			continue
		}
		names := knobNames.FindAllStringSubmatch(cells[3], -1)
		if len(names) == 0 && !strings.HasPrefix(cells[3], "none: ") {
			t.Errorf("no knob, and no word why: %s", line)
		}
		for _, name := range names {
			mentioned[name[1]] = true
		}
	}
	ours := testsOfReaders(t)
	all := map[string]bool{}
	for _, k := range []reflect.Type{reflect.TypeFor[knobs.Knobs](), reflect.TypeFor[knobs.ExportKnobs]()} {
		for i := range k.NumField() {
			name := k.Field(i).Name
			all[name] = true
			used := regexp.MustCompile(`\b` + name + `\b`).MatchString(ours)
			if used == slices.Contains(notYetRead, name) {
				t.Errorf("a reader of the API is tested with %s: %t", name, used)
			}
			if k == reflect.TypeFor[knobs.Knobs]() && mentioned[name] == slices.Contains(faultKnobs, name) {
				t.Errorf("the document tells of %s: %t", name, mentioned[name])
			}
		}
	}
	for name := range mentioned {
		if !all[name] {
			t.Errorf("%s is no knob", name)
		}
	}
}

// testsOfReaders returns the tests of the code that reads the API.
func testsOfReaders(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"extract", "extract/api", "extract/export", "internal/pipeline", "internal/cli"} {
		files, err := filepath.Glob("../../" + dir + "/*_test.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}
