package transform

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// extraField is a field for _extra: unknown, rejected by its column, or repeated.
type extraField struct {
	in          *objectNode
	name, value textSpan
}

// extraFields are the fields for _extra of the open rows; those of the innermost row are at the end.
type extraFields struct {
	text  *recordText
	mask  *jsonMasker
	list  []extraField
	names map[uint64]struct{} // hashes of the unknown names, and those of entries, in the current record
}

// resetRecord drops the fields of the last record.
func (e *extraFields) resetRecord() {
	e.list = e.list[:0]
	if len(e.names) > 0 {
		clear(e.names)
	}
}

// addUnknown adds a field that the stream file does not declare; false when its object already has one with that name.
func (e *extraFields) addUnknown(n *objectNode, name, raw []byte, p *maskPolicy, w *rowFrame) bool {
	if !e.isFirstName(n.number, name, w) {
		return false
	}
	start := len(e.text.arena)
	e.text.arena = append(e.text.arena, name...)
	e.list = append(e.list, extraField{in: n, name: e.text.arenaSpan(start), value: e.mask.maskedJSON(raw, p, n.depth)})
	return true
}

// isFirstName reports whether an unknown name, or that of an entry, is new in the object with a number. It compares hashes: two
// names with the same 64 bits are not to be expected.
func (e *extraFields) isFirstName(number int, name []byte, w *rowFrame) bool {
	id := xxhash.Sum64(name) ^ w.object*0x9e3779b97f4a7c15 ^ uint64(number)*0xc2b2ae3d27d4eb4f
	if _, ok := e.names[id]; ok {
		return false
	}
	e.names[id] = struct{}{}
	return true
}

// keepRejected adds the value of a known field that its columns reject. Only one copy goes to _extra, and none when a JSON column
// has the whole object.
func (e *extraFields) keepRejected(f *fieldNode, raw []byte, w *rowFrame) {
	if f.in.kept || f.spilled == w.object {
		return
	}
	f.spilled = w.object
	x := e.text
	var value textSpan
	switch isAddress := f.url != "" && raw[0] == '"'; {
	case isAddress && f.policy.actionHere() == actHash:
		value = e.mask.appendFieldHash(f, raw)
	case isAddress && f.policy.actionHere() == actKeep:
		address := bytes.Clone(x.bytesOf(x.unsignedSpan(x.unquoteValue(raw).text, f.url)))
		start := len(x.arena)
		x.appendQuoted(address)
		value = x.arenaSpan(start)
	default:
		value = e.mask.maskedJSON(raw, f.policy, f.in.depth)
	}
	e.list = append(e.list, extraField{in: f.in, name: x.appendText(f.name), value: value})
}

// closeRow moves the extras of a row into its _extra.
func (e *extraFields) closeRow(w *rowFrame) {
	if len(e.list) > w.extras {
		w.plan.cells[w.row+len(w.plan.columns)] = rowCell{set: true, textSpan: e.writeExtra(w)}
		e.list = e.list[:w.extras]
	}
}

// writeExtra is the row's extras as one object, nested as they were sent. The fields are sorted, because the source's order is
// not content.
func (e *extraFields) writeExtra(w *rowFrame) textSpan {
	x, list := e.text, e.list[w.extras:]
	slices.SortFunc(list, func(a, b extraField) int {
		return cmp.Or(cmp.Compare(a.in.number, b.in.number), bytes.Compare(x.bytesOf(a.name), x.bytesOf(b.name)))
	})
	start := len(x.arena)
	x.arena = append(x.arena, '{')
	at := w.plan.root
	for _, one := range list {
		if e.hidesObject(one, list) {
			continue
		}
		for !isWithin(one.in, at) {
			x.arena = append(x.arena, '}')
			at = at.parent
		}
		e.openObjects(at, one.in)
		at = one.in
		e.writeName(x.bytesOf(one.name))
		x.arena = append(x.arena, x.bytesOf(one.value)...)
	}
	for ; at != w.plan.root; at = at.parent {
		x.arena = append(x.arena, '}')
	}
	x.arena = append(x.arena, '}')
	return x.arenaSpan(start)
}

// openObjects opens the objects from one down to another below it.
func (e *extraFields) openObjects(from, to *objectNode) {
	if from == to {
		return
	}
	e.openObjects(from, to.parent)
	e.writeName(to.name)
	e.text.arena = append(e.text.arena, '{')
}

// writeName writes a name, after a comma unless it is the first in its object.
func (e *extraFields) writeName(name []byte) {
	x := e.text
	if x.arena[len(x.arena)-1] != '{' {
		x.arena = append(x.arena, ',')
	}
	x.appendQuoted(name)
	x.arena = append(x.arena, ':')
}

// hidesObject reports whether an extra has the name of an object with extras of its own. The extra is then a repeated copy of
// that object, and two members of _extra would have one name: the first copy stays.
func (e *extraFields) hidesObject(one extraField, list []extraField) bool {
	f := one.in.fields[string(e.text.bytesOf(one.name))]
	return f != nil && f.object != nil && slices.ContainsFunc(list, func(other extraField) bool { return isWithin(other.in, f.object) })
}
