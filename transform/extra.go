package transform

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// extra is a field for _extra: unknown, unfit, or come twice.
type extra struct {
	in          *node
	name, value span
}

// extras are the fields for _extra of the rows that are open, those of the row opened last at the end.
type extras struct {
	text  *recordText
	mask  *masker
	list  []extra
	names map[uint64]struct{} // unknown names of the record at hand
}

// begin forgets the last record.
func (e *extras) begin() {
	e.list = e.list[:0]
	if len(e.names) > 0 {
		clear(e.names)
	}
}

// add keeps a field that the stream file does not know; false where its object has one of that name already.
func (e *extras) add(n *node, name, raw []byte, p *policy, w *frame) bool {
	if !e.first(n, name, w) {
		return false
	}
	start := len(e.text.arena)
	e.text.arena = append(e.text.arena, name...)
	e.list = append(e.list, extra{in: n, name: e.text.since(start), value: e.mask.json(raw, p, n.depth)})
	return true
}

// first says whether an unknown name is new in its object. A hash stands for the name: at 64 bits two names that
// share one are not to be met.
func (e *extras) first(n *node, name []byte, w *frame) bool {
	id := xxhash.Sum64(name) ^ w.object*0x9e3779b97f4a7c15 ^ uint64(n.number)*0xc2b2ae3d27d4eb4f
	if _, ok := e.names[id]; ok {
		return false
	}
	e.names[id] = struct{}{}
	return true
}

// spill keeps the value of a known field that its columns do not hold. _extra has room for one copy; what a JSON column has
// with all around it needs none.
func (e *extras) spill(f *field, raw []byte, w *frame) {
	if f.in.kept || f.spilled == w.object {
		return
	}
	f.spilled = w.object
	x := e.text
	var value span
	if f.url != "" && raw[0] == '"' && f.policy.action() == actKeep {
		address := bytes.Clone(x.piece(x.unsigned(x.token(raw).text, f.url)))
		start := len(x.arena)
		x.quote(address)
		value = x.since(start)
	} else {
		value = e.mask.json(raw, f.policy, f.in.depth)
	}
	e.list = append(e.list, extra{in: f.in, name: x.put(f.name), value: value})
}

// close puts the extras of a row into its _extra.
func (e *extras) close(w *frame) {
	if len(e.list) > w.extras {
		w.plan.cells[w.row+len(w.plan.columns)] = cell{set: true, span: e.write(w)}
		e.list = e.list[:w.extras]
	}
}

// write gives the extras of a row as one object, nested as they were sent. Its fields are sorted: the order of
// the source is not content.
func (e *extras) write(w *frame) span {
	x, list := e.text, e.list[w.extras:]
	slices.SortFunc(list, func(a, b extra) int {
		return cmp.Or(cmp.Compare(a.in.number, b.in.number), bytes.Compare(x.piece(a.name), x.piece(b.name)))
	})
	start := len(x.arena)
	x.arena = append(x.arena, '{')
	at := w.plan.root
	for _, one := range list {
		if e.hides(one, list) {
			continue
		}
		for !under(one.in, at) {
			x.arena = append(x.arena, '}')
			at = at.parent
		}
		e.descend(at, one.in)
		at = one.in
		e.field(x.piece(one.name))
		x.arena = append(x.arena, x.piece(one.value)...)
	}
	for ; at != w.plan.root; at = at.parent {
		x.arena = append(x.arena, '}')
	}
	x.arena = append(x.arena, '}')
	return x.since(start)
}

// descend opens the objects from one down to another below it.
func (e *extras) descend(from, to *node) {
	if from == to {
		return
	}
	e.descend(from, to.parent)
	e.field(to.name)
	e.text.arena = append(e.text.arena, '{')
}

// field writes a name, after a comma when it is not the first in its object.
func (e *extras) field(name []byte) {
	x := e.text
	if x.arena[len(x.arena)-1] != '{' {
		x.arena = append(x.arena, ',')
	}
	x.quote(name)
	x.arena = append(x.arena, ':')
}

// hides says that an extra has the name of an object with extras of its own: the second copy of an object, kept whole,
// would stand beside the first one's remains. The first copy stays.
func (e *extras) hides(one extra, list []extra) bool {
	f := one.in.fields[string(e.text.piece(one.name))]
	return f != nil && f.object != nil && slices.ContainsFunc(list, func(other extra) bool { return under(other.in, f.object) })
}
