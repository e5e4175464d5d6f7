package maskrule

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/schemas"
)

// maxSegments bounds a path that is written with dots. Names may contain dots, too, so each way to split it is tried.
const maxSegments = 10

// SourcePaths are the paths in a record that a name of hash or drop means. A name is a column, a child's table and column, or a path in
// the record. The first name of a path must be declared in the stream file unless it begins with _extra: a misspelled name must not leave
// personal data unmasked.
func SourcePaths(s *schemas.Stream, name string) (paths [][]string, err error) {
	tables := tablesOf(s)
	for _, t := range tables {
		for _, c := range t.columns {
			switch {
			case t.prefix+c.Name != name:
				continue
			case c.IsComputed() && c.From[0] != schemas.FromItem:
				return nil, fmt.Errorf("the column is not filled from a field of the record")
			}
			paths = append(paths, c.PathsFrom(t.bases)...)
		}
	}
	path := strings.Split(name, ".")
	if len(path) > maxSegments {
		return nil, fmt.Errorf("more than %d names in a path", maxSegments)
	}
	switch {
	case path[0] == schemas.ExtraColumn && len(path) > 1:
		paths = append(paths, path[1:])
	case declaresField(s, path[0]):
		paths = append(paths, path)
	case len(paths) == 0:
		return nil, fmt.Errorf("stream %s has no column or field %q; if the API sends such a field, write %s.%s", s.Name, path[0], schemas.ExtraColumn, name)
	}
	return addOtherPlaces(tables, paths), nil
}

// CheckDeclared is nil for a name of hash or drop that means a place which the stream file declares: a misspelled field of an object must not
// leave personal data unmasked. A name that begins with _extra is not compared.
func CheckDeclared(s *schemas.Stream, name string) error {
	paths, err := SourcePaths(s, name)
	if err != nil || strings.HasPrefix(name, schemas.ExtraColumn+".") {
		return err
	}
	ignored := func(path []string) bool {
		return slices.ContainsFunc(s.Ignore, func(i []string) bool { return coversPath(i, path) || coversPath(path, i) })
	}
	rules, err := Find(s, name, false)
	if err != nil || slices.ContainsFunc(paths, ignored) || slices.ContainsFunc(rules, func(p Rule) bool { return p.Column != schemas.ExtraColumn }) {
		return err
	}
	return fmt.Errorf("stream %s has no column or field %q; if the API sends such a field, write %s.%s", s.Name, name, schemas.ExtraColumn, name)
}

// ListNames returns the names of hash and drop for the columns of a stream and its child tables, and for the fields that these are filled from.
func ListNames(s *schemas.Stream) (names []string) {
	for _, t := range tablesOf(s) {
		for _, c := range t.columns {
			if c.IsComputed() && c.From[0] != schemas.FromItem {
				continue
			}
			names = append(names, t.prefix+c.Name)
			for _, path := range c.PathsFrom(t.bases) {
				if len(path) > 1 {
					names = append(names, strings.Join(path, "."))
				}
			}
		}
	}
	return names
}

func declaresField(s *schemas.Stream, field string) bool {
	first := func(path []string) bool { return len(path) > 0 && path[0] == field }
	return slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return slices.ContainsFunc(c.Places(), first) }) ||
		slices.ContainsFunc(s.Children, func(c schemas.Child) bool { return c.Within == "" && slices.ContainsFunc(c.Places(), first) }) ||
		slices.ContainsFunc(s.Ignore, first)
}

// addOtherPlaces adds, for each path to one place of a list or a column, the paths to its other places. A stored row does not tell from
// which place a value came.
func addOtherPlaces(tables []streamTable, paths [][]string) [][]string {
	longest := 0 // a place may be inside another one of the same list: without a limit there is no end
	for _, path := range paths {
		longest = max(longest, len(path)+maxSegments/2)
	}
	add := func(path []string) {
		if len(path) < longest && !slices.ContainsFunc(paths, func(have []string) bool { return hasPathPrefix(path, have) }) {
			paths = append(paths, path)
		}
	}
	for i := 0; i < len(paths); i++ {
		for _, t := range tables {
			for _, base := range t.bases {
				for _, m := range matchPath(base, paths[i]) {
					for _, other := range t.bases {
						if len(t.bases) > 1 {
							add(m.pathAt(other))
						}
					}
					if m.whole {
						continue
					}
					for _, below := range otherPlaces(t.columns, m.rest) {
						add(pathMatch{rest: below, key: m.key}.pathAt(base))
					}
				}
			}
		}
	}
	return paths
}

// otherPlaces are the paths to all places of the columns that have several, one of which is at a path.
func otherPlaces(columns []schemas.Column, path []string) (paths [][]string) {
	for _, c := range columns {
		if len(c.Or) == 0 {
			continue
		}
		for _, place := range c.Places() {
			for _, m := range matchPath(place, path) {
				for _, other := range c.Places() {
					if m.whole || c.Type == schemas.JSON {
						paths = append(paths, m.pathAt(other))
					}
				}
			}
		}
	}
	return paths
}
