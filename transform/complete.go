package transform

import "aqueduck/schemas"

// itemRejected marks a row whose outer item is rejected: only the item is reported.
const itemRejected = "its item is rejected"

// rowCompleter completes the rows of a record: it fills the columns that are no fields of the record, and finds rows without a
// required value.
type rowCompleter struct {
	text   *recordText
	values *cellConverter
	plans  []*tablePlan
	meta   Meta // of the record
}

// completeRows completes the rows of one table. The tables around its list must be completed before.
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
				p.rows[r].bad = itemRejected
			}
		}
		for _, i := range p.keys {
			if !cells[i].set && p.rows[r].bad == "" {
				p.rows[r].bad = ReasonNoKey
			}
		}
	}
}

// computedCell is the value of a column that is no field of the record.
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
		return rowCell{} // only an erasure sets it
	default: // $position
		return rowCell{set: true, number: uint64(r.position)}
	}
}
