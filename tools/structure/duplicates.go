package structure

import (
	"go/ast"
	"go/token"
	"strings"
)

// sharedLines is the least number of equal lines in a duplicate.
const sharedLines = 6

// codeLines are the lines of code of a file, trimmed.
type codeLines []string

// fileLines are the lines of a file.
type fileLines struct {
	text     []string
	blank    []bool
	comment  []bool // the line has a comment and nothing else
	imported []bool // the line is part of an import
}

func newLines(text []byte, fset *token.FileSet, file *ast.File) fileLines {
	l := fileLines{text: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	l.blank, l.comment, l.imported = make([]bool, len(l.text)), make([]bool, len(l.text)), make([]bool, len(l.text))
	mark := func(what []bool, n ast.Node) {
		first, last := fset.PositionFor(n.Pos(), false), fset.PositionFor(n.End(), false)
		for i := first.Line - 1; i < last.Line; i++ {
			what[i] = true
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			at := fset.PositionFor(c.Pos(), false)
			if before := l.text[at.Line-1][:at.Column-1]; strings.TrimSpace(before) == "" {
				mark(l.comment, c)
			}
		}
	}
	for i, text := range l.text {
		l.blank[i] = !l.comment[i] && strings.TrimSpace(text) == ""
	}
	for _, d := range file.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.IMPORT {
			mark(l.imported, g)
		}
	}
	return l
}

// codeOnly removes blank lines, comments, imports, and lines of punctuation alone.
func (l fileLines) codeOnly() (c codeLines) {
	for i, text := range l.text {
		text = strings.TrimSpace(text)
		if !l.comment[i] && !l.imported[i] && strings.Trim(text, "(){}[],;") != "" {
			c = append(c, text)
		}
	}
	return c
}

// countTrue counts the true values.
func countTrue(what []bool) (n int) {
	for _, is := range what {
		if is {
			n++
		}
	}
	return n
}

// linePlace is a line of a file, both by number.
type linePlace struct{ file, line int }

// countDuplicates counts the pairs of places with at least sharedLines equal lines in a row. A longer run is one pair; three equal places are
// three pairs. The two places of a pair do not overlap.
func countDuplicates(files []codeLines) (pairs int) {
	at := map[string][]linePlace{}
	for f, c := range files {
		for i := 0; i+sharedLines <= len(c); i++ {
			window := strings.Join(c[i:i+sharedLines], "\n")
			at[window] = append(at[window], linePlace{f, i})
		}
	}
	for _, places := range at {
		for i, b := range places {
			for _, a := range places[:i] {
				apart := a.file != b.file || b.line-a.line >= sharedLines
				begins := a.line == 0 || b.line == 0 || files[a.file][a.line-1] != files[b.file][b.line-1]
				if apart && begins {
					pairs++
				}
			}
		}
	}
	return pairs
}
