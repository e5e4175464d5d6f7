package input

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tableLimits are the limits of tables in the body of a reply (workspace-api 8).
var tableLimits = []struct {
	most  int
	of    func(c *tableCount) int
	limit string
}{
	{0, func(c *tableCount) int { return c.nested }, "no nested tables"},
	{20, func(c *tableCount) int { return c.tables }, "at most 20 tables per message"},
	{200, func(c *tableCount) int { return c.rows }, "at most 200 table rows per table"},
	{50, func(c *tableCount) int { return c.columns }, "at most 50 table columns per table"},
	{10_000, func(c *tableCount) int { return c.cells }, "at most 10,000 cells per message"},
}

// tableCount counts the tables of a body and their sizes.
type tableCount struct {
	nested, tables, cells int
	rows, columns         int // of the largest table
}

// ReplyBody returns the stored form of a reply's body. A body without a table is stored as sent. A body with one is parsed and written again,
// so its other markup may change too. Where tables are not enabled, they become text (workspace-api 8, 9).
func ReplyBody(sent string, tables bool) (kept string, err error) {
	if !strings.Contains(strings.ToLower(sent), "<table") {
		return sent, nil // the document limits nothing else in a body
	}
	nodes, err := html.ParseFragment(strings.NewReader(sent), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return "", fmt.Errorf("the body cannot be read as HTML: %w", err)
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	for _, n := range nodes {
		body.AppendChild(n)
	}
	c := countTables(body)
	switch {
	case c.tables == 0:
		return sent, nil
	case !tables:
		flattenTables(body)
	default:
		err = c.withinLimits()
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n := range body.ChildNodes() {
		if err := html.Render(&b, n); err != nil {
			return "", fmt.Errorf("the body cannot be written as HTML: %w", err)
		}
	}
	return b.String(), nil
}

func countTables(body *html.Node) (c tableCount) {
	c.countTables(body, false)
	return c
}

func (c *tableCount) withinLimits() error {
	for _, l := range tableLimits {
		if l.of(c) > l.most {
			return fmt.Errorf("the body is beyond a limit: %s", l.limit)
		}
	}
	return nil
}

func (c *tableCount) countTables(n *html.Node, inside bool) {
	if n.DataAtom == atom.Table {
		c.tables++
		if inside {
			c.nested++
		}
		rows, columns := shapeOf(n)
		c.rows, c.columns, inside = max(c.rows, rows), max(c.columns, columns), true
	}
	if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
		c.cells++
	}
	for child := range n.ChildNodes() {
		c.countTables(child, inside)
	}
}

// shapeOf counts the rows of a table and the columns of its widest row. A cell may span several columns.
func shapeOf(table *html.Node) (rows, columns int) {
	for n := range table.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		rows++
		width := 0
		for cell := range n.ChildNodes() {
			if cell.Type == html.ElementNode {
				width += spanOf(cell)
			}
		}
		columns = max(columns, width)
	}
	return rows, columns
}

// spanOf returns how many columns a cell spans: one by default, and a thousand at most, as in browsers.
func spanOf(cell *html.Node) int {
	for _, a := range cell.Attr {
		if n, err := strconv.Atoi(a.Val); a.Key == "colspan" && err == nil {
			return min(max(1, n), 1000)
		}
	}
	return 1
}

// flattenTables replaces each table by text: a line for each row, with spaces between the cells.
func flattenTables(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.DataAtom == atom.Table {
			n.InsertBefore(flatTable(child), child)
			n.RemoveChild(child)
		} else {
			flattenTables(child)
		}
		child = next
	}
}

func flatTable(table *html.Node) *html.Node {
	p := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
	for i, line := range strings.Split(strings.TrimSpace(tableLines(table)), "\n") {
		if i > 0 {
			p.AppendChild(&html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br})
		}
		p.AppendChild(&html.Node{Type: html.TextNode, Data: line})
	}
	return p
}

// tableLines returns the text of a table, one line for each row.
func tableLines(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.Join(strings.Fields(n.Data), " ")
	}
	var parts []string
	for child := range n.ChildNodes() {
		if text := strings.TrimSpace(tableLines(child)); text != "" {
			parts = append(parts, text)
		}
	}
	switch n.DataAtom {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot:
		return strings.Join(parts, "\n")
	}
	return strings.Join(parts, " ")
}
