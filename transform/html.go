package transform

import (
	"bytes"
	"math"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// appendPlainText appends the visible text of an HTML body: without tags, with entities as characters, and with blocks on their
// own lines. Text without markup is unchanged, line breaks included.
func appendPlainText(to, body []byte) []byte { return appendVisible(to, body, math.MaxInt) }

// plainSpan is the plain text of an HTML body.
func (x *recordText) plainSpan(body textSpan) textSpan {
	start := len(x.arena)
	// The body may be in the arena that is appended to.
	x.arena = appendPlainText(x.arena, x.bytesOf(body))
	x.body, x.plain = body, x.arenaSpan(start)
	return x.plain
}

// hasPlainText reports whether the plain text of an HTML body is not empty. A column with that text is often just before, so it is not made twice.
func (x *recordText) hasPlainText(body textSpan) bool {
	if body == x.body {
		return x.plain.size > 0
	}
	start := len(x.arena)
	x.arena = appendVisible(x.arena, x.bytesOf(body), 1)
	found := len(x.arena) > start
	x.arena = x.arena[:start]
	return found
}

// appendVisible is appendPlainText of a body until at least enough bytes are appended.
func appendVisible(to, body []byte, enough int) []byte {
	if bytes.IndexByte(body, '<') < 0 && bytes.IndexByte(body, '&') < 0 {
		return append(to, body...)
	}
	start := len(to)
	space, hidden := false, atom.Atom(0)
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return to[:start+len(bytes.TrimRight(to[start:], " \n"))]
		case html.TextToken:
			if hidden == 0 {
				if to, space = appendWords(to, start, z.Text(), space); len(to)-start >= enough {
					return to
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Script || tag == atom.Style {
				hidden = tag
			}
			if breaks[tag] {
				to, space = appendLine(to, start), false
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == hidden {
				hidden = 0
			}
			if breaks[tag] && tag != atom.Br {
				to, space = appendLine(to, start), false
			}
		}
	}
}

// breaks are the tags before and after which a new line begins.
var breaks = map[atom.Atom]bool{
	atom.Br: true, atom.P: true, atom.Div: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Blockquote: true,
	atom.Pre: true, atom.Hr: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true,
}

// appendWords appends text with each run of white space as one space, and none at the beginning of a line.
func appendWords(to []byte, start int, text []byte, space bool) ([]byte, bool) {
	for _, c := range text {
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
			space = true
			continue
		}
		if space && len(to) > start && to[len(to)-1] != '\n' {
			to = append(to, ' ')
		}
		space = false
		to = append(to, c)
	}
	return to, space
}

func appendLine(to []byte, start int) []byte {
	if len(to) > start && to[len(to)-1] != '\n' {
		to = append(to, '\n')
	}
	return to
}
