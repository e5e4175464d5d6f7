package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// ErrUnknown is the error of a Resolve for a text with an unknown value: the scalar is not checked, and reads as its default.
var ErrUnknown = errors.New("the value is not known here")

// Read checks a file's text against a spec and returns its values, never nil. It adds mistakes to the report. A nil resolve keeps
// scalars as they are written.
func (r *Report) Read(file string, text []byte, root *Spec, resolve Resolve) *Value {
	return r.readDocument(&checkedFile{file: file, resolve: resolve}, text, root)
}

func (r *Report) readDocument(d *checkedFile, text []byte, root *Spec) *Value {
	d.report, d.secretLines = r, map[int]bool{}
	nothing := &Value{doc: d, spec: root}
	if len(text) > maxBytes {
		d.reportMistake(nil, fmt.Sprintf("the file has %d bytes, more than 1 MiB", len(text)), "")
		return nothing
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	d.lines = strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if !looksLikeSpec(d.lines, root) {
		r.Hide(d.file) // it may be any file
	}
	d.private = r.IsPrivate(d.file)
	if !d.isReadable(text) {
		return nothing
	}
	node, ok := d.parseDocument(text)
	if !ok {
		return nothing
	}
	if !resemblesSpec(node, root) {
		r.Hide(d.file)
		var required []string
		for _, k := range root.Keys {
			if k.Required {
				required = append(required, k.Name)
			}
		}
		m := Mistake{File: d.file, known: true, Message: "this is another kind of file: none of its keys is known here; they are not shown, because the file might be private"}
		if len(required) > 0 {
			m.Hint = "a file here has the keys " + strings.Join(required, ", ") + ": name another file, or move this one away"
		}
		r.Add(m)
		return nothing
	}
	return d.checkValue(root, "", nil, node)
}

// resemblesSpec reports whether a top-level key of a document is one of the spec, or half of its keys are similar to one: another program's file may have
// one similar key by chance. A document without keys resembles every spec.
func resemblesSpec(document *yaml.Node, root *Spec) bool {
	if root.Kind != Map || document.Kind != yaml.MappingNode || len(document.Content) == 0 {
		return true
	}
	var known []string
	for _, k := range root.Keys {
		known = append(known, k.Name)
	}
	similar, all := 0, len(document.Content)/2
	for i := 0; i+1 < len(document.Content); i += 2 {
		key := document.Content[i].Value
		if slices.Contains(known, key) {
			return true
		}
		if Nearest(key, known) != "" {
			similar++
		}
	}
	return 2*similar >= all
}

// byteOrderMark is written by some editors before UTF-8 text.
const byteOrderMark = "\ufeff"

// isReadable reports invalid UTF-8 and control characters, which no YAML parser accepts, with their position.
func (d *checkedFile) isReadable(text []byte) bool {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		message, hint := "", ""
		switch {
		case r == utf8.RuneError && size == 1:
			message = "the file is not UTF-8 text"
			if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
				hint = "it is UTF-16: save it as UTF-8"
			}
		case unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r):
			message = fmt.Sprintf("not YAML: the character %U", r)
		}
		if message != "" {
			before := string(text[:at])
			line := strings.Count(before, "\n")
			column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
			if mayBeSecret(d.lines[line]) {
				d.hideLine(line + 1)
			}
			d.reportMistake(&yaml.Node{Line: line + 1, Column: column + 1}, message, hint)
			return false
		}
		at += size
	}
	return true
}

// parseDocument is the only document of the text; false when there is none to check.
func (d *checkedFile) parseDocument(text []byte) (*yaml.Node, bool) {
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		d.reportMistake(nil, err.Error(), "")
		return nil, false
	}
	var first, second yaml.Node
	if err := loader.Load(&first); errors.Is(err, io.EOF) {
		d.reportMistake(nil, "the file is empty", "")
		return nil, false
	} else if err != nil {
		d.reportSyntax(err)
		return nil, false
	}
	switch err := loader.Load(&second); {
	case err == nil:
		d.reportMistake(&second, "a second YAML document: a file has exactly one", "remove the ---")
		return nil, false
	case !errors.Is(err, io.EOF):
		d.reportSyntax(err)
		return nil, false
	}
	if len(first.Content) != 1 {
		d.reportMistake(nil, "the file is empty", "")
		return nil, false
	}
	return first.Content[0], true
}

