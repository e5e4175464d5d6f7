package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"aqueduck/schemas"
)

// Hiding is a place in the tables of a stream where stored values lie that a name of hash or drop means.
type Hiding struct {
	Table  string
	Column string   // "" with Rows
	Path   []string // inside the column's JSON; nil: the whole value
	Hash   bool     // the value's hash takes its place, as it will be read; else nothing does
	Hashed bool     // with Hash: some values may be hashes already, nobody noted it
	Rows   bool     // the rows go: the list that they are made of is dropped
}

// Hidings gives the places that a name of hash or drop means. A hash that the stored value cannot give, being made of more than
// the value, is left to the next reading.
func Hidings(s *schemas.Stream, name string, hash bool) ([]Hiding, error) {
	paths, err := sources(s, name)
	if err != nil {
		return nil, err
	}
	var list []Hiding
	for i, t := range Tables(s) {
		bases, columns := [][]string{nil}, s.Columns
		if i > 0 {
			bases, columns = s.PathsOf(s.Children[i-1]), s.Children[i-1].Columns
		}
		for _, base := range bases {
			for _, h := range below(t.Name, i > 0, base, columns, paths, hash) {
				if !slices.ContainsFunc(list, h.same) {
					list = append(list, h)
				}
			}
		}
	}
	return list, nil
}

// below gives the places of some paths in a table whose rows are at base.
func below(table string, child bool, base []string, columns []schemas.Column, paths [][]string, hash bool) (list []Hiding) {
	for _, path := range paths {
		if child && begins(base, path) {
			list = append(list, Hiding{Table: table, Rows: true})
		} else if begins(path, base) {
			list = append(list, within(table, columns, path[len(base):], hash)...)
		}
	}
	return list
}

// same reports whether two say the same of the same place.
func (h Hiding) same(other Hiding) bool {
	return h.Table == other.Table && h.Column == other.Column && slices.Equal(h.Path, other.Path) && h.Hash == other.Hash && h.Rows == other.Rows
}

// within gives the places in one table that hold a value, or parts of it.
func within(table string, columns []schemas.Column, path []string, hash bool) []Hiding {
	list := []Hiding{{Table: table, Column: ExtraColumn, Path: path}}
	for _, c := range columns {
		if computed(c.From) {
			continue
		}
		for _, place := range c.Places() {
			switch {
			case slices.Equal(place, path):
				list = append(list, Hiding{Table: table, Column: c.Name, Hash: hash && c.Type == schemas.Text && c.As == ""})
			case begins(place, path):
				list = append(list, Hiding{Table: table, Column: c.Name})
			case begins(path, place) && c.Type == schemas.JSON:
				list = append(list, Hiding{Table: table, Column: c.Name, Path: path[len(place):]})
			}
		}
	}
	return list
}

func begins(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
}

// Hash is what a text becomes in a hashed column.
func Hash(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
