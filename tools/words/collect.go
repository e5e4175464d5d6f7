package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// collectTexts reads everything in a directory that people read.
func collectTexts(root string) (texts []text, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || notRead[name]) {
				return filepath.SkipDir
			}
			return nil
		}
		read := readerOf(name)
		if read == nil {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := read(name, content)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		texts = append(texts, found...)
		return nil
	})
	return texts, err
}

// notRead are directories without texts for people, or with texts that are data.
var notRead = map[string]bool{
	"tools": true, "bin": true, "dist": true, "demo": true, "nightly": true, "internal/crash": true,
	"internal/lane": true, "internal/oracletest": true, "internal/formtest": true, "internal/readtest": true, "load/committest": true,
}

type textReader func(file string, content []byte) ([]text, error)

// readerOf returns the reader of a file's texts; nil for a file without any.
func readerOf(name string) textReader {
	switch filepath.Ext(name) {
	case ".md":
		return func(file string, content []byte) ([]text, error) { return markdownTexts(file, content), nil }
	case ".yaml":
		return yamlTexts
	case ".sql":
		return sqlTexts
	case ".html":
		return htmlTexts
	case ".go":
		if !strings.HasSuffix(name, "_test.go") {
			return goTexts
		}
	}
	return nil
}

// isProse reports whether a text is written for people: at least three words, and not SQL.
func isProse(s string) bool {
	return len(wordPattern.FindAllString(s, -1)) >= 3 && strings.Contains(strings.TrimSpace(s), " ") && !sqlStatement.MatchString(s)
}

var sqlStatement = regexp.MustCompile(`(?:^|\s|\()(?:SELECT|INSERT|UPDATE [\w{%]|DELETE FROM|CREATE|ALTER|DROP|COPY|ATTACH|DETACH|PRAGMA|FROM [\w{%.]+|WHERE [\w{%(]|JOIN|UNION|COMMENT ON|CASE WHEN|BEGIN TRANSACTION|ORDER BY|GROUP BY|SET [a-z_.]+ ?=)(?:\s|$|\()`)

// yamlTexts returns the texts and comments of a stream file or a pipeline file.
func yamlTexts(file string, content []byte) (texts []text, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && isProse(n.Value) {
			texts = append(texts, text{file: file, line: n.Line, body: withoutCode(n.Value)})
		}
		for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			line := n.Line
			if comment == n.HeadComment {
				line -= 1 + strings.Count(comment, "\n")
			}
			if body := commentBody(comment); isProse(body) {
				texts = append(texts, text{file: file, line: max(1, line), body: withoutCode(body)})
			}
		}
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 { // a key has comments, and no text of its own
				child = &yaml.Node{Line: child.Line, HeadComment: child.HeadComment, LineComment: child.LineComment, FootComment: child.FootComment}
			}
			visit(child)
		}
	}
	visit(&document)
	return texts, nil
}

// commentBody returns a YAML comment without its number signs. A setting that is commented out is a line of its own: what explains it
// stands behind a second number sign.
func commentBody(comment string) string {
	var body strings.Builder
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		if yamlSetting.MatchString(line) {
			if _, explained, is := strings.Cut(line, " #"); is {
				line = strings.TrimSpace(explained)
			}
			line = "\n" + line + "\n"
		}
		body.WriteString(line + "\n")
	}
	return body.String()
}

var yamlSetting = regexp.MustCompile(`^[\w"*.-]+:(?: |$)`)

// sqlTexts returns the comments of a SQL file. The header of a model is one text.
func sqlTexts(file string, content []byte) (texts []text, err error) {
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		comment, is := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !is {
			continue
		}
		comment = modelHeader.ReplaceAllString(strings.TrimSpace(comment), "")
		if isProse(comment) {
			texts = append(texts, text{file: file, line: number, body: withoutCode(comment)})
		}
	}
	return texts, nil
}

var modelHeader = regexp.MustCompile(`^(?:column [\w*]+|[a-z]+): `)

// htmlTexts returns the text between the tags of a page of the console.
func htmlTexts(file string, content []byte) (texts []text, err error) {
	page := htmlAction.ReplaceAllString(htmlCode.ReplaceAllStringFunc(string(content), keepLines), " "+codeWord+" ")
	for _, at := range htmlBetween.FindAllStringSubmatchIndex(page, -1) {
		if body := strings.Join(strings.Fields(page[at[2]:at[3]]), " "); isProse(body) {
			texts = append(texts, text{file: file, line: 1 + strings.Count(page[:at[2]], "\n"), body: body})
		}
	}
	return texts, nil
}

// keepLines replaces a text by its line breaks, so that what follows keeps its line.
func keepLines(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }

var (
	htmlCode    = regexp.MustCompile(`(?s)<(?:style|script)\b.*?</(?:style|script)>`)
	htmlAction  = regexp.MustCompile(`\{\{[^}]*\}\}`)
	htmlBetween = regexp.MustCompile(`>([^<>]+)<`)
)

// goTexts returns the texts of a Go file that people may see; parts joined with + are one text.
func goTexts(file string, content []byte) (texts []text, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			_, isField := n.(*ast.Field)
			return isField && n.(*ast.Field).Tag == nil
		case *ast.BinaryExpr, *ast.BasicLit:
			body, isText := joinedText(n.(ast.Expr))
			if isText && isProse(body) {
				texts = append(texts, text{file: file, line: set.Position(n.Pos()).Line, body: withoutCode(withoutUsage(body))})
			}
			return !isText
		}
		return true
	})
	return texts, nil
}

// joinedText returns a string literal, or several joined with +. Computed parts count as code.
func joinedText(e ast.Expr) (body string, isText bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return codeWord, false
		}
		body, err := strconv.Unquote(e.Value)
		return body, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return codeWord, false
		}
		left, isLeft := joinedText(e.X)
		right, isRight := joinedText(e.Y)
		return left + right, isLeft || isRight
	}
	return codeWord, false
}

// withoutCode replaces text between backquotes.
func withoutCode(s string) string { return backquoted.ReplaceAllString(s, codeWord) }

var backquoted = regexp.MustCompile("`[^`]+`")

// withoutUsage removes indented lines of a help text: examples and tables. A line in columns is a text of its own.
func withoutUsage(s string) string {
	var kept []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t") {
			line = ""
		} else if strings.Contains(line, "  ") {
			line += "\n"
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}
