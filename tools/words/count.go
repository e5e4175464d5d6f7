package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

const (
	glossaryPage  = "docs/glossary.md"
	longSentence  = 30  // words
	longTableCell = 300 // characters
)

// text is one piece that people read as a whole: a paragraph, an item of a list, a cell, a message.
type text struct {
	file string
	line int
	body string // with code replaced by codeWord
	cell bool   // of a table
}

// codeWord stands for a piece of code in a text: one word that is in no glossary.
const codeWord = "CODE"

// counts are the counts of one or several texts.
type counts struct {
	words, sentences, long, replaced, cells int
}

func (n counts) plus(m counts) counts {
	return counts{n.words + m.words, n.sentences + m.sentences, n.long + m.long, n.replaced + m.replaced, n.cells + m.cells}
}

// String returns the counts as the rest of a table row.
func (n counts) String() string {
	return fmt.Sprintf("%d | %d | %d | %d | %d |", n.words, n.sentences, n.long, n.replaced, n.cells)
}

// finding is one counted problem with its place.
type finding struct {
	text
	what string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.what) }

// replacedWords finds the words and phrases of the glossary's third column.
type replacedWords struct{ expression *regexp.Regexp }

// readGlossary reads the third column of the page's table.
func readGlossary(file string) (replacedWords, error) {
	page, err := os.ReadFile(file)
	if err != nil {
		return replacedWords{}, fmt.Errorf("read the glossary: %w", err)
	}
	var words []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(line, "| say ") || strings.HasPrefix(line, "|---") {
			continue
		}
		for word := range strings.SplitSeq(cells[2], ",") {
			if word = strings.TrimSpace(word); word != "" {
				words = append(words, strings.ReplaceAll(regexp.QuoteMeta(word), " ", `\s+`))
			}
		}
	}
	if len(words) == 0 {
		return replacedWords{}, fmt.Errorf("read the glossary: %s has no words in its third column", file)
	}
	return replacedWords{regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)}, nil
}

// count counts one text and returns its findings.
func (r replacedWords) count(t text) (n counts, found []finding) {
	for _, sentence := range splitSentences(t.body) {
		words := len(wordPattern.FindAllString(sentence, -1))
		n.words += words
		if words > 0 {
			n.sentences++
		}
		if words > longSentence {
			n.long++
			found = append(found, finding{t, fmt.Sprintf("%d words: %s", words, sentence)})
		}
	}
	// The glossary's own table contains the replaced words.
	if t.file != glossaryPage {
		for _, at := range r.expression.FindAllStringIndex(t.body, -1) {
			n.replaced++
			from, to := max(0, at[0]-30), min(len(t.body), at[1]+30)
			found = append(found, finding{t, fmt.Sprintf("%q: …%s…", t.body[at[0]:at[1]], strings.ToValidUTF8(t.body[from:to], ""))})
		}
	}
	if size := len([]rune(t.body)); t.cell && size > longTableCell {
		n.cells++
		found = append(found, finding{t, fmt.Sprintf("a cell of %d characters", size)})
	}
	return n, found
}

var (
	wordPattern = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}'’_-]*`)
	sentenceEnd = regexp.MustCompile(`[.!?][)"”']*(?:\s+|$)`)
)

// splitSentences splits a text behind full stops, exclamation and question marks that end a sentence, and at empty lines.
func splitSentences(body string) (sentences []string) {
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		paragraph = strings.Join(strings.Fields(paragraph), " ")
		start := 0
		for _, at := range sentenceEnd.FindAllStringIndex(paragraph, -1) {
			if isAbbreviation(paragraph[start:at[1]]) {
				continue
			}
			sentences = append(sentences, strings.TrimSpace(paragraph[start:at[1]]))
			start = at[1]
		}
		if rest := strings.TrimSpace(paragraph[start:]); rest != "" {
			sentences = append(sentences, rest)
		}
	}
	return sentences
}

// isAbbreviation reports whether the full stop at the end of a text belongs to its last word.
func isAbbreviation(begin string) bool {
	words := strings.Fields(begin)
	last := strings.Trim(words[len(words)-1], `("”')`)
	return last == "e.g." || last == "i.e." || last == "vs." || last == "cf."
}
