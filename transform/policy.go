package transform

import (
	"slices"
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
// policy is that of its items. A nil policy keeps everything. After resolve each policy is complete: none depends on those above it.
type maskPolicy struct {
	act  maskAction
	kids map[string]*maskPolicy // by name; AnyKey has what is for all names
	rest *maskPolicy            // of the names without their own policy

	known bool // in a stored _extra: a declared object, which is there only for the fields in it
}

// policyOf is the policy of an object's field.
func (p *maskPolicy) policyOf(name []byte) *maskPolicy {
	if p == nil {
		return nil
	}
	if kid := p.kids[string(name)]; kid != nil {
		return kid
	}
	return p.rest
}

// resolve completes a tree of policies: a value has the strictest action of its own name, of AnyKey and of the values around it.
func (p *maskPolicy) resolve(around maskAction) {
	p.act = max(p.act, around)
	all := p.kids[schemas.AnyKey]
	if p.rest = all; all == nil && p.act > actKeep {
		p.rest = &maskPolicy{act: p.act}
		p.rest.rest = p.rest
	}
	for name, kid := range p.kids {
		if all != nil && name != schemas.AnyKey {
			kid.mergePolicy(all)
		}
	}
	for _, kid := range p.kids {
		kid.resolve(p.act)
	}
}

// mergePolicy adds the actions of another policy.
func (p *maskPolicy) mergePolicy(other *maskPolicy) {
	p.act = max(p.act, other.act)
	for name, kid := range other.kids {
		if p.kids[name] == nil {
			p.kids[name] = &maskPolicy{kids: map[string]*maskPolicy{}}
		}
		p.kids[name].mergePolicy(kid)
	}
}

func (p *maskPolicy) actionHere() maskAction {
	if p == nil {
		return actKeep
	}
	return p.act
}

// addPath sets the action for the values at a path. Names may contain dots, too, so each way to split the path counts.
func (p *maskPolicy) addPath(path []string, act maskAction) {
	for n := 1; n <= len(path); n++ {
		if n > 1 && slices.Contains(path[:n], schemas.AnyKey) {
			return // it stands for a whole name
		}
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

// addKnown marks a declared object.
func (p *maskPolicy) addKnown(path []string) {
	for _, name := range path {
		if p.kids[name] == nil {
			p.kids[name] = &maskPolicy{kids: map[string]*maskPolicy{}}
		}
		p = p.kids[name]
	}
	p.known = true
}

// strictestAction is the strictest action at the ends of some paths.
func (p *maskPolicy) strictestAction(paths [][]string) maskAction {
	act := actKeep
	for _, path := range paths {
		act = max(act, p.actionAt(path))
	}
	return act
}

// actionAt is the action at the end of a path. With AnyKey in the path it is the strictest of all names, without those that only may
// be meant because they contain dots.
func (p *maskPolicy) actionAt(path []string) maskAction {
	switch {
	case p == nil || len(path) == 0:
		return p.actionHere()
	case path[0] != schemas.AnyKey:
		return p.policyOf([]byte(path[0])).actionAt(path[1:])
	}
	act := p.rest.actionAt(path[1:])
	for name, kid := range p.kids {
		if !strings.Contains(name, ".") {
			act = max(act, kid.actionAt(path[1:]))
		}
	}
	return act
}
