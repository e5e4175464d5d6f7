package main

import (
	"fmt"
	"strings"
)

// lastRun says when each of them was last planted, and what came of it. Whoever adds one plants it, and writes that down here.
var lastRun = struct {
	bugs, killed int
	when         string
}{bugs: 102, killed: 102, when: "23 or 24 November 2026"}

// page is docs/mutants.md.
func page() string {
	var text strings.Builder
	fmt.Fprintf(&text, `# Mutants

Bugs that somebody could write, and the test that notices each. `+"`make mutants`"+` plants them into a copy of the repository, one at a
time, and runs only the test that is named here: one that passes all the same, and a bug that does not build, fail the command.
Words narrow it: `+"`make mutants ONLY=overlap`"+`. A test in `+"`make test`"+` holds every bug to the code, so that none outlives what it is a
bug of, and this page, which `+"`make docs`"+` writes.

Each was last planted on %s: %d bugs, %d killed.

| Bug | Where | Killed by |
|---|---|---|
`, lastRun.when, lastRun.bugs, lastRun.killed)
	for _, m := range mutants {
		fmt.Fprintf(&text, "| %s | `%s` | `%s` |\n", m.bug, m.file, m.killer)
	}
	return text.String()
}
