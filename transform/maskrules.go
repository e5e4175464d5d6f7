package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"aqueduck/schemas"
)

// MaskRule is a place in the tables of a stream where stored values lie that a name of hash or drop means.
type MaskRule struct {
	Table  string
	Column string   // "" with Rows
	Path   []string // inside the column's JSON; nil: the whole value
	Hash   bool     // the value's hash takes its place, as it will be read; else nothing does
	Hashed bool     // with Hash: some values may be hashes already, nobody noted it
	Rows   bool     // the rows go: the list that they are made of is dropped
}

// MaskRules gives the places that a name of hash or drop means. A hash that the stored value cannot give, being made of more than
// the value, is left to the next reading.
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

// maskRulesBelow gives the places of some paths in a table whose rows are at base.
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

// equalsRule reports whether two say the same of the same place.
func (h MaskRule) equalsRule(other MaskRule) bool {
	return h.Table == other.Table && h.Column == other.Column && slices.Equal(h.Path, other.Path) && h.Hash == other.Hash && h.Rows == other.Rows
}

// maskRulesWithin gives the places in one table that hold a value, or parts of it.
func maskRulesWithin(table string, columns []schemas.Column, path []string, hash bool) []MaskRule {
	list := []MaskRule{{Table: table, Column: ExtraColumn, Path: path}}
	for _, c := range columns {
		if isComputed(c.From) {
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

// Hash is what a text becomes in a hashed column.
func Hash(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
