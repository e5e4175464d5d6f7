package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With -update the page is written anew; git shows what is different.
var update = flag.Bool("update", false, "write docs/internals/mutants.md")

const root = "../.."

// TestEveryBugCanBePlanted checks that the replaced code exists once in its file, and that the named test exists.
func TestEveryBugCanBePlanted(t *testing.T) {
	t.Parallel()
	if len(mutants) < 30 || lastRun.bugs != len(mutants) || lastRun.killed != len(mutants) {
		t.Errorf("there are %d bugs; the last run of all had %d and killed %d", len(mutants), lastRun.bugs, lastRun.killed)
	}
	bugs := map[string]bool{}
	for _, m := range mutants {
		text, err := os.ReadFile(filepath.Join(root, m.file))
		if n := strings.Count(string(text), m.old); err != nil || n != 1 || m.old == m.new || m.old == "" {
			t.Errorf("%s: %s has its text %d times, %v", m.bug, m.file, n, err)
		}
		if bugs[m.bug] {
			t.Errorf("%s: twice", m.bug)
		}
		bugs[m.bug] = true
		pkg, name, _ := strings.Cut(m.killer, ".")
		test, part, _ := strings.Cut(name, "/")
		if source := testsOf(t, packages[pkg]); !strings.Contains(source, "func "+test+"(") || !strings.Contains(source, part) {
			t.Errorf("%s: there is no test %s", m.bug, m.killer)
		}
	}
}

// testsOf returns the code of a package's tests. The contract tests of destinations are in a package beside those of load.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{dir + "/*_test.go", dir + "/committest/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
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

// Holds: F23.
func TestThePageOfTheMutantsIsUpToDate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(root, "docs", "internals", "mutants.md")
	if *update {
		if err := os.WriteFile(file, []byte(docsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != docsPage() {
		t.Errorf("make docs would change it: %v", err)
	}
	told, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if want := fmt.Sprintf("%d of %d, each planted on %s", lastRun.killed, lastRun.bugs, lastRun.when); err != nil || !strings.Contains(string(told), want) {
		t.Errorf("line F23 of reliability.md does not say %q: %v", want, err)
	}
}
