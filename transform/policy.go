package transform

import (
	"strings"

	"aqueduck/schemas"
)

// action is what is done to a value before anything is stored; a stricter one is greater.
type action int

const (
	actKeep action = iota
	actHash
	actDrop
)

func (a action) String() string { return [...]string{"keep", "hash", "drop"}[a] }

// policy is what is done to the value at one path of a record and to those below it. Lists take no part in a path: it
// goes on in their items. A nil policy keeps everything.
type policy struct {
	act  action
	kids map[string]*policy
}

// at gives the policy of a field of an object.
func (p *policy) at(name []byte) *policy {
	if p == nil {
		return nil
	}
	kid := p.kids[string(name)]
	if kid == nil {
		kid = p.kids[schemas.AnyKey]
	}
	if p.act == actKeep || kid != nil && kid.act > p.act {
		return kid
	}
	return p
}

func (p *policy) action() action {
	if p == nil {
		return actKeep
	}
	return p.act
}

// maxSegments bounds a path that is written with dots: names may hold dots too, so each way to cut it counts.
const maxSegments = 10

func (p *policy) add(path []string, act action) {
	for n := 1; n <= len(path); n++ {
		name := strings.Join(path[:n], ".")
		kid := p.kids[name]
		if kid == nil {
			kid = &policy{kids: map[string]*policy{}}
			p.kids[name] = kid
		}
		if n == len(path) {
			kid.act = max(kid.act, act)
			return
		}
		kid.add(path[n:], act)
	}
}

// strictest gives the strictest action at the ends of some paths.
func (p *policy) strictest(paths [][]string) action {
	act := actKeep
	for _, path := range paths {
		act = max(act, p.along(path))
	}
	return act
}

// along gives the action at the end of a path.
func (p *policy) along(path []string) action {
	for _, name := range path {
		p = p.at([]byte(name))
	}
	return p.action()
}
