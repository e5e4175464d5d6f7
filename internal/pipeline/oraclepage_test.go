package pipeline_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/goldentest"
)

// TestThePageOfTheOracleIsUpToDate compares docs/internals/oracle.md with the results of make oracle-mutants.
func TestThePageOfTheOracleIsUpToDate(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "docs", "internals", "oracle.md")
	page := oraclePage(t)
	if *goldentest.Update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != page {
		t.Errorf("make docs would change it: %v", err)
	}
}

const (
	keptAsSent = "in a JSON column as sent; what has columns of its own in there is compared"
	signature  = "only the signature of an address is another, which is cut off"
)

// whyMissed are the reasons why wrong servers are not noticed, by prefix of their names.
func whyMissed(server string) string {
	for _, one := range []struct{ of, why string }{
		{"contacts.search companies.data[].url", "not compared: companies that are read on from their own list have no address"},
		{"contacts.notes ", "compared by a test of its own: only lists that are read on have texts, and how long these are is a knob"},
		{"contacts.tags name", "not compared: only lists that are read on have names, and how long these are is a knob"},
		{"contacts.search companies.data: previous value", "made up for: the count beside it is another, so the list is read on from its own address"},
		{"contacts.search notes.data: previous value", "made up for: the count beside it is another, so the list is read on from its own address"},
		{"tickets.search ticket_parts.ticket_parts[].attachments", signature},
		{"conversations.get conversation_parts.conversation_parts[].attachments", signature},
		{"conversations.get source", signature},
		{"conversations.search source", signature},
		{"conversations.side conversation_parts", signature},
		{"tickets.search ticket_parts.ticket_parts[].updated_attribute_data.attribute.type", keptAsSent},
		{"tickets.search ticket_state.type", keptAsSent},
	} {
		if strings.HasPrefix(server, one.of) {
			return one.why
		}
	}
	return "not looked into"
}

// unwrittenDay is the day of the last whole run before results had a date.
const unwrittenDay = "24 November 2026"

// whenJudged says on which day, and at which commit, the families were run.
func whenJudged(all map[string]mutantSummary) string {
	runs := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		when := "on " + cmp.Or(all[name].Day, unwrittenDay)
		if commit := all[name].Commit; commit != "" {
			when += " at commit " + commit
		}
		runs[when] = append(runs[when], name)
	}
	var b strings.Builder
	for _, when := range slices.Sorted(maps.Keys(runs)) {
		fmt.Fprintf(&b, "Run %s: %s.\n", when, strings.Join(runs[when], ", "))
	}
	return b.String()
}

func oraclePage(t *testing.T) string {
	t.Helper()
	all := map[string]mutantSummary{}
	for name := range judgedFamilies() {
		if one := readSummary(t, name); one.Runs > 0 {
			all[name] = one
		}
	}
	var b strings.Builder
	b.WriteString(`# The oracle

The oracle of the [emulator](../emulator.md) computes the rows that a perfect reader holds. It computes them from the log of events alone, in the
package ` + "`" + `internal/emulator/oracle` + "`" + `. That package imports ` + "`" + `internal/emulator/event` + "`" + ` and nothing else of this project; a test checks it. The oracle
and the server share types, the events with their facts, the calendar, and the names of ids and tags. Everything else is written twice.

` + "`" + `make oracle-mutants` + "`" + ` tests the oracle with wrong servers. It collects every field of every answer that the program reads. For each field it makes
servers that leave the field out, send null, or send the value of 27 hours before. The program reads each server into a new warehouse, and
the tables are compared with the oracle. Each family ends with a right server, whose answers are only taken apart and put together.
The file of an export counts as an answer, and its rows as records.

| Column | What became of the wrong server |
|---|---|
| Compared | the tables differ from the truth |
| Reported | the run fails, has a finding or rejects a record |
| Made up for | another answer of the resource has the field; where every answer lacks it, it is noticed |
| Around | the field is of the list's answer and not of its records; all records came |
| No column | the field is kept in ` + "`" + `_extra` + "`" + ` as it came |
| Ignored | the stream names the field as not kept; most are types |
| Missed | nothing notices it; all are listed below |
| Changed no byte | no byte of any answer differs, so it is not tried further |

The tables were right for "Made up for", "Around", "No column", "Ignored" and "Missed".

| Family | Wrong servers | Compared | Reported | Made up for | Around | No column | Ignored | Missed | Changed no byte | Runs |
|---|---|---|---|---|---|---|---|---|---|---|
`)
	fates := []string{compared, told, madeUp, around, noColumn, ignored, missed}
	sums, noticed, direct, kept := make([]int, len(fates)+3), 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		j := all[name]
		row := []int{0}
		for _, fate := range fates {
			row = append(row, j.Counts[fate])
			row[0] += j.Counts[fate]
		}
		noticed += j.Counts[compared] + j.Counts[told] + j.Counts[madeUp]
		direct += j.Counts[compared]
		kept += j.Counts[compared] + j.Counts[told] + j.Counts[madeUp] + j.Counts[missed]
		row = append(row, j.Same, j.Runs)
		b.WriteString("| " + name)
		for i, n := range row {
			sums[i] += n
			fmt.Fprintf(&b, " | %d", n)
		}
		b.WriteString(" |\n")
	}
	b.WriteString("| together")
	for _, n := range sums {
		fmt.Fprintf(&b, " | %d", n)
	}
	b.WriteString(" |\n")
	if without := slices.DeleteFunc(slices.Sorted(maps.Keys(judgedFamilies())), func(name string) bool { _, is := all[name]; return is }); len(without) > 0 {
		fmt.Fprintf(&b, "\nNot run to the end yet: %s.\n", strings.Join(without, ", "))
	}
	fmt.Fprintf(&b, "\nOf %d that are wrong about a field with a column, %.1f %% are noticed. For %.1f %% the tables differ from the truth at once. The others\n"+
		"are reported, or made up for by another answer.\n", kept, 100*float64(noticed)/float64(max(kept, 1)), 100*float64(direct)/float64(max(kept, 1)))
	b.WriteString("\n" + whenJudged(all))
	b.WriteString("\n## Missed\n\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, m := range all[name].Missed {
			fmt.Fprintf(&b, "- `%s`: %s\n", m, whyMissed(m))
		}
	}
	return b.String()
}
