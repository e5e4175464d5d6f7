package dictionary

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

var (
	// fromRelation matches a relation that SQL reads, and the word after it, which may be its alias.
	fromRelation = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+\{(schema|raw|models)\}\.(\w+)(?:\s+(?:AS\s+)?(\w+))?`)
	// notAnAlias matches words that may stand after a relation and are no alias.
	notAnAlias = regexp.MustCompile(`(?i)^(ON|USING|WHERE|GROUP|ORDER|LIMIT|QUALIFY|WINDOW|UNION|JOIN|LEFT|RIGHT|FULL|INNER|CROSS|SEMI|ANTI|ASOF|POSITIONAL|NATURAL|TABLESAMPLE)$`)
	// mention matches a column with the alias of its relation, or coalesce of such a column and others, and the name that it gets. What comes before shows
	// that it is a column of the result by itself.
	mention = regexp.MustCompile(`(?i)((?:\bSELECT|\bDISTINCT|,)\s+)?(?:\bcoalesce\()?\b(\w+)\.(\w+)(?:(?:,[^()]*\))?\s+AS\s+(\w+))?`)
	// rename matches a column without an alias, and the name that it gets.
	rename = regexp.MustCompile(`(?i)(?:\bSELECT|\bDISTINCT|,)\s+(\w+)\s+AS\s+(\w+)`)
)

// relationAliases returns the relations that SQL reads, by their aliases. An alias of two relations is empty.
func relationAliases(sql string) map[string]string {
	all := map[string]string{}
	for _, found := range fromRelation.FindAllStringSubmatch(sql, -1) {
		name, alias := found[2], found[3]
		if found[1] == "models" {
			name = config.ModelSchema(dictionarySchema) + "." + name
		}
		if alias == "" || notAnAlias.MatchString(alias) {
			alias = found[2]
		}
		if other, known := all[alias]; known && other != name {
			name = ""
		}
		all[alias] = name
	}
	return all
}

// givenName returns the column that SQL gives a name, or leaves its name, and its alias.
func givenName(sql, name string, renamedOnly bool) (alias, column string) {
	for _, found := range mention.FindAllStringSubmatch(sql, -1) {
		if found[4] == name && found[1] != "" || found[4] == "" && found[3] == name && !renamedOnly {
			return found[2], found[3]
		}
	}
	return "", ""
}

// commonTable returns the SQL of the common table that has an alias in the last SELECT; "" when a relation has it, or nothing.
func commonTable(sql, last, alias string) string {
	named := regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+(\w+)\s+` + alias + `\b`).FindStringSubmatch(last)
	if alias == "" || named == nil {
		return ""
	}
	body := regexp.MustCompile(`(?s)\b` + named[1] + ` AS \(\n(.*?)\n\)`).FindStringSubmatch(sql)
	if body == nil {
		return ""
	}
	return body[1]
}

// columnSource returns the column that a column of a relation comes from. What the last SELECT lists says it, or a SELECT that renames a column of a
// relation. Where neither does, and nothing computes it, it is the column of that name in the relation that shares most columns with this one.
func (b *dictionaryBuilder) columnSource(r schemas.Relation, reads []string, columns []transform.Column, column string) []string {
	sql := unspoken.ReplaceAllString(r.SQL, "")
	last := sql
	if at := strings.LastIndex(sql, "\n)\n"); at >= 0 {
		last = sql[at:]
	}
	list, _, _ := strings.Cut(last, "\nFROM ")
	alias, of := givenName(list, column, false)
	from := relationAliases(last)[alias]
	if from == "" && (of == "" || of == column) {
		if other, name := givenName(sql, column, true); relationAliases(sql)[other] != "" {
			from, of = relationAliases(sql)[other], name
		}
	}
	if from == "" && len(reads) == 1 {
		for _, found := range rename.FindAllStringSubmatch(sql, -1) {
			if found[2] == column && b.hasColumn(reads[0], found[1]) {
				from, of = reads[0], found[1]
			}
		}
	}
	if from != "" && b.hasColumn(from, of) {
		return []string{from + "." + of}
	}
	return b.sharedSource(cmp.Or(commonTable(sql, last, alias), sql), reads, columns, cmp.Or(of, column))
}

// sharedSource returns the column of that name in the relation that shares most columns with others; none when SQL computes it from columns of other names.
func (b *dictionaryBuilder) sharedSource(sql string, reads []string, columns []transform.Column, column string) []string {
	word := `\b` + column + `\b`
	bare := regexp.MustCompile(`(?i)(\w+\.|\bAS\s+)`+word).ReplaceAllString(sql, "")
	if regexp.MustCompile(`(?i)\bAS\s+`+word).MatchString(sql) && !regexp.MustCompile(`(?i)`+word).MatchString(bare) {
		return nil
	}
	best, most := "", 0
	for _, o := range b.outline {
		if name := queryName(o); slices.Contains(reads, name) && b.hasColumn(name, column) {
			if shared := countShared(o, columns); best == "" || shared > most {
				best, most = name, shared
			}
		}
	}
	if best == "" {
		return nil
	}
	return []string{best + "." + column}
}

// hasColumn reports whether a relation of the outline has a column.
func (b *dictionaryBuilder) hasColumn(relation, column string) bool {
	return slices.ContainsFunc(b.outline, func(o publish.RelationOutline) bool {
		return queryName(o) == relation && slices.ContainsFunc(o.Columns, func(c transform.Column) bool { return c.Name == column })
	})
}

// countShared counts the names of columns that a relation shares with others.
func countShared(o publish.RelationOutline, columns []transform.Column) (count int) {
	for _, c := range o.Columns {
		if !slices.Contains(everywhere, c.Name) && slices.ContainsFunc(columns, func(other transform.Column) bool { return other.Name == c.Name }) {
			count++
		}
	}
	return count
}
