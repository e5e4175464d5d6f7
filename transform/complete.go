package transform

import "aqueduck/schemas"

// keptOut is why a row is left out whose item was: that is told of the item.
const keptOut = "its item is kept out"

// completer completes the rows of a record that was read: it fills the columns that are no fields of the record, and finds the rows
// that lack what they cannot be without.
type completer struct {
	text   *recordText
	values *converter
	plans  []*plan
	meta   Meta // of the record
}

// complete goes over the rows of one table, after those that its lists lie in.
func (m *completer) complete(p *plan) {
	for r := range p.rows {
		cells := p.cells[r*p.width():]
		for i := range p.columns {
			c := &p.columns[i]
			if c.source != "" {
				cells[i] = m.computed(c, p, &p.rows[r])
			}
			if c.none != nil && !cells[i].set && !p.rows[r].gone {
				cells[i] = m.values.none(c)
			}
		}
		if p.outer > 0 {
			above := m.plans[p.outer]
			if above.rows[p.rows[r].above/above.width()].bad != "" {
				p.rows[r].bad = keptOut
			}
		}
		for _, i := range p.keys {
			if !cells[i].set && p.rows[r].bad == "" {
				p.rows[r].bad = ReasonNoKey
			}
		}
	}
}

// computed gives the value of a column that is no field of the record.
func (m *completer) computed(c *column, p *plan, r *row) cell {
	switch c.source {
	case schemas.FromReadAt:
		return cell{set: !m.meta.ReadAt.IsZero(), number: uint64(m.meta.ReadAt.UnixMicro())}
	case schemas.FromOver:
		return cell{set: m.meta.Over != "", span: m.text.put(m.meta.Over)}
	case schemas.FromParent:
		return m.plans[p.outer].cells[r.above+c.parent]
	case schemas.FromKey:
		return cell{set: true, span: r.key}
	case schemas.FromErased:
		return cell{} // only erasing sets it
	default: // $position
		return cell{set: true, number: uint64(r.position)}
	}
}