// reportSyntax reports a syntax error of YAML.
func (d *checkedFile) reportSyntax(err error) {
	var broken *yaml.LoadError
	if !errors.As(err, &broken) {
		d.reportMistake(nil, "not YAML: "+err.Error(), "")
		return
	}
	message := "not YAML: " + broken.Message
	place := broken.Mark
	if broken.ContextMsg != "" {
		message += " " + broken.ContextMsg
	}
	// The parser notices an unclosed bracket or quote at the end of the file; the user must look where it opens.
	if broken.ContextMark.Line > 0 && place.Line > broken.ContextMark.Line && !strings.Contains(broken.ContextMsg, "block") {
		place = broken.ContextMark
	}
	// The parser marks the line before a tab.
	if next := place.Line; strings.Contains(message, "tab character") && next < len(d.lines) && strings.HasPrefix(strings.TrimLeft(d.lines[next], " "), "\t") {
		place.Line, place.Column = next+1, strings.Index(d.lines[next], "\t")+1
	}
	line := ""
	if place.Line > 0 && place.Line <= len(d.lines) {
		line = d.lines[place.Line-1]
		if mayBeSecret(line) {
			d.hideLine(place.Line)
		}
	}
	d.reportMistake(&yaml.Node{Line: place.Line, Column: place.Column}, message, meantBy(message, line))
}

// meantBy is the hint for a syntax error, by its most frequent causes.
func meantBy(message, line string) string {
	if strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		return "YAML is indented by spaces, not tabs"
	}
	if strings.Contains(message, " flow ") && strings.Contains(line, "${") {
		return "inside { } and [ ] a variable needs quotes: \"${VAR}\""
	}
	for _, known := range []struct{ part, hint string }{
		{"anchor", "a text that begins with * needs quotes"},
		{"scanning an alias", "a text that begins with * needs quotes"},
		{"mapping values are not allowed", `put a space after the ":" of each key, also in the lines above, and begin the keys of one level in the same column; quote a text that contains ": "`},
		{"quoted scalar", "the quote is not closed"},
		{" flow ", `a bracket is not closed, a comma is missing or superfluous, or a text that contains ": " needs quotes`},
		{"block mapping", "keys of one level must begin in the same column"},
	} {
		if strings.Contains(message, known.part) {
			return known.hint
		}
	}
	return ""
}

// reportMistake reports a mistake at a node; nil means the whole file.
func (d *checkedFile) reportMistake(n *yaml.Node, message, hint string) {
	d.report.Add(d.newMistake(n, message, hint))
}

func (d *checkedFile) newMistake(n *yaml.Node, message, hint string) Mistake {
	m := Mistake{File: d.file, Message: message, Hint: hint}
	if n == nil || n.Line == 0 {
		return m
	}
	m.Line, m.Column, m.text = n.Line, n.Column, n.Value
	m.width = utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		m.width += len(`""`)
	}
	if strings.ContainsAny(n.Value, "\n") {
		m.width = 1
	}
	if n.Line <= len(d.lines) && !d.secretLines[n.Line] {
		m.Excerpt = printableLine(d.lines[n.Line-1])
	}
	return m
}

// looksLikeSpec reports whether a line of the text begins with a top-level key of the spec. Another file may have been named by
// mistake.
func looksLikeSpec(lines []string, root *Spec) bool {
	return root.Kind != Map || slices.ContainsFunc(lines, func(line string) bool {
		key, _, found := strings.Cut(strings.TrimLeft(line, " {"), ":")
		key = strings.Trim(strings.TrimSpace(key), `"'`)
		return found && slices.ContainsFunc(root.Keys, func(known Spec) bool { return known.Name == key })
	})
}

// hideLine removes a line with a secret from the excerpts, also of mistakes that were found before the secret.
func (d *checkedFile) hideLine(line int) {
	d.secretLines[line] = true
	for i, m := range d.report.mistakes {
		if m.File == d.file && m.Line == line {
			d.report.mistakes[i].Excerpt = ""
		}
	}
}

// mayBeSecret guesses from a text whether the value beside it is a secret, where the spec does not say.
func mayBeSecret(text string) bool {
	text = strings.ToLower(text)
	for _, word := range []string{"token", "secret", "passw", "bearer", "api_key", "apikey"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// printableLine replaces control characters, so that each column is one character and the terminal is safe.
func printableLine(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, line)
}
