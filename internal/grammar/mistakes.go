package grammar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mistake is one mistake in a file, with its position.
type Mistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 when the mistake has no position
	Column  int    `json:"column"` // in characters, from 1
	Message string `json:"message"`
	Excerpt string `json:"excerpt,omitempty"` // its line
	Hint    string `json:"hint,omitempty"`    // what may be meant, or what to do
	Warning bool   `json:"warning,omitempty"` // the file is valid all the same

	Deprecated bool `json:"-"` // a warning: the next version refuses it, so each run warns of it too

	width  int    // characters to underline
	known  bool   // the message quotes a key of the spec, or nearly one, not a text of the file
	quotes bool   // the hint may quote a text of the file
	text   string // the value or key that is wrong, as the file has it
}

// Mistakes is an error with all mistakes of one or more files, sorted by position.
type Mistakes []Mistake

// maxShown is the number of mistakes that Format writes.
const maxShown = 20

// Error is the text of Format.
func (m Mistakes) Error() string { return strings.TrimSuffix(m.Format(), "\n") }

// Format writes each mistake with its position, its line and a caret, and then their number. It is empty without mistakes.
func (m Mistakes) Format() string {
	if len(m) == 0 {
		return ""
	}
	var b strings.Builder
	for _, x := range m[:min(len(m), maxShown)] {
		x.writeMistake(&b)
		b.WriteByte('\n')
	}
	if hidden := len(m) - maxShown; hidden > 0 {
		fmt.Fprintf(&b, "… and %d more\n\n", hidden)
	}
	fmt.Fprintf(&b, "%s in %s\n", m.countText(), strings.Join(m.fileNames(), ", "))
	return b.String()
}

// countText is the number of errors and of warnings in words.
func (m Mistakes) countText() string {
	errors, warnings := 0, 0
	for _, x := range m {
		if x.Warning {
			warnings++
		} else {
			errors++
		}
	}
	var parts []string
	for _, kind := range []struct {
		n    int
		word string
	}{{errors, "error"}, {warnings, "warning"}} {
		if kind.n == 1 {
			parts = append(parts, "1 "+kind.word)
		} else if kind.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", kind.n, kind.word))
		}
	}
	return strings.Join(parts, ", ")
}

// JSON writes all mistakes as one JSON list. Of a long line it has the part around the mistake.
func (m Mistakes) JSON() ([]byte, error) {
	all := append(Mistakes{}, m...)
	for i, x := range all {
		if len(x.Excerpt) > mostText {
			all[i].Excerpt, _ = cutLine(x.Excerpt, x.Column)
		}
	}
	return json.MarshalIndent([]Mistake(all), "", "  ")
}

// Annotations writes each mistake as a workflow command of GitHub Actions, which shows it at its line.
func (m Mistakes) Annotations() string {
	text := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, x := range m {
		fmt.Fprintf(&b, "::%s file=%s", x.Kind(), property.Replace(x.File))
		if x.Line > 0 {
			fmt.Fprintf(&b, ",line=%d,col=%d", x.Line, x.Column)
		}
		message := x.Message
		if x.Hint != "" {
			message += "\n" + x.Hint
		}
		fmt.Fprintf(&b, "::%s\n", text.Replace(message))
	}
	return b.String()
}

func (m Mistakes) fileNames() []string {
	var files []string
	for _, x := range m {
		if !slices.Contains(files, x.File) {
			files = append(files, x.File)
		}
	}
	return files
}

// Kind is "error" or "warning".
func (x Mistake) Kind() string {
	if x.Warning {
		return "warning"
	}
	return "error"
}

func (x Mistake) writeMistake(b *strings.Builder) {
	b.WriteString(x.File)
	if x.Line > 0 {
		fmt.Fprintf(b, ":%d:%d", x.Line, x.Column)
	}
	fmt.Fprintf(b, ": %s: %s\n", x.Kind(), x.Message)
	if x.Excerpt == "" {
		if x.Hint != "" {
			fmt.Fprintf(b, "%5s = %s\n", "", x.Hint)
		}
		return
	}
	line, column := cutLine(x.Excerpt, x.Column)
	fmt.Fprintf(b, "%5d | %s\n", x.Line, line)
	width := max(1, min(x.width, len([]rune(line))-column+1))
	caret := fmt.Sprintf("%5s | %s%s %s", "", strings.Repeat(" ", column-1), strings.Repeat("^", width), x.Hint)
	b.WriteString(strings.TrimRight(caret, " ") + "\n")
}

