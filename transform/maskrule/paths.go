package maskrule

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

// pathAt is the path to what is matched, at another base. A key is split at its dots, as in any path.
func (m pathMatch) pathAt(base []string) []string {
	for i := len(base) - 1; i >= 0 && m.key != ""; i-- {
		if base[i] == schemas.AnyKey {
			return slices.Concat(base[:i], strings.Split(m.key, "."), base[i+1:], m.rest)
		}
	}
	return slices.Concat(base, m.rest)
}

// hasPathPrefix reports whether a path begins with another one.
func hasPathPrefix(path, with []string) bool {
	return len(path) >= len(with) && slices.Equal(path[:len(with)], with)
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
