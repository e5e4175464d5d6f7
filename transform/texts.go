package transform

// Texts are the rows of a batch as text for people: the column names without _row, and the values of each row; nil is NULL.
func Texts(b Batch) (names []string, rows [][]*string) {
	for i := firstColumn; i < int(b.Rows.NumCols()); i++ {
		names = append(names, b.Rows.ColumnName(i))
	}
	for r := range int(b.Rows.NumRows()) {
		row := make([]*string, len(names))
		for i := range row {
			if column := b.Rows.Column(firstColumn + i); !column.IsNull(r) {
				text := column.ValueStr(r)
				row[i] = &text
			}
		}
		rows = append(rows, row)
	}
	return names, rows
}
