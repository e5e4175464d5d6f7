package transform

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/schemas"
)

// CheckMasking is nil where these names of hash and drop can be applied to a stream. It compiles nothing else, so it is cheap.
func CheckMasking(s *schemas.Stream, hash, drop []string) error {
	if _, err := newPolicy(s, Options{Hash: hash, Drop: drop, HashKey: []byte{0}}); err != nil {
		return fmt.Errorf("stream %s: %w", s.Name, err)
	}
	return nil
}

// HasMaskName reports whether a name of hash or drop means anything in a stream.
func HasMaskName(s *schemas.Stream, name string) bool {
	_, err := sourcePaths(s, name)
	return err == nil
}

// newPolicy compiles the names of hash and drop. A name is a column, a child's table and column, or a path in the record. The
// first name of a path must be declared in the stream file unless it begins with _extra: a misspelled name must not leave
// personal data unmasked.
func newPolicy(s *schemas.Stream, o Options) (*maskPolicy, error) {
	if len(o.Hash)+len(o.Drop) == 0 {
		return nil, nil
	}
	if len(o.Hash) > 0 && len(o.HashKey) == 0 {
		return nil, fmt.Errorf("hash %s: no key to hash with", strings.Join(o.Hash, ", "))
	}
	root := &maskPolicy{kids: map[string]*maskPolicy{}}
	for _, wanted := range []struct {
		act   maskAction
		names []string
	}{{actHash, o.Hash}, {actDrop, o.Drop}} {
		for _, name := range wanted.names {
			paths, err := sourcePaths(s, name)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", wanted.act, name, err)
			}
			for _, path := range paths {
				root.addPath(path, wanted.act)
			}
		}
	}
	root.resolve(actKeep)
	return root, root.checkAllowed(s)
}

// sourcePaths are the paths in a record that a name of hash or drop means.
func sourcePaths(s *schemas.Stream, name string) ([][]string, error) {
	var paths [][]string
	for _, c := range s.Columns {
		if c.Name == name {
			paths = append(paths, c.Places()...)
		}
	}
	for _, child := range s.Children {
		for _, c := range child.Columns {
			if child.Table+"."+c.Name != name {
				continue
			}
			paths = append(paths, pathsOf(s, child, c)...)
		}
	}
	for _, path := range paths {
		if slices.ContainsFunc(path, func(step string) bool { return isComputed([]string{step}) }) {
			return nil, fmt.Errorf("the column is not filled from a field of the record")
		}
	}
	path := strings.Split(name, ".")
	if len(path) > maxSegments {
		return nil, fmt.Errorf("more than %d names in a path", maxSegments)
	}
	switch {
	case path[0] == ExtraColumn && len(path) > 1:
		paths = append(paths, path[1:])
	case declaresField(s, path[0]):
		paths = append(paths, path)
	case len(paths) == 0:
		return nil, fmt.Errorf("stream %s has no such column and no field %q; write a field without a column as %s.%s", s.Name, path[0], ExtraColumn, name)
	}
	return addOtherPlaces(s, paths), nil
}

func declaresField(s *schemas.Stream, field string) bool {
	first := func(path []string) bool { return len(path) > 0 && path[0] == field }
	return slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return slices.ContainsFunc(c.Places(), first) }) ||
		slices.ContainsFunc(s.Children, func(c schemas.Child) bool { return c.Within == "" && slices.ContainsFunc(c.Places(), first) }) ||
		slices.ContainsFunc(s.Ignore, first)
}

// checkAllowed refuses to mask columns that the tables need.
func (p *maskPolicy) checkAllowed(s *schemas.Stream) error {
	for _, c := range s.Columns {
		act := p.strictestAction(c.Places())
		switch {
		case act == actKeep:
		case slices.Contains(s.Key, c.Name):
			return fmt.Errorf("%s %s: the column is part of the key", act, c.Name)
		case act == actDrop && (c.Required || c.Name == s.Newest):
			return fmt.Errorf("drop %s: the column is needed", c.Name)
		case act == actHash && !c.IsHashable():
			return fmt.Errorf("hash %s: the column holds %s; hash produces text; use drop instead", c.Name, c.Type)
		}
	}
	for _, child := range s.Children {
		for _, c := range child.Columns {
			if isComputed(c.From) && c.From[0] != schemas.FromItem {
				continue
			}
			act := p.strictestAction(pathsOf(s, child, c))
			name := child.Table + "." + c.Name
			switch {
			case act == actDrop && (c.Required || slices.Contains(child.Key, c.Name)):
				return fmt.Errorf("drop %s: the column is needed", name)
			case act == actHash && !c.IsHashable():
				return fmt.Errorf("hash %s: the column holds %s; hash produces text; use drop instead", name, c.Type)
			}
		}
	}
	return nil
}

// pathsOf are the paths from the record to a column of a child's table. An item has the path of its list.
func pathsOf(s *schemas.Stream, child schemas.Child, c schemas.Column) (paths [][]string) {
	for _, around := range s.PathsOf(child) {
		if c.From[0] == schemas.FromItem {
			paths = append(paths, around)
			continue
		}
		for _, place := range c.Places() {
			paths = append(paths, slices.Concat(around, place))
		}
	}
	return paths
}
