package transform

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-faster/jx"

	"aqueduck/schemas"
)

// MaskRule is a place of stored values that a name of hash or drop means. The loader masks them when the configuration changes.
type MaskRule struct {
	Table     string
	Column    string   // "" with Rows
	From      string   // with Hash: the column with the text as it was sent, where Column has it converted; "": Column itself
	Path      []string // inside the column's JSON; nil: the whole value
	KeyColumn string   // the rule is for the rows with Key in this column; "": for all rows
	Key       string
	Hash      bool // the value is replaced by its hash, as a new reading would store it; else by NULL
	Hashed    bool // with Hash: some values may be hashed already, which is not recorded
	Rows      bool // the rows are deleted: their list, or the entry, is dropped

	Objects [][]string // with Column _extra: the declared objects, whose other fields a reading masks one by one
}

// MaskRules are the places that a name of hash or drop means. Where the stored value does not suffice to compute the hash of the
// source's value, the value is removed, and the next reading brings the hash.
func MaskRules(s *schemas.Stream, name string, hash bool) ([]MaskRule, error) {
	paths, err := sourcePaths(s, name)
	if err != nil {
		return nil, err
	}
	plans, err := compilePlans(s, nil)
	if err != nil {
		return nil, err
	}
	var list []MaskRule
	for i, t := range Tables(s) {
		bases, columns, key := [][]string{nil}, s.Columns, ""
		if i > 0 {
			child := s.Children[i-1]
			bases, columns, key = s.PathsOf(child), child.Columns, keyOf(s, child)
		}
		for _, base := range bases {
			for _, path := range paths {
				for _, m := range matchPath(base, path) {
					found := []MaskRule{{Table: t.Name, Rows: true}}
					if !m.whole || hash { // a reading hashes each value of a list
						found = maskRulesWithin(t.Name, columns, m.rest, hash)
						found[0].Objects = plans[i].root.objectPaths(nil)
					}
					list = appendRules(list, found, key, m.key)
				}
			}
		}
		for _, c := range columns {
			if c.From[0] == schemas.FromParent {
				list = appendRules(list, copiedRules(list, t, c, columns), "", "")
			}
		}
	}
	return list, nil
}

// appendRules appends rules that are for the rows with a key, or for all rows without one.
func appendRules(list, rules []MaskRule, keyColumn, key string) []MaskRule {
	for _, p := range rules {
		if keyColumn != "" && key != "" {
			p.KeyColumn, p.Key = keyColumn, key
		}
		if !slices.ContainsFunc(list, p.equalsRule) {
			list = append(list, p)
		}
	}
	return list
}

// copiedRules are the rules for a column with copies of another one, which is in the table around the list.
func copiedRules(rules []MaskRule, t Table, c schemas.Column, columns []schemas.Column) (list []MaskRule) {
	outer := cmp.Or(t.Within, t.Parent)
	for _, p := range rules {
		if p.Table != outer || p.Column != c.From[1] {
			continue
		}
		p.Table, p.Column, p.Hash, p.From = t.Name, c.Name, p.Hash && p.From == "", ""
		if p.KeyColumn = columnFrom(columns, []string{schemas.FromParent, p.KeyColumn}); p.KeyColumn == "" {
			p.Key = ""
		}
		list = append(list, p)
	}
	return list
}

// SimplifyRules leaves out the rules that others make superfluous: equal ones, those of columns whose rows are deleted, and those of
// fields in a column that is masked as a whole. A column that one rule hashes and another empties is emptied.
func SimplifyRules(rules []MaskRule) (list []MaskRule) {
	covers := func(other, p MaskRule) bool {
		if other.Table != p.Table || other.KeyColumn != "" && (other.KeyColumn != p.KeyColumn || other.Key != p.Key) {
			return false
		}
		if p.Rows || other.Rows {
			return other.Rows && (!p.Rows || p.KeyColumn != other.KeyColumn)
		}
		return other.Column == p.Column && len(other.Path) == 0 && (len(p.Path) > 0 || p.Hash && !other.Hash)
	}
	for _, p := range rules {
		if i := slices.IndexFunc(list, p.equalsRule); i >= 0 {
			list[i].Hashed = list[i].Hashed || p.Hashed
			continue
		}
		if !slices.ContainsFunc(rules, func(other MaskRule) bool { return covers(other, p) }) {
			list = append(list, p)
		}
	}
	return list
}

