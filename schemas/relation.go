package schemas

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"aqueduck/internal/grammar"
)

var relationHead = regexp.MustCompile(`^-- relation: ([a-z][a-z0-9_]*) \((view|table)\)$`)

// headProblem says what is wrong with a line that begins a relation.
func headProblem(line string) string {
	text := strings.TrimSpace(strings.TrimPrefix(line, "-- relation:"))
	relation, kind, found := strings.Cut(text, "(")
	relation, kind = strings.TrimSpace(relation), strings.TrimSuffix(kind, ")")
	switch {
	case !found:
		return fmt.Sprintf("after the name is (view) or (table): -- relation: %s (view)", cmp.Or(relation, "NAME"))
	case name.Check(relation) != nil:
		return name.Check(relation).Error()
	case kind != "view" && kind != "table":
		return fmt.Sprintf("a relation is (view) or (table), not (%s)", kind)
	}
	return fmt.Sprintf("write the line with single spaces, and nothing after it: -- relation: %s (%s)", relation, kind)
}

// ParseRelations reads the blocks of an SQL file. Each begins with "-- relation: name (view)" or (table), continues with "--
// doc:" and "-- column name:" lines, and ends with one SELECT. "-- column name from other:" names a column that has another name in its source. A line "-- key: a, b" names the columns that identify a row. A
// line "-- union: a, b" says that the relation is the union of two others, so that its rows need not be written to Parquet twice. A line
// "-- rows of: contacts_raw" says that each row is a stored one, so that a publish needs to compare few columns. A line "-- changed
// by: conversations.id, conversation_parts.conversation_id" says which rows alone decide on the rows of one value of the first key column.
// Its error is grammar.Mistakes, with file as the name of the file.
func ParseRelations(file, text string) ([]Relation, error) {
	var report grammar.Report
	if !strings.Contains("\n"+text, "\n-- relation:") {
		report.Hide(file) // it may be any file
	}
	wrong := func(line int, format string, args ...any) {
		lines := strings.Split(text, "\n")
		report.Add(grammar.Mistake{File: file, Line: line, Column: 1, Message: fmt.Sprintf(format, args...), Excerpt: lines[line-1]})
	}
	var all []Relation
	var heads []int // line of each relation
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if head := relationHead.FindStringSubmatch(line); head != nil {
			all, heads = append(all, Relation{Name: head[1], Kind: head[2], File: file}), append(heads, i+1)
			continue
		}
		if strings.HasPrefix(line, "-- relation:") {
			wrong(i+1, "%s", headProblem(line))
			continue
		}
		if len(all) == 0 {
			if report.Err() == nil && line != "" && !strings.HasPrefix(line, "--") {
				wrong(i+1, "the file must begin with -- relation: NAME (view), then -- doc: what one row is (docs/models.md#your-own-models)")
				break
			}
			continue
		}
		if problem, hint := all[len(all)-1].parseLine(line, i+1); problem != "" {
			report.Add(grammar.Mistake{File: file, Line: i + 1, Column: 1, Message: problem, Excerpt: line, Hint: hint})
		}
	}
	for i := range all {
		all[i].SQL = strings.TrimRight(strings.TrimSpace(all[i].SQL), "; \n")
		for j := range i {
			if all[j].Name == all[i].Name {
				wrong(heads[i], "relation %q is defined twice", all[i].Name)
			}
		}
		if all[i].SQL == "" {
			wrong(heads[i], "relation %q has no SELECT", all[i].Name)
		}
		if all[i].Doc == "" {
			wrong(heads[i], "relation %q has no line -- doc: what one row is", all[i].Name)
		}
	}
	lintRelations(all, func(i int, format string, args ...any) { wrong(heads[i], format, args...) })
	if len(all) == 0 && report.Err() == nil {
		report.Add(grammar.Mistake{File: file, Message: "no -- relation: line, so nothing is published"})
	}
	return all, report.Err()
}

