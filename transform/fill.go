package transform

// rowFiller puts values into the row that is open: into the columns of their field, or into _extra.
type rowFiller struct {
	text    *recordText
	values  *cellConverter
	extras  extraFields
	rejects *rejectCounter
	news    *driftLog
}

// fillColumns puts a value into the columns of its field; one that does not fit goes to _extra. opened says that the value was
// looked into: then only columns that take it whole are left.
func (l *rowFiller) fillColumns(f *fieldNode, raw []byte, w *rowFrame, opened bool) {
	if raw[0] == 'n' {
		return
	}
	cells := w.plan.cells[w.row:]
	t := l.text.unquoteValue(raw)
	misfit := false
	for _, i := range f.columns {
		c := &w.plan.columns[i]
		if opened && c.kind != kindJSON {
			continue
		}
		value, reason := l.values.maskedCell(c, t, f)
		if reason != "" {
			misfit = true
			l.noteMisfit(c, f, raw, w, reason)
			continue
		}
		cells[i] = value
	}
	if misfit {
		l.extras.keepMisfit(f, raw, w)
	}
}

// noteMisfit notes that a column does not hold a value.
func (l *rowFiller) noteMisfit(c *columnPlan, f *fieldNode, raw []byte, w *rowFrame, reason string) {
	l.rejects.addPending(w.plan.number, c.name, reason)
	l.news.noteMisfit(w.plan.table.Name, c, f.path, raw)
}

// rejectValue keeps a value of the wrong kind, which no column of its field is asked about.
func (l *rowFiller) rejectValue(f *fieldNode, raw []byte, w *rowFrame, reason string) {
	l.rejects.addPending(w.plan.number, f.messageName(w.plan), reason)
	l.extras.keepMisfit(f, raw, w)
}

// keepUnknown keeps a field that the stream file does not know.
func (l *rowFiller) keepUnknown(n *objectNode, name, raw []byte, p *maskPolicy, w *rowFrame) {
	l.news.noteField(n, name, raw)
	if !l.extras.addUnknown(n, name, raw, p, w) {
		l.rejects.addPending(w.plan.number, ExtraColumn, ReasonDuplicate)
	}
}

// offerValue reports whether a column has a value now that came at a later place: it had none yet and takes it, or it has the same.
func (l *rowFiller) offerValue(column int, f *fieldNode, raw []byte, w *rowFrame) bool {
	c, have := &w.plan.columns[column], &w.plan.cells[w.row+column]
	value, reason := l.values.maskedCell(c, l.text.unquoteValue(raw), f)
	switch {
	case reason != "" && !have.set:
		l.noteMisfit(c, f, raw, w, reason)
		return false
	case reason != "":
		return false
	case !have.set:
		*have = value
		return true
	case c.kind.isFixed():
		return have.number == value.number
	}
	return string(l.text.bytesOf(have.textSpan)) == string(l.text.bytesOf(value.textSpan))
}