// equalsRule reports whether two rules have the same place and action.
func (h MaskRule) equalsRule(other MaskRule) bool {
	return h.Table == other.Table && h.Column == other.Column && h.From == other.From && slices.Equal(h.Path, other.Path) &&
		h.KeyColumn == other.KeyColumn && h.Key == other.Key && h.Hash == other.Hash && h.Rows == other.Rows
}

// MaskGroup is what is masked together: the rules for one column in the same rows, or the deletion of rows.
type MaskGroup struct {
	Table, Column string
	Rules         []MaskRule // several only for fields of the column's JSON
	KeyColumn     string     // the group is for some rows only; "": for all
	Key           string     // in the column: the rows of the group
	Except        []string   // instead of Key: other groups have the rows with these
}

// GroupRules groups rules in the order in which they are applied. Rows are deleted first. A column that is hashed from another comes
// before that one. No row is in two groups of a column, because a hash of a hash would be another value.
func GroupRules(rules []MaskRule) (groups []MaskGroup) {
	rules = SimplifyRules(rules)
	for i, p := range rules {
		if p.Rows {
			groups = append(groups, MaskGroup{Table: p.Table, Rules: []MaskRule{p}, KeyColumn: p.KeyColumn, Key: p.Key})
			continue
		}
		same := func(other MaskRule) bool { return other.Table == p.Table && other.Column == p.Column && !other.Rows }
		if slices.ContainsFunc(rules[:i], same) {
			continue
		}
		var keyColumn string
		var keys []string
		var all, rest []MaskRule
		for _, other := range rules {
			switch {
			case !same(other):
				continue
			case other.KeyColumn == "":
				rest = append(rest, other)
			case !slices.Contains(keys, other.Key):
				keyColumn, keys = other.KeyColumn, append(keys, other.Key)
			}
			all = append(all, other)
		}
		for _, key := range keys {
			g := MaskGroup{Table: p.Table, Column: p.Column, KeyColumn: keyColumn, Key: key}
			for _, other := range all {
				if other.KeyColumn == "" || other.Key == key {
					other.KeyColumn, other.Key = "", ""
					g.Rules = append(g.Rules, other)
				}
			}
			g.Rules = SimplifyRules(g.Rules)
			groups = append(groups, g)
		}
		if len(rest) > 0 {
			groups = append(groups, MaskGroup{Table: p.Table, Column: p.Column, Rules: rest, KeyColumn: keyColumn, Except: keys})
		}
	}
	slices.SortStableFunc(groups, func(a, b MaskGroup) int { return cmp.Compare(b.Rules[0].From, a.Rules[0].From) })
	slices.SortStableFunc(groups, func(a, b MaskGroup) int { return cmp.Compare(min(1, len(a.Column)), min(1, len(b.Column))) })
	return groups
}

// RulesAfter are the rules for rows that were stored, or masked, with earlier rules. What these cover is left out. Where a part of a value
// was masked before, the hash of the source's value cannot be computed: the value is removed. An earlier rule with Hashed was in effect for
// some of the rows only.
func RulesAfter(rules, before []MaskRule) (list []MaskRule) {
	for _, p := range rules {
		var removed []MaskRule
		masked := false
		for _, b := range before {
			if b.Table != p.Table || b.Column != p.Column || b.KeyColumn != "" && p.KeyColumn != "" && b.Key != p.Key {
				continue
			}
			if b.Rows || b.Column == "" {
				masked = masked || b.Rows && p.Rows && !b.Hashed && (b.KeyColumn == "" || b.KeyColumn == p.KeyColumn)
				continue
			}
			n := len(p.Path)
			switch around := b.KeyColumn == "" || b.KeyColumn == p.KeyColumn; {
			case around && !b.Hashed && coversPath(b.Path, p.Path) && (len(b.Path) < n || !b.Hash || p.Hash):
				masked = true
			case !p.Hash || !meetsPath(p.Path, b.Path):
			case len(b.Path) <= n:
				p.Hashed = p.Hashed || b.Hash
			case around && coversPath(b.Path[:n], p.Path):
				p.Hash = false
			default:
				part := p
				part.Path, part.KeyColumn, part.Key, part.Hash = b.Path[:n], cmp.Or(p.KeyColumn, b.KeyColumn), cmp.Or(p.Key, b.Key), false
				p.Hashed, removed = p.Hashed || b.Hash, append(removed, part)
			}
		}
		if !masked {
			list = append(append(list, p), removed...)
		}
	}
	return list
}

