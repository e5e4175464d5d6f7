package aqueduck

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestMakeHelpListsEveryTarget, each in a line that fits a terminal of 100 columns.
func TestMakeHelpListsEveryTarget(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("make", "--no-print-directory", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
		if words := strings.Fields(line); strings.HasPrefix(line, "  ") && len(words) > 1 {
			told[words[0]] = true
		}
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, targets, _ := strings.Cut(string(makefile), "\n.PHONY: ")
	targets, _, _ = strings.Cut(targets, "\n")
	for _, target := range strings.Fields(targets) {
		if !told[target] {
			t.Errorf("make help does not tell of %s: it has no comment after ##", target)
		}
	}
	if len(told) < 20 {
		t.Errorf("make help tells of %d targets", len(told))
	}
}
