package maskrule

import (
	"cmp"
	"slices"
)

// Rule is a place of stored values that a name of hash or drop means. The loader masks them when the configuration changes.
type Rule struct {
	Table     string
	Column    string   // "" with Rows
	From      string   // with Hash: the column with the text as it was sent, where Column has it converted; "": Column itself
	Path      []string // inside the column's JSON; nil: the whole value
	KeyColumn string   // the rule is for the rows with Key in this column; "": for all rows
	Key       string
	Hash      bool // the value is replaced by its hash, as a new reading would store it; else by NULL
	Hashed    bool // with Hash: some values may be hashed already, which is not recorded
	Partly    bool // of an earlier masking: some rows may have been stored without it
	Rows      bool // the rows are deleted: their list, or the entry, is dropped

	Objects [][]string // with Column _extra: the declared objects, whose other fields a reading masks one by one (transform.SetObjects)
}

// equalsRule reports whether two rules have the same place and action.
func (p Rule) equalsRule(other Rule) bool {
	return p.Table == other.Table && p.Column == other.Column && p.From == other.From && slices.Equal(p.Path, other.Path) &&
		p.KeyColumn == other.KeyColumn && p.Key == other.Key && p.Hash == other.Hash && p.Rows == other.Rows
}

// Simplify leaves out the rules that others make superfluous: equal ones, those of columns whose rows are deleted, and those of
// fields in a column that is masked as a whole. A column that one rule hashes and another empties is emptied.
func Simplify(rules []Rule) (list []Rule) {
	covers := func(other, p Rule) bool {
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
		if !slices.ContainsFunc(rules, func(other Rule) bool { return covers(other, p) }) {
			list = append(list, p)
		}
	}
	return list
}

// Group is what is masked together: the rules for one column in the same rows, or the deletion of rows.
type Group struct {
	Table, Column string
	Rules         []Rule   // several only for fields of the column's JSON
	KeyColumn     string   // the group is for some rows only; "": for all
	Key           string   // the rows of the group have it in KeyColumn
	Except        []string // instead of Key: the keys of the rows that are in other groups
}

// MakeGroups groups rules in the order in which they are applied. Rows are deleted first. A column that is hashed from another comes
// before that one. No row is in two groups of a column, because a hash of a hash would be another value.
func MakeGroups(rules []Rule) (groups []Group) {
	rules = Simplify(rules)
	for i, p := range rules {
		if p.Rows {
			groups = append(groups, Group{Table: p.Table, Rules: []Rule{p}, KeyColumn: p.KeyColumn, Key: p.Key})
			continue
		}
		same := func(other Rule) bool { return other.Table == p.Table && other.Column == p.Column && !other.Rows }
		if slices.ContainsFunc(rules[:i], same) {
			continue
		}
		var keyColumn string
		var keys []string
		var all, rest []Rule
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
			g := Group{Table: p.Table, Column: p.Column, KeyColumn: keyColumn, Key: key}
			for _, other := range all {
				if other.KeyColumn == "" || other.Key == key {
					other.KeyColumn, other.Key = "", ""
					g.Rules = append(g.Rules, other)
				}
			}
			g.Rules = Simplify(g.Rules)
			groups = append(groups, g)
		}
		if len(rest) > 0 {
			groups = append(groups, Group{Table: p.Table, Column: p.Column, Rules: rest, KeyColumn: keyColumn, Except: keys})
		}
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Rules[0].From, a.Rules[0].From) })
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(min(1, len(a.Column)), min(1, len(b.Column))) })
	return groups
}

// After are the rules for rows that were stored, or masked, with earlier rules. What these cover is left out. Where a part of a value
// was masked before, the hash of the source's value cannot be computed: the value is removed.
func After(rules, before []Rule) (list []Rule) {
	for _, p := range rules {
		var removed []Rule
		masked := false
		for _, b := range before {
			if b.Table != p.Table || b.Column != p.Column || b.KeyColumn != "" && p.KeyColumn != "" && b.Key != p.Key {
				continue
			}
			n, allRows := len(p.Path), b.KeyColumn == "" || b.KeyColumn == p.KeyColumn // allRows: b is for all rows of p
			if p.Column == "" {                                                        // both delete rows
				masked = masked || allRows && !b.Partly
				continue
			}
			switch {
			case allRows && !b.Partly && coversPath(b.Path, p.Path) && (len(b.Path) < n || !b.Hash || p.Hash):
				masked = true
			case !p.Hash || !meetsPath(p.Path, b.Path): // what was masked before goes too, or is elsewhere
			case len(b.Path) <= n: // some values are hashes, or parts of a hash
				p.Hashed = p.Hashed || b.Hash
			case allRows && coversPath(b.Path[:n], p.Path): // each value lacks a part
				p.Hash = false
			default: // some values lack a part: these are removed, the others hashed
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
