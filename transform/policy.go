package transform

import (
	"strings"

	"aqueduck/schemas"
)

// maskAction is what happens to a value before it is stored; a stricter action is greater.
type maskAction int

const (
	actKeep maskAction = iota
	actHash
	actDrop
)

func (a maskAction) String() string { return [...]string{"keep", "hash", "drop"}[a] }

// maskPolicy is the action for the value at one path of a record, and the policies below it. Paths pass through lists: a list's
// policy is that of its items. A nil policy keeps everything.
type maskPolicy struct {
	act  maskAction
	kids map[string]*maskPolicy
}

// policyOf is the policy of an object's field.
func (p *maskPolicy) policyOf(name []byte) *maskPolicy {
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

func (p *maskPolicy) actionHere() maskAction {
	if p == nil {
		return actKeep
	}
	return p.act
}

// maxSegments bounds a path that is written with dots. Names may contain dots, too, so addPath tries every way to split it.
const maxSegments = 10

func (p *maskPolicy) addPath(path []string, act maskAction) {
	for n := 1; n <= len(path); n++ {
		name := strings.Join(path[:n], ".")
		kid := p.kids[name]
		if kid == nil {
			kid = &maskPolicy{kids: map[string]*maskPolicy{}}
			p.kids[name] = kid
		}
		if n == len(path) {
			kid.act = max(kid.act, act)
			return
		}
		kid.addPath(path[n:], act)
	}
}

// strictestAction is the strictest action at the ends of some paths.
func (p *maskPolicy) strictestAction(paths [][]string) maskAction {
	act := actKeep
	for _, path := range paths {
		act = max(act, p.actionAt(path))
	}
	return act
}

// actionAt is the action at the end of a path.
func (p *maskPolicy) actionAt(path []string) maskAction {
	for _, name := range path {
		p = p.policyOf([]byte(name))
	}
	return p.actionHere()
}
