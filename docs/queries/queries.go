// Package queries has the questions that analysts ask most: one SQL file each, with the question in the first line.
package queries

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

//go:embed *.sql
var files embed.FS

// joins is the one file that answers no question: it has several statements, each with its own comment.
const joins = "joins.sql"

// Query is one question and the statement that answers it.
type Query struct {
	Name     string // of its file, without .sql
	Question string
	SQL      string
	Draw     string   // column that a picture shows, named in a line "-- draw: column"; "": the first column of numbers after the first column
	Reads    []string // relations that the statement names, such as contacts or models.reply_pairs; without those of _sync, which every warehouse has
}

// All returns every question, ordered by name.
func All() ([]Query, error) {
	names, err := Names()
	if err != nil {
		return nil, err
	}
	var all []Query
	for _, name := range names {
		text, err := fs.ReadFile(files, name+".sql")
		if err != nil {
			return nil, fmt.Errorf("read the saved queries: %w", err)
		}
		all = append(all, parseQuery(name, string(text)))
	}
	return all, nil
}

// Names returns the names of all questions, in their order.
func Names() ([]string, error) {
	files, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the saved queries: %w", err)
	}
	var names []string
	for _, file := range files {
		if file != joins {
			names = append(names, strings.TrimSuffix(file, ".sql"))
		}
	}
	return names, nil
}

var (
	read  = regexp.MustCompile(`(?i)\b(from|join)\s+([a-z_][a-z0-9_]*\.)?([a-z_][a-z0-9_]*)`)
	drawn = regexp.MustCompile(`(?m)^-- draw: (\w+)$`)
	named = regexp.MustCompile(`(?i)(?:\bwith|,)\s+([a-z_][a-z0-9_]*) as (?:materialized )?\(`)
)

func parseQuery(name, text string) Query {
	first, _, _ := strings.Cut(text, "\n")
	q := Query{Name: name, Question: strings.TrimPrefix(first, "-- "), SQL: text}
	if found := drawn.FindStringSubmatch(text); found != nil {
		q.Draw = found[1]
	}
	for _, found := range read.FindAllStringSubmatch(q.uncommentedSQL(), -1) {
		if relation := found[2] + found[3]; q.isStoredRelation(found) && !slices.Contains(q.Reads, relation) {
			q.Reads = append(q.Reads, relation)
		}
	}
	slices.Sort(q.Reads)
	return q
}

// uncommentedSQL returns the SQL without its comments. Words in comments look like SQL to the search for relations.
func (q Query) uncommentedSQL() string {
	var b strings.Builder
	for line := range strings.Lines(q.SQL) {
		if !strings.HasPrefix(line, "--") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// isStoredRelation reports whether the name behind FROM or JOIN is a relation of the workspace. Relations that the statement defines itself
// and those of _sync are not.
func (q Query) isStoredRelation(found []string) bool {
	if found[2] != "" {
		return found[2] == "models."
	}
	return !slices.ContainsFunc(named.FindAllStringSubmatch(q.SQL, -1), func(with []string) bool { return with[1] == found[3] })
}

// In returns the statement for the workspace in a schema: each relation gets that schema, and each model gets the schema of the models.
func (q Query) In(schema, models string) string {
	return read.ReplaceAllStringFunc(q.uncommentedSQL(), func(text string) string {
		found := read.FindStringSubmatch(text)
		switch {
		case !q.isStoredRelation(found):
			return text
		case found[2] != "":
			return found[1] + " " + quoteIdentifier(models) + "." + found[3]
		}
		return found[1] + " " + quoteIdentifier(schema) + "." + found[3]
	})
}

func quoteIdentifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