// coversPath reports whether all values at a path are at, or below, another one.
func coversPath(path, below []string) bool {
	return len(path) <= len(below) && slices.EqualFunc(path, below[:len(path)], func(a, b string) bool { return a == b || a == schemas.AnyKey })
}

// meetsPath reports whether some values at one path are at, above or below another one.
func meetsPath(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.EqualFunc(a[:n], b[:n], func(a, b string) bool { return a == b || a == schemas.AnyKey || b == schemas.AnyKey })
}

// maskRulesWithin are the places in one table that have the value at a path, or parts of it. Without a path they are all places.
func maskRulesWithin(table string, columns []schemas.Column, path []string, hash bool) []MaskRule {
	list := []MaskRule{{Table: table, Column: ExtraColumn, Path: path, Hash: hash}}
	if len(path) == 0 {
		list[0].Path = []string{schemas.AnyKey}
	}
	for _, c := range columns {
		places := c.Places()
		switch {
		case hash && c.As == schemas.HasText: // a hash leaves whether there is a text
			continue
		case c.From[0] == schemas.FromItem:
			places = [][]string{nil}
		case isComputed(c.From):
			continue
		}
		for _, place := range places {
			for _, m := range matchPath(place, path) {
				switch {
				case m.whole:
					list = append(list, wholeRule(table, columns, c, hash))
				case c.Type == schemas.JSON:
					list = append(list, MaskRule{Table: table, Column: c.Name, Path: m.rest, Hash: hash})
				}
			}
		}
	}
	return list
}

// wholeRule is the rule for all values of a column. A text that was converted is hashed from a column that has it as it was sent; without
// one it is removed.
func wholeRule(table string, columns []schemas.Column, c schemas.Column, hash bool) MaskRule {
	rule := MaskRule{Table: table, Column: c.Name, Hash: hash && (c.Type == schemas.Text || c.Type == schemas.JSON)}
	if c.As != "plain_text" || !rule.Hash {
		return rule
	}
	i := slices.IndexFunc(columns, func(o schemas.Column) bool {
		return o.Type == schemas.Text && o.As == "" && slices.EqualFunc(o.Places(), c.Places(), slices.Equal)
	})
	if rule.Hash = i >= 0; rule.Hash {
		rule.From = columns[i].Name
	}
	return rule
}

func hasPathPrefix(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
}

// Hash is the text that a hashed column stores for a text.
func Hash(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// MaskJSON makes a function that masks the places of some rules in a stored JSON text, as a reading would. The rules are those of one
// column. The answer is "" where nothing is left.
func MaskJSON(rules []MaskRule, key []byte) func(stored string) (masked string) {
	root := &maskPolicy{kids: map[string]*maskPolicy{}, known: rules[0].Column == ExtraColumn}
	for _, p := range rules {
		act := actHash
		if !p.Hash {
			act = actDrop
		}
		if len(p.Path) == 0 {
			root.act = max(root.act, act)
		}
		root.addPath(p.Path, act)
	}
	for _, path := range rules[0].Objects {
		root.addKnown(path)
	}
	root.resolve(actKeep)
	m := jsonMasker{text: &recordText{}, policy: root, mac: hmac.New(sha256.New, key)}
	m.hashed = slices.ContainsFunc(rules, func(p MaskRule) bool { return p.Hashed })
	return func(stored string) string {
		raw := []byte(stored)
		if root.act == actDrop || jx.DecodeBytes(raw).Validate() != nil {
			return ""
		}
		m.text.resetRecord(raw)
		m.rewriteValue(m.text.raw, root)
		if masked := string(m.text.arena); masked != "{}" || !root.known {
			return masked
		}
		return ""
	}
}