// cutLine cuts a long line to the part around a column, and returns the column within that part.
func cutLine(line string, column int) (string, int) {
	const before, most = 60, 140
	runes := []rune(line)
	if len(runes) <= most {
		return line, column
	}
	from := max(0, column-1-before)
	to := min(len(runes), from+most)
	cut := string(runes[from:to])
	if from == 0 {
		return cut, column
	}
	return "…" + cut, column - from + 1
}

// Report collects the mistakes of the files that are read with it. The zero value is ready to use.
type Report struct {
	mistakes Mistakes
	files    []string
	hidden   []string // files that no message quotes
}

// Hide keeps messages from quoting lines, keys and values of a file.
func (r *Report) Hide(file string) { r.hidden = append(r.hidden, file) }

// IsPrivate reports whether no message may quote a file: Hide names it, its name begins with .env, or only its owner may read it.
// It may be a secret that was named by mistake.
func (r *Report) IsPrivate(file string) bool {
	return slices.Contains(r.hidden, file) || strings.HasPrefix(filepath.Base(file), ".env") || isPrivateFile(file)
}

// Add adds a mistake, with at most two kilobytes of text. Of a private file it keeps the position and the kind of the mistake, and
// removes the line, keys and values.
func (r *Report) Add(m Mistake) {
	if r.IsPrivate(m.File) {
		m = m.withoutContent()
	}
	m.Message, m.Hint = Shorten(m.Message), Shorten(m.Hint)
	if !slices.Contains(r.files, m.File) {
		r.files = append(r.files, m.File)
	}
	r.mistakes = append(r.mistakes, m)
}

// withoutContent is a mistake without what its file says.
func (m Mistake) withoutContent() Mistake {
	m.Excerpt = ""
	if !m.known {
		m.Message = removeWord(quoted.ReplaceAllString(m.Message, `"…"`), m.text)
	}
	switch {
	case m.quotes && (strings.HasPrefix(m.Hint, hintNear) || strings.HasPrefix(m.Hint, hintAll) || strings.HasPrefix(m.Hint, hintThree)):
		m.Hint = ""
	case m.quotes:
		m.Hint = quoted.ReplaceAllString(m.Hint, `"…"`)
	}
	return m
}

// removeWord removes a text of a file from a message that has it without quotes. Within a longer word it stands by chance.
func removeWord(message, text string) string {
	if text == "" {
		return message
	}
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var b strings.Builder
	for {
		before, after, found := strings.Cut(message, text)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if inWord(last) || inWord(next) {
			b.WriteString(text)
		} else {
			b.WriteString("…")
		}
		message = after
	}
}

// mostText is the number of bytes that Shorten leaves; with what it adds, a text has at most two kilobytes.
const mostText = 2000

// Shorten cuts an error text to two kilobytes, and says how much it removed.
func Shorten(text string) string {
	if len(text) <= mostText {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes more)", strings.ToValidUTF8(text[:mostText], ""), len(text)-mostText)
}

// quoted matches a quoted text in a message, with either kind of quotes; an apostrophe is none.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\B'[^']*'\B`)

// isPrivateFile reports whether only its owner may access a file.
func isPrivateFile(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().Perm()&0o077 == 0
}

// Merge adds the mistakes of another check.
func (r *Report) Merge(all Mistakes) {
	for _, m := range all {
		r.Add(m)
	}
}

// Err is nil when there are at most warnings, and otherwise Mistakes: in the order of files and positions, with warnings last.
func (r *Report) Err() error {
	if !slices.ContainsFunc(r.mistakes, func(m Mistake) bool { return !m.Warning }) {
		return nil
	}
	return r.sortedMistakes()
}

// Warnings are the warnings if there are no errors, and none otherwise.
func (r *Report) Warnings() Mistakes {
	if r.Err() != nil {
		return nil
	}
	return r.sortedMistakes()
}

func (r *Report) sortedMistakes() Mistakes {
	rank := map[bool]int{true: 1}
	sorted := slices.Clone(r.mistakes)
	slices.SortStableFunc(sorted, func(a, b Mistake) int {
		return cmp.Or(
			cmp.Compare(rank[a.Warning], rank[b.Warning]),
			cmp.Compare(slices.Index(r.files, a.File), slices.Index(r.files, b.File)),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return sorted
}
