package main

import (
	"strings"
	"testing"
)

// Limits over everything that people read. They may only fall.
const (
	mostLong     = 0 // sentences of more than 30 words
	mostReplaced = 0 // words that the glossary replaces
	mostCells    = 0 // cells of tables with more than 300 characters
)

// TestWhatPeopleReadStaysWithinItsLimits counts this project.
func TestWhatPeopleReadStaysWithinItsLimits(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	total := countTree(t, "../..", &all)
	if total.long > mostLong || total.replaced > mostReplaced || total.cells > mostCells {
		t.Errorf("%d long sentences, %d replaced words, %d long cells; at most %d, %d, %d are allowed:\n%s",
			total.long, total.replaced, total.cells, mostLong, mostReplaced, mostCells, all.String())
	}
	if total.sentences < 10_000 {
		t.Errorf("only %d sentences were found: is the project still read?", total.sentences)
	}
}

func countTree(t *testing.T, root string, found *strings.Builder) (total counts) {
	t.Helper()
	replaced, err := readGlossary(root + "/" + glossaryPage)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := collectTexts(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range texts {
		n, findings := replaced.count(one)
		total = total.plus(n)
		for _, f := range findings {
			found.WriteString(f.String() + "\n")
		}
	}
	return total
}

// TestEveryKindOfTextIsCounted reads a small tree with one finding of each kind in each kind of file, and as many texts without findings.
func TestEveryKindOfTextIsCounted(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := printCounts(&out, "testdata/little", true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"page.md:3: \"told\": ", "page.md:5: 31 words: ", "page.md:14: a cell of 301 characters",
		"stream.yaml:2: \"told\": ", "stream.yaml:3: \"marks\": ", "stream.yaml:4: \"told\": ", "help.go:8: \"told\": ", "model.sql:2: \"going  back\": ", "console.html:2: \"marks\": ", "help.go:5: \"Mark\": ", "help.go:7: 31 words: ",
		"| page.md | ", "| **all** | ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if findings := strings.Count(out.String(), ": \"") + strings.Count(out.String(), " words: ") + strings.Count(out.String(), "a cell of"); findings != 11 {
		t.Errorf("%d findings instead of 11:\n%s", findings, out.String())
	}
	if err := printCounts(&out, "testdata", true); err == nil {
		t.Error("a tree without a glossary was counted")
	}
}

// TestSentencesEndAtTheirMarks splits at ends of sentences, and nowhere else.
func TestSentencesEndAtTheirMarks(t *testing.T) {
	t.Parallel()
	body := "It reads e.g. version 2.15 of a file.yaml. Is it new? \"Yes!\" So be it\n\nA new paragraph"
	want := []string{"It reads e.g. version 2.15 of a file.yaml.", "Is it new?", "\"Yes!\"", "So be it", "A new paragraph"}
	if got := splitSentences(body); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q instead of %q", got, want)
	}
}
