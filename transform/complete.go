package transform

import "aqueduck/schemas"

// keptOut is why a row is left out whose item was: that is told of the item.
const keptOut = "its item is rejected"

// rowCompleter completes the rows of a record that was read: it fills the columns that are no fields of the record, and finds the rows
// that lack what they cannot be without.
type rowCompleter struct {
	text   *recordText
	values *cellConverter
	plans  []*tablePlan
	meta   Meta // of the record
}

// completeRows goes over the rows of one table, after those that its lists lie in.
func (m *rowCompleter) completeRows(p *tablePlan) {
	for r := range p.rows {
		cells := p.cells[r*p.rowWidth():]
		for i := range p.columns {
			c := &p.columns[i]
			if c.source != "" {
				cells[i] = m.computedCell(c, p, &p.rows[r])
			}
			if c.none != nil && !cells[i].set && !p.rows[r].gone {
				cells[i] = m.values.defaultCell(c)
			}
		}
		if p.outer > 0 {
			above := m.plans[p.outer]
			if above.rows[p.rows[r].above/above.rowWidth()].bad != "" {
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

// computedCell gives the value of a column that is no field of the record.
func (m *rowCompleter) computedCell(c *columnPlan, p *tablePlan, r *rowState) rowCell {
	switch c.source {
	case schemas.FromReadAt:
		return rowCell{set: !m.meta.ReadAt.IsZero(), number: uint64(m.meta.ReadAt.UnixMicro())}
	case schemas.FromOver:
		return rowCell{set: m.meta.Over != "", textSpan: m.text.appendText(m.meta.Over)}
	case schemas.FromParent:
		return m.plans[p.outer].cells[r.above+c.parent]
	case schemas.FromKey:
		return rowCell{set: true, textSpan: r.key}
	case schemas.FromErased:
		return rowCell{} // only erasing sets it
	default: // $position
		return rowCell{set: true, number: uint64(r.position)}
	}
}
