package transform

// filler puts values into the row that is open: into the columns of their field, or into _extra.
type filler struct {
	text    *recordText
	values  *converter
	extras  extras
	rejects *rejects
	news    *news
}

// fill puts a value into the columns of its field; one that does not fit goes to _extra. opened says that the value was
// looked into: then only columns that take it whole are left.
func (l *filler) fill(f *field, raw []byte, w *frame, opened bool) {
	if raw[0] == 'n' {
		return
	}
	cells := w.plan.cells[w.row:]
	t := l.text.token(raw)
	misfit := false
	for _, i := range f.columns {
		c := &w.plan.columns[i]
		if opened && c.kind != kindJSON {
			continue
		}
		value, reason := l.values.value(c, t, f)
		if reason != "" {
			misfit = true
			l.misfit(c, f, raw, w, reason)
			continue
		}
		cells[i] = value
	}
	if misfit {
		l.extras.spill(f, raw, w)
	}
}

// misfit notes that a column does not hold a value.
func (l *filler) misfit(c *column, f *field, raw []byte, w *frame, reason string) {
	l.rejects.complain(w.plan.number, c.name, reason)
	l.news.misfit(w.plan.table.Name, c, f.path, raw)
}

// reject keeps a value of the wrong kind, which no column of its field is asked about.
func (l *filler) reject(f *field, raw []byte, w *frame, reason string) {
	l.rejects.complain(w.plan.number, f.label(w.plan), reason)
	l.extras.spill(f, raw, w)
}

// unknown keeps a field that the stream file does not know.
func (l *filler) unknown(n *node, name, raw []byte, p *policy, w *frame) {
	l.news.field(n, name, raw)
	if !l.extras.add(n, name, raw, p, w) {
		l.rejects.complain(w.plan.number, ExtraColumn, ReasonDuplicate)
	}
}

// offer reports whether a column has a value now that came at a later place: it had none yet and takes it, or it has the same.
func (l *filler) offer(column int, f *field, raw []byte, w *frame) bool {
	c, have := &w.plan.columns[column], &w.plan.cells[w.row+column]
	value, reason := l.values.value(c, l.text.token(raw), f)
	switch {
	case reason != "" && !have.set:
		l.misfit(c, f, raw, w, reason)
		return false
	case reason != "":
		return false
	case !have.set:
		*have = value
		return true
	case c.kind.fixed():
		return have.number == value.number
	}
	return string(l.text.piece(have.span)) == string(l.text.piece(value.span))
}
