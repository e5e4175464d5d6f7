package transform

import (
	"slices"
	"strings"

	"aqueduck/schemas"
)

// pathMatch is a way in which a path of hash or drop meets a base: the path of a table's rows, or of a column's values.
type pathMatch struct {
	whole bool     // the path ends at the base or before it
	rest  []string // of the path, below the base
	key   string   // the name in the path for the last AnyKey of the base; "": any
}

// matchPath gives the ways in which a path meets a base; none when they part. Names may contain dots, so each way to split the path
// counts.
func matchPath(base, path []string) (list []pathMatch) {
	if len(path) == 0 {
		return []pathMatch{{whole: true}}
	}
	if len(base) == 0 {
		return []pathMatch{{rest: path}}
	}
	for n := 1; n <= len(path) && (n == 1 || !slices.Contains(path[:n], schemas.AnyKey)); n++ {
		name := strings.Join(path[:n], ".")
		if name != base[0] && name != schemas.AnyKey && base[0] != schemas.AnyKey {
			continue
		}
		for _, m := range matchPath(base[1:], path[n:]) {
			if base[0] == schemas.AnyKey && name != schemas.AnyKey && !slices.Contains(base[1:], schemas.AnyKey) {
				m.key = name
			}
			list = append(list, m)
		}
	}
	return list
}

// at is the path to what is matched, at another base. A key is split at its dots, as in any path.
func (m pathMatch) at(base []string) []string {
	for i := len(base) - 1; i >= 0 && m.key != ""; i-- {
		if base[i] == schemas.AnyKey {
			return slices.Concat(base[:i], strings.Split(m.key, "."), base[i+1:], m.rest)
		}
	}
	return slices.Concat(base, m.rest)
}

// addOtherPlaces adds, for each path to one place of a list or a column, the paths to its other places. A stored row does not tell from
// which place a value came.
func addOtherPlaces(s *schemas.Stream, paths [][]string) [][]string {
	most := 0 // names in a path. A place may be inside another one of the same list: without a limit there is no end
	for _, path := range paths {
		most = max(most, len(path)+maxSegments/2)
	}
	add := func(path []string) {
		if len(path) < most && !slices.ContainsFunc(paths, func(have []string) bool { return hasPathPrefix(path, have) }) {
			paths = append(paths, path)
		}
	}
	addColumns := func(base []string, below pathMatch, columns []schemas.Column) {
		for _, c := range columns {
			if len(c.Or) == 0 {
				continue
			}
			for _, place := range c.Places() {
				for _, m := range matchPath(place, below.rest) {
					for _, other := range c.Places() {
						if m.whole || c.Type == schemas.JSON {
							add(pathMatch{rest: m.at(other), key: below.key}.at(base))
						}
					}
				}
			}
		}
	}
	for i := 0; i < len(paths); i++ {
		addColumns(nil, pathMatch{rest: paths[i]}, s.Columns)
		for _, child := range s.Children {
			bases := s.PathsOf(child)
			for _, base := range bases {
				for _, m := range matchPath(base, paths[i]) {
					if len(bases) > 1 {
						for _, other := range bases {
							add(m.at(other))
						}
					}
					if !m.whole {
						addColumns(base, m, child.Columns)
					}
				}
			}
		}
	}
	return paths
}

// keyOf is the column of a child's table with the key of the entry that its rows are in; "": there is none.
func keyOf(s *schemas.Stream, child schemas.Child) string {
	want := []string{schemas.FromKey}
	if !child.Entries {
		i := slices.IndexFunc(s.Children, func(c schemas.Child) bool { return child.Within != "" && c.Table == child.Within })
		if i < 0 {
			return ""
		}
		want = []string{schemas.FromParent, keyOf(s, s.Children[i])}
	}
	return columnFrom(child.Columns, want)
}

// columnFrom is the name of the column with a source; "": there is none.
func columnFrom(columns []schemas.Column, from []string) string {
	if i := slices.IndexFunc(columns, func(c schemas.Column) bool { return slices.Equal(c.From, from) }); i >= 0 {
		return columns[i].Name
	}
	return ""
}
