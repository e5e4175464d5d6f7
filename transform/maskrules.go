package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"aqueduck/schemas"
)

// MaskRule is a place of stored values that a name of hash or drop means. The loader masks them when the configuration changes.
type MaskRule struct {
	Table  string
	Column string   // "" with Rows
	Path   []string // inside the column's JSON; nil: the whole value
	Hash   bool     // the value is replaced by its hash, as a new reading would store it; else by NULL
	Hashed bool     // with Hash: some values may be hashed already, which is not recorded
	Rows   bool     // the rows are deleted: their list is dropped
}

// MaskRules are the places that a name of hash or drop means. Where the stored value does not suffice to compute the hash of the
// source's value, the value is removed, and the next reading brings the hash.
func MaskRules(s *schemas.Stream, name string, hash bool) ([]MaskRule, error) {
	paths, err := sourcePaths(s, name)
	if err != nil {
		return nil, err
	}
	var list []MaskRule
	for i, t := range Tables(s) {
		bases, columns := [][]string{nil}, s.Columns
		if i > 0 {
			bases, columns = s.PathsOf(s.Children[i-1]), s.Children[i-1].Columns
		}
		for _, base := range bases {
			for _, h := range maskRulesBelow(t.Name, i > 0, base, columns, paths, hash) {
				if !slices.ContainsFunc(list, h.equalsRule) {
					list = append(list, h)
				}
			}
		}
	}
	return list, nil
}

// maskRulesBelow are the places of paths in a table whose rows are at base.
func maskRulesBelow(table string, child bool, base []string, columns []schemas.Column, paths [][]string, hash bool) (list []MaskRule) {
	for _, path := range paths {
		if child && hasPathPrefix(base, path) {
			list = append(list, MaskRule{Table: table, Rows: true})
		} else if hasPathPrefix(path, base) {
			list = append(list, maskRulesWithin(table, columns, path[len(base):], hash)...)
		}
	}
	return list
}

// SimplifyRules leaves out the rules that others make superfluous: equal ones, those of columns whose rows are deleted, and those of
// fields in a column that is masked as a whole. A column that one rule hashes and another empties is emptied.
func SimplifyRules(rules []MaskRule) (list []MaskRule) {
	covers := func(other, p MaskRule) bool {
		if other.Table != p.Table || p.Rows {
			return false
		}
		return other.Rows || other.Column == p.Column && len(other.Path) == 0 && (len(p.Path) > 0 || p.Hash && !other.Hash)
	}
	for _, p := range rules {
		if !slices.ContainsFunc(list, p.equalsRule) && !slices.ContainsFunc(rules, func(other MaskRule) bool { return covers(other, p) }) {
			list = append(list, p)
		}
	}
	return list
}

// equalsRule reports whether two rules have the same place and action.
func (h MaskRule) equalsRule(other MaskRule) bool {
	return h.Table == other.Table && h.Column == other.Column && slices.Equal(h.Path, other.Path) && h.Hash == other.Hash && h.Rows == other.Rows
}

// maskRulesWithin are the places in one table that have the value at a path, or parts of it.
func maskRulesWithin(table string, columns []schemas.Column, path []string, hash bool) []MaskRule {
	list := []MaskRule{{Table: table, Column: ExtraColumn, Path: path}}
	for _, c := range columns {
		if isComputed(c.From) || hash && c.As == schemas.HasText { // a hash leaves whether there is a text
			continue
		}
		for _, place := range c.Places() {
			switch {
			case slices.Equal(place, path):
				list = append(list, MaskRule{Table: table, Column: c.Name, Hash: hash && c.Type == schemas.Text && c.As == ""})
			case hasPathPrefix(place, path):
				list = append(list, MaskRule{Table: table, Column: c.Name})
			case hasPathPrefix(path, place) && c.Type == schemas.JSON:
				list = append(list, MaskRule{Table: table, Column: c.Name, Path: path[len(place):]})
			}
		}
	}
	return list
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
