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

// unknown keeps a field that the stream file does not know.
func (d *Decoder) unknown(n *node, name []byte, w *frame) error {
	p := n.policy.at(name)
	if n.kept || p.action() == actDrop {
		return d.js.Skip()
	}
	raw, err := d.js.Raw()
	if err != nil {
		return err
	}
	d.news.field(n, name, raw)
	if !d.first(n, name, w) {
		d.complain(w.plan.number, ExtraColumn, ReasonDuplicate)
		return nil
	}
	start := len(d.arena)
	d.arena = append(d.arena, name...)
	d.extras = append(d.extras, extra{in: n, name: d.since(start), value: d.json(raw, p, n.depth)})
	return nil
}

// first says whether an unknown name is new in its object. A hash stands for the name: at 64 bits two names that
// share one are not to be met.
func (d *Decoder) first(n *node, name []byte, w *frame) bool {
	id := xxhash.Sum64(name) ^ w.object*0x9e3779b97f4a7c15 ^ uint64(n.number)*0xc2b2ae3d27d4eb4f
	if _, ok := d.duplicates[id]; ok {
		return false
	}
	d.duplicates[id] = struct{}{}
	return true
}

// spill keeps the value of a known field that its columns do not hold. _extra has room for one copy; what a JSON column has
// with all around it needs none.
func (d *Decoder) spill(f *field, raw []byte, w *frame) {
	if f.in.kept || f.spilled == w.object {
		return
	}
	f.spilled = w.object
	var value span
	if f.url != "" && raw[0] == '"' && f.policy.action() == actKeep {
		address := bytes.Clone(d.piece(d.unsigned(d.token(raw).text, f.url)))
		start := len(d.arena)
		d.quote(address)
		value = d.since(start)
	} else {
		value = d.json(raw, f.policy, f.in.depth)
	}
	d.extras = append(d.extras, extra{in: f.in, name: d.put(f.name), value: value})
}

// extraText writes the extras of a row as one object, nested as they were sent. Its fields are sorted: the order of
// the source is not content.
func (d *Decoder) extraText(w *frame) span {
	list := d.extras[w.extras:]
	slices.SortFunc(list, func(a, b extra) int {
		return cmp.Or(cmp.Compare(a.in.number, b.in.number), bytes.Compare(d.piece(a.name), d.piece(b.name)))
	})
	start := len(d.arena)
	d.arena = append(d.arena, '{')
	at := w.plan.root
	for _, e := range list {
		if d.hides(e, list) {
			continue
		}
		for !under(e.in, at) {
			d.arena = append(d.arena, '}')
			at = at.parent
		}
		d.descend(at, e.in)
		at = e.in
		d.field(d.piece(e.name))
		d.arena = append(d.arena, d.piece(e.value)...)
	}
	for ; at != w.plan.root; at = at.parent {
		d.arena = append(d.arena, '}')
	}
	d.arena = append(d.arena, '}')
	return d.since(start)
}

// descend opens the objects from one down to another below it.
func (d *Decoder) descend(from, to *node) {
	if from == to {
		return
	}
	d.descend(from, to.parent)
	d.field(to.name)
	d.arena = append(d.arena, '{')
}

// field writes a name, after a comma when it is not the first in its object.
func (d *Decoder) field(name []byte) {
	if d.arena[len(d.arena)-1] != '{' {
		d.arena = append(d.arena, ',')
	}
	d.quote(name)
	d.arena = append(d.arena, ':')
}

// hides says that an extra has the name of an object with extras of its own: the second copy of an object, kept whole,
// would stand beside the first one's remains. The first copy stays.
func (d *Decoder) hides(e extra, list []extra) bool {
	f := e.in.fields[string(d.piece(e.name))]
	return f != nil && f.object != nil && slices.ContainsFunc(list, func(other extra) bool { return under(other.in, f.object) })
}

// under says whether n is top or an object below it.
func under(n, top *node) bool {
	for n != nil && n != top {
		n = n.parent
	}
	return n == top
}
