package main

import (
	"fmt"
	"strings"
)

// lastRun is the date and the result of the last run over all mutants. Whoever adds a mutant plants it once and updates this.
var lastRun = struct {
	bugs, killed int
	when         string
}{bugs: 187, killed: 187, when: "29 November 2026"}

// docsPage returns docs/internals/mutants.md.
func docsPage() string {
	var text strings.Builder
	fmt.Fprintf(&text, `# Planted bugs

Each row is a bug that somebody could write, and the test that notices it. `+"`make mutants`"+` plants the bugs into a copy of the
repository, one at a time, and runs only the test named here. The command fails when that test passes, or when the bug does not build.
Words select bugs: `+"`make mutants ONLY=lookback`"+`. `+"`make test`"+` checks that the code each bug changes still exists. `+"`make docs`"+`
writes this page.

Last run on %s: %d bugs planted, %d noticed.

| Bug | Where | Noticed by |
|---|---|---|
`, lastRun.when, lastRun.bugs, lastRun.killed)
	for _, m := range mutants {
		fmt.Fprintf(&text, "| %s | `%s` | `%s` |\n", m.bug, m.file, m.killer)
	}
	return text.String()
}
