package transform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aqueduck/schemas"
	"aqueduck/transform/maskrule"
)

// CheckMasking is nil where these names of hash and drop can be applied to a stream. It compiles nothing else, so it is cheap.
func CheckMasking(s *schemas.Stream, hash, drop []string) error {
	if _, err := newPolicy(s, Options{Hash: hash, Drop: drop, HashKey: []byte{0}}); err != nil {
		return fmt.Errorf("stream %s: %w", s.Name, err)
	}
	return nil
}

// newPolicy compiles the names of hash and drop.
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
			paths, err := maskrule.SourcePaths(s, name)
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

// checkAllowed refuses to mask columns that the tables need.
func (p *maskPolicy) checkAllowed(s *schemas.Stream) error {
	for _, c := range s.Columns {
		act := p.strictestAction(c.Places())
		switch {
		case act == actKeep:
		case slices.Contains(s.Key, c.Name):
			return fmt.Errorf("%s %s: the column is part of the key", act, c.Name)
		case isNeededToErase(s, c.Name):
			return fmt.Errorf("%s %s: by this column a run learns whom or what the source has erased", act, c.Name)
		case s.Read.Over != nil && len(s.Read.Over.Optional) > 0 && c.Name == s.Read.Over.As:
			return fmt.Errorf("%s %s: by this column a run finds the rows of a value that the source refuses", act, c.Name)
		case act == actDrop && (c.Required || c.Name == s.Newest):
			return fmt.Errorf("drop %s: the column is needed", c.Name)
		case act == actHash && !c.IsHashable():
			return fmt.Errorf("hash %s: the column holds %s; hash produces text; use drop instead", c.Name, c.Type)
		}
	}
	for _, child := range s.Children {
		for _, c := range child.Columns {
			if c.IsComputed() && c.From[0] != schemas.FromItem {
				continue
			}
			act := p.strictestAction(c.PathsFrom(s.PathsOf(child)))
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

// isNeededToErase reports whether a run learns from a column whom the source has erased, or what it has redacted.
func isNeededToErase(s *schemas.Stream, column string) bool {
	return slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return c.RedactedBy == column }) ||
		s.Persons != nil && regexp.MustCompile(`\b`+regexp.QuoteMeta(column)+`\b`).MatchString(s.Persons.Deleted+"\n"+s.Persons.Merged)
}
