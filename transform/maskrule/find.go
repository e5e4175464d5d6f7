package maskrule

import (
	"slices"

	"aqueduck/schemas"
)

// Find gives the places that a name of hash or drop means. Where the stored value does not suffice to compute the hash of the source's
// value, the rule removes the value, and the next reading brings the hash.
func Find(s *schemas.Stream, name string, hash bool) (list []Rule, err error) {
	paths, err := SourcePaths(s, name)
	if err != nil {
		return nil, err
	}
	for _, t := range tablesOf(s) {
		for _, base := range t.bases {
			for _, path := range paths {
				for _, m := range matchPath(base, path) {
					found := []Rule{{Table: t.name, Rows: true}}
					if !m.whole || hash { // a reading hashes each value of a list
						found = t.findWithin(m.rest, hash)
					}
					for i := range found {
						if t.keyColumn != "" && m.key != "" {
							found[i].KeyColumn, found[i].Key = t.keyColumn, m.key
						}
					}
					list = addRules(list, found)
				}
			}
		}
		for _, c := range t.columns {
			if c.From[0] == schemas.FromParent {
				list = addRules(list, t.copiedRules(list, c))
			}
		}
	}
	return list, nil
}

// addRules adds the rules that a list does not have.
func addRules(list, rules []Rule) []Rule {
	for _, p := range rules {
		if !slices.ContainsFunc(list, p.equalsRule) {
			list = append(list, p)
		}
	}
	return list
}

// copiedRules are the rules for a column with copies of another one, which is in the table around the list.
func (t streamTable) copiedRules(rules []Rule, c schemas.Column) (list []Rule) {
	for _, p := range rules {
		if p.Table != t.outer || p.Column != c.From[1] {
			continue
		}
		p.Table, p.Column, p.Hash, p.From = t.name, c.Name, p.Hash && p.From == "", ""
		if p.KeyColumn = columnFrom(t.columns, schemas.FromParent, p.KeyColumn); p.KeyColumn == "" {
			p.Key = ""
		}
		list = append(list, p)
	}
	return list
}

// findWithin are the places in a table that have the value at a path below a row, or parts of it. Without a path they are all places.
func (t streamTable) findWithin(path []string, hash bool) []Rule {
	list := []Rule{{Table: t.name, Column: schemas.ExtraColumn, Path: path, Hash: hash}}
	if len(path) == 0 {
		list[0].Path = []string{schemas.AnyKey}
	}
	for _, c := range t.columns {
		places := c.Places()
		switch {
		case hash && c.As == schemas.HasText: // a hash leaves whether there is a text
			continue
		case c.From[0] == schemas.FromItem:
			places = [][]string{nil}
		case c.IsComputed():
			continue
		}
		for _, place := range places {
			for _, m := range matchPath(place, path) {
				switch {
				case m.whole:
					list = append(list, t.wholeRule(c, hash))
				case c.Type == schemas.JSON:
					list = append(list, Rule{Table: t.name, Column: c.Name, Path: m.rest, Hash: hash})
				}
			}
		}
	}
	return list
}

// wholeRule is the rule for all values of a column. A text that was converted is hashed from a column that has it as it was sent; without
// one it is removed.
func (t streamTable) wholeRule(c schemas.Column, hash bool) Rule {
	rule := Rule{Table: t.name, Column: c.Name, Hash: hash && (c.Type == schemas.Text || c.Type == schemas.JSON)}
	if c.As != schemas.PlainText || !rule.Hash {
		return rule
	}
	i := slices.IndexFunc(t.columns, func(o schemas.Column) bool {
		return o.Type == schemas.Text && o.As == "" && slices.EqualFunc(o.Places(), c.Places(), slices.Equal)
	})
	if rule.Hash = i >= 0; rule.Hash {
		rule.From = t.columns[i].Name
	}
	return rule
}
