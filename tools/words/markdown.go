package main

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
)

// markdownTexts returns the paragraphs, items, headings and cells of a page, without its blocks of code.
func markdownTexts(file string, page []byte) (texts []text) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAttribute()))
	root := md.Parser().Parse(source.NewReader(page))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, extast.KindTableCell:
			var body strings.Builder
			at := inlineText(&body, n, page)
			if at < 0 {
				return ast.WalkSkipChildren, nil
			}
			line := 1 + bytes.Count(page[:at], []byte("\n"))
			texts = append(texts, text{file: file, line: line, body: body.String(), cell: n.Kind() == extast.KindTableCell})
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return texts
}

// inlineText writes the visible text of a node, and returns the offset of its first character in the page; -1 when it has none.
func inlineText(body *strings.Builder, n ast.Node, page []byte) (first int) {
	first = -1
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		at := -1
		switch c := child.(type) {
		case *ast.Text:
			at = c.Segment.Start
			body.Write(c.Segment.Value(page))
			if c.SoftLineBreak() || c.HardLineBreak() {
				body.WriteByte(' ')
			}
		case *ast.CodeSpan:
			body.WriteString(codeWord)
			if code, is := c.FirstChild().(*ast.Text); is {
				at = code.Segment.Start
			}
		case *ast.RawHTML, *ast.AutoLink:
		default:
			at = inlineText(body, child, page)
		}
		if first < 0 {
			first = at
		}
	}
	return first
}