// lintRelations reports lines of relations that do not fit their SQL, or the other relations of the file. wrong gets the number of the relation.
func lintRelations(all []Relation, wrong func(i int, format string, args ...any)) {
	for i, r := range all {
		if problem := r.checkChangedBy(); problem != "" {
			wrong(i, "relation %q %s", r.Name, problem)
		}
		for _, name := range r.RowsOf {
			if !slices.ContainsFunc(all, func(other Relation) bool {
				return slices.ContainsFunc(other.Sources(), func(s RelationSource) bool { return s.Name == name && !s.Model })
			}) {
				wrong(i, "relation %q has rows of %q, which no relation of this file reads", r.Name, name)
			}
		}
		for _, name := range r.Union {
			if !slices.ContainsFunc(all, func(other Relation) bool { return other.Name == name && name != r.Name && len(other.Union) == 0 }) {
				wrong(i, "relation %q is a union with %q, which is not another relation of this file", r.Name, name)
			}
		}
	}
}

// RelationSource is a name in braces in the SQL of a relation: a stored relation, a table of the raw schema, or a model.
type RelationSource struct {
	Name  string
	Model bool
	Raw   bool

	relation *Relation
	at       int // position of the name in the SQL, in bytes
}

var sourceName = regexp.MustCompile(`\{(schema|raw|models)\}\.([a-z0-9_]+)`)

// Sources returns what the relation reads, each name once.
func (r *Relation) Sources() (all []RelationSource) {
	for _, found := range sourceName.FindAllStringSubmatchIndex(r.SQL, -1) {
		kind := r.SQL[found[2]:found[3]]
		one := RelationSource{Name: r.SQL[found[4]:found[5]], Model: kind == "models", Raw: kind == "raw", relation: r, at: found[4]}
		if !slices.ContainsFunc(all, func(other RelationSource) bool {
			return other.Name == one.Name && other.Model == one.Model && other.Raw == one.Raw
		}) {
			all = append(all, one)
		}
	}
	return all
}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// Placeholders returns the words in braces of the SQL, such as schema, each once.
func (r *Relation) Placeholders() (all []RelationSource) {
	for _, found := range placeholder.FindAllStringSubmatchIndex(r.SQL, -1) {
		name := r.SQL[found[2]:found[3]]
		if !slices.ContainsFunc(all, func(other RelationSource) bool { return other.Name == name }) {
			all = append(all, RelationSource{Name: name, relation: r, at: found[2]})
		}
	}
	return all
}

// Mistake is a mistake at the name.
func (s RelationSource) Mistake(message, hint string) grammar.Mistake {
	before, after := s.relation.SQL[:s.at], s.relation.SQL[s.at:]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	return grammar.Mistake{File: s.relation.File, Line: s.relation.Line + strings.Count(before, "\n"), Column: utf8.RuneCountInString(line) + 1, Message: message, Hint: hint,
		Excerpt: line + rest}
}

var storedName = regexp.MustCompile(`\{(?:schema|raw)\}\.([a-z0-9_]+)`)

// checkChangedBy is what is wrong with the relation's changed by line; "" where nothing is. Every stored table that the SQL reads must be in it.
func (r *Relation) checkChangedBy() string {
	if len(r.ChangedBy) == 0 {
		return ""
	}
	if len(r.Key) == 0 {
		return "has a changed by line and no key line"
	}
	for _, source := range r.ChangedBy {
		if table, column, ok := strings.Cut(source, "."); !ok || table == "" || column == "" {
			return fmt.Sprintf("is changed by %q, which is not like conversations.id", source)
		}
	}
	for _, read := range storedName.FindAllStringSubmatch(r.SQL, -1) {
		if !slices.ContainsFunc(r.ChangedBy, func(source string) bool { return strings.HasPrefix(source, read[1]+".") }) {
			return fmt.Sprintf("reads %s, which is not in its changed by line", read[0])
		}
	}
	return ""
}

// headLine is a line before the SELECT of a relation.
type headLine struct {
	number int
	text   string
}

