package aqueduck

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changeKinds are the headings of a version in the changelog, in their order. A version may lack some.
var changeKinds = []string{"### When you update from an earlier build", "### Added", "### Changed", "### Fixed", "### Removed"}

// TestTheChangelogHasItsHeadingsInOrder for each version, with an empty line on both sides of each heading and of each group.
func TestTheChangelogHasItsHeadingsInOrder(t *testing.T) {
	t.Parallel()
	group := regexp.MustCompile(`^\*\*[^*]+\*\*$`)
	lines := readChangelog(t)
	last, found := -1, 0
	for i, line := range lines {
		if strings.HasPrefix(line, "## ") {
			last = -1
		}
		if strings.HasPrefix(line, "### ") {
			kind := slices.Index(changeKinds, line)
			if kind <= last {
				t.Errorf("line %d: %q is no heading of a version, or stands at the wrong place", i+1, line)
			}
			last, found = kind, found+1
		}
		if (strings.HasPrefix(line, "#") || group.MatchString(line)) && (i > 0 && lines[i-1] != "" || i+1 < len(lines) && lines[i+1] != "") {
			t.Errorf("line %d: no empty line before or after %q", i+1, line)
		}
	}
	if found < 3 {
		t.Errorf("only %d headings were found", found)
	}
}

// TestEachChangeIsOneSentence: a line of the changelog has one full stop, at its end.
func TestEachChangeIsOneSentence(t *testing.T) {
	t.Parallel()
	code, sentenceEnd := regexp.MustCompile("`[^`]*`"), regexp.MustCompile(`[.!?][)"*]*\s`)
	changes := 0
	for i, line := range readChangelog(t) {
		change, is := strings.CutPrefix(line, "- ")
		if !is {
			continue
		}
		changes++
		if change = code.ReplaceAllString(change, "CODE"); sentenceEnd.MatchString(change) || !strings.HasSuffix(change, ".") {
			t.Errorf("line %d is not one sentence with a full stop: %s", i+1, line)
		}
	}
	if changes < 100 {
		t.Errorf("only %d changes were found", changes)
	}
}

// TestWhatAnUpdateChangesIsGroupedByItsLabel: who updates finds all changes of exit codes, or of models, in one place.
func TestWhatAnUpdateChangesIsGroupedByItsLabel(t *testing.T) {
	t.Parallel()
	label, inside, last := regexp.MustCompile(`^- \*\*(.*?):?\*\*`), false, ""
	var seen []string
	for i, line := range readChangelog(t) {
		if strings.HasPrefix(line, "#") {
			inside, last, seen = line == changeKinds[0], "", nil
		}
		found := label.FindStringSubmatch(line)
		if !inside || found == nil || found[1] == last {
			continue
		}
		if last = found[1]; slices.Contains(seen, last) {
			t.Errorf("line %d: other lines of %s stand further up", i+1, last)
		}
		seen = append(seen, last)
	}
}

func readChangelog(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(page), "\n")
}
