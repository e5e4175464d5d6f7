package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-faster/jx"

	"aqueduck/schemas"
)

// MaskRule is a place of stored values that a name of hash or drop means. The loader masks them when the configuration changes.
type MaskRule struct {
	Table  string
	Column string   // "" with Rows
	From   string   // with Hash: the column with the text as it was sent, where Column has it converted; "": Column itself
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
		switch {
		case child && hasPathPrefix(base, path) && !hash:
			list = append(list, MaskRule{Table: table, Rows: true})
		case child && hasPathPrefix(base, path): // a reading hashes each value of the list
			list = append(list, maskRulesWithin(table, columns, nil, hash)...)
		case hasPathPrefix(path, base):
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
	return h.Table == other.Table && h.Column == other.Column && h.From == other.From && slices.Equal(h.Path, other.Path) && h.Hash == other.Hash && h.Rows == other.Rows
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
			switch {
			case hasPathPrefix(place, path):
				list = append(list, wholeRule(table, columns, c, hash))
			case hasPathPrefix(path, place) && c.Type == schemas.JSON:
				list = append(list, MaskRule{Table: table, Column: c.Name, Path: path[len(place):], Hash: hash})
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
	root := &maskPolicy{kids: map[string]*maskPolicy{}}
	for _, p := range rules {
		act := actHash
		if !p.Hash {
			act = actDrop
		}
		if len(p.Path) == 0 {
			root.act = act
		}
		root.addPath(p.Path, act)
	}
	m := jsonMasker{text: &recordText{}, policy: root, mac: hmac.New(sha256.New, key)}
	m.hashed = slices.ContainsFunc(rules, func(p MaskRule) bool { return p.Hashed })
	return func(stored string) string {
		raw := []byte(stored)
		if root.act == actDrop || jx.DecodeBytes(raw).Validate() != nil {
			return ""
		}
		m.text.resetRecord(raw)
		m.rewriteValue(m.text.raw, root)
		if masked := string(m.text.arena); masked != "{}" {
			return masked
		}
		return ""
	}
}
