package transform

// rowFiller puts the values of fields into the open row: into their columns, or into _extra.
type rowFiller struct {
	text    *recordText
	values  *cellConverter
	extras  extraFields
	rejects *rejectCounter
	news    *driftLog
}

// fillColumns puts a value into the columns of its field; a rejected one goes to _extra. opened means that the value's own fields
// were read: only JSON columns still take it.
func (l *rowFiller) fillColumns(f *fieldNode, raw []byte, w *rowFrame, opened bool) {
	if raw[0] == 'n' {
		return
	}
	cells := w.plan.cells[w.row:]
	t := l.text.unquoteValue(raw)
	rejected := false
	for _, i := range f.columns {
		c := &w.plan.columns[i]
		if opened && c.kind != kindJSON {
			continue
		}
		value, reason := l.values.maskedCell(c, t, f)
		if reason != "" {
			rejected = true
			l.noteRejected(c, f, raw, w, reason)
			continue
		}
		cells[i] = value
		l.checkWord(c, f, value, w)
	}
	if rejected {
		l.extras.keepRejected(f, raw, w)
	}
}

// noteRejected notes that a column rejects a value.
func (l *rowFiller) noteRejected(c *columnPlan, f *fieldNode, raw []byte, w *rowFrame, reason string) {
	l.rejects.addPending(w.plan.number, c.name, reason)
	l.news.noteRejected(w.plan.table.Name, c, f.path, raw)
}

// checkWord notes a new word of a column with declared words. The hash of a masked value is no word.
func (l *rowFiller) checkWord(c *columnPlan, f *fieldNode, value rowCell, w *rowFrame) {
	if c.words != nil && f.policy.actionHere() == actKeep {
		l.news.noteWord(w.plan.table.Name, c, f.path, l.text.bytesOf(value.textSpan))
	}
}

// rejectValue sends a value of the wrong kind to _extra, without asking the field's columns.
func (l *rowFiller) rejectValue(f *fieldNode, raw []byte, w *rowFrame, reason string) {
	l.rejects.addPending(w.plan.number, f.messageName(w.plan), reason)
	l.extras.keepRejected(f, raw, w)
}

// keepUnknown sends a field that the stream file does not declare to _extra.
func (l *rowFiller) keepUnknown(n *objectNode, name, raw []byte, p *maskPolicy, w *rowFrame) {
	l.news.noteField(n, name, raw)
	if !l.extras.addUnknown(n, name, raw, p, w) {
		l.rejects.addPending(w.plan.number, ExtraColumn, ReasonDuplicate)
	}
}

// offerValue offers a column the value of a later place, and reports whether the column now has that value: it was empty and
// takes it, or has the same one.
func (l *rowFiller) offerValue(column int, f *fieldNode, raw []byte, w *rowFrame) bool {
	c, have := &w.plan.columns[column], &w.plan.cells[w.row+column]
	value, reason := l.values.maskedCell(c, l.text.unquoteValue(raw), f)
	switch {
	case reason != "" && !have.set:
		l.noteRejected(c, f, raw, w, reason)
		return false
	case reason != "":
		return false
	case !have.set:
		*have = value
		l.checkWord(c, f, value, w)
		return true
	case c.kind.isFixed():
		return have.number == value.number
	}
	return string(l.text.bytesOf(have.textSpan)) == string(l.text.bytesOf(value.textSpan))
}