// headExamples has a line of each kind that may stand between the line -- relation: and the SELECT.
var headExamples = map[string]string{"doc": "-- doc: One row per contact.", "key": "-- key: id", "column": "-- column NAME: its meaning",
	"union": "-- union: a, b", "rows of": "-- rows of: contacts_raw", "changed by": "-- changed by: conversations.id"}

var headForm = regexp.MustCompile(`^-- (doc|key|column|union|rows of|changed by)( [^:]+)?: .`)

// parseLine adds one line of the relation's block. It returns what is wrong with the line, and what to do; "" where nothing is.
func (r *Relation) parseLine(line string, number int) (problem, hint string) {
	head := headForm.FindStringSubmatch(line)
	switch {
	case r.SQL == "" && head != nil && (head[1] == "column") == (head[2] != ""):
		r.head = append(r.head, headLine{number, line})
		return r.parseHead(head[1], line)
	case r.SQL == "" && strings.HasPrefix(line, "--"):
		return misspelledHead(line)
	case r.SQL == "" && line == "":
		return "", ""
	case r.SQL == "":
		r.Line = number
	case head != nil:
		name, _, _ := strings.Cut(line, ":")
		problem, hint = fmt.Sprintf("the line %q is below the SELECT, where it is a comment", name+":"), "move it above the SELECT"
	}
	r.SQL += line + "\n"
	return problem, hint
}

// parseHead adds a line of a known kind.
func (r *Relation) parseHead(kind, line string) (problem, hint string) {
	name, text, _ := strings.Cut(strings.TrimPrefix(line, "-- "), ": ")
	lists := map[string]*[]string{"union": &r.Union, "key": &r.Key, "rows of": &r.RowsOf, "changed by": &r.ChangedBy}
	switch list := lists[kind]; {
	case kind == "doc" && r.Doc == "":
		r.Doc = text
	case list != nil && *list == nil:
		*list = strings.Split(strings.ReplaceAll(text, " ", ""), ",")
	case kind == "column":
		name, from, _ := strings.Cut(strings.TrimPrefix(name, "column "), " from ")
		if slices.ContainsFunc(r.Columns, func(c RelationColumn) bool { return c.Name == name }) {
			return fmt.Sprintf("column %q is described twice", name), "remove one of the lines"
		}
		r.Columns = append(r.Columns, RelationColumn{Name: name, Doc: text, From: from})
	default:
		return fmt.Sprintf("relation %q has two lines \"-- %s:\"", r.Name, kind), "write them as one"
	}
	return "", ""
}

// misspelledHead finds a comment that resembles a line of a known kind. Other comments may say anything.
func misspelledHead(line string) (problem, hint string) {
	written, _, ok := strings.Cut(line, ":")
	text := strings.TrimSpace(strings.TrimLeft(written, "-"))
	first, _, several := strings.Cut(text, " ")
	meant := grammar.Nearest(text, []string{"doc", "key", "column", "union", "rows of", "changed by"})
	if meant == "" && several {
		meant = grammar.Nearest(first, []string{"column"})
	}
	if !ok || meant == "" {
		return "", ""
	}
	return fmt.Sprintf("unknown line %q", written+":"), fmt.Sprintf("did you mean %q?", headExamples[meant])
}

// ColumnMistake is a mistake at a column that a line above the SELECT names; without such a line it is at the SELECT.
func (r *Relation) ColumnMistake(column, message, hint string) grammar.Mistake {
	m := grammar.Mistake{File: r.File, Line: r.Line, Column: 1, Message: message, Hint: hint}
	named := regexp.MustCompile(`^-- (?:key: (?:.*[ ,])?|column )(` + regexp.QuoteMeta(column) + `)(?:[:, ]|$)`)
	for _, line := range r.head {
		if at := named.FindStringSubmatchIndex(line.text); at != nil {
			m.Line, m.Column, m.Excerpt = line.number, utf8.RuneCountInString(line.text[:at[2]])+1, line.text
			return m
		}
	}
	return m
}
