package dictionary

import (
	"path"
	"slices"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/schemas"
)

// DatasetStream returns the stream of one dataset. Its columns are text, as the source sends them, after the time column that rows are selected
// by. They are in the order in which the exports first had them.
func DatasetStream(family *schemas.Stream, name string, e *extract.Export) *schemas.Stream {
	s := &schemas.Stream{Name: name, File: family.File, Doc: e.Doc, Table: name, Dataset: e.Dataset, Read: family.Read}
	if len(e.Columns) == 0 {
		return s // without an export its columns are not known, and it has no table
	}
	s.Newest = export.TimeColumn
	s.Columns = []schemas.Column{{Name: export.TimeColumn, From: []string{export.TimeColumn}, Type: schemas.Timestamp, Required: true,
		Doc: "Time of the row: the column by which the export is requested."}}
	for _, c := range e.Columns {
		s.Columns = append(s.Columns, schemas.Column{Name: c.Name, From: []string{c.Name}, Type: schemas.Text, Doc: c.Header})
	}
	annotateColumns(s, family.ColumnFlags)
	return s
}

// annotateColumns adds to the columns of a dataset what the family's file states for their names. Personal columns refer to the persons, or to the
// persons of the records, that the row names.
func annotateColumns(s *schemas.Stream, marks []schemas.ColumnFlags) {
	var whose []string
	for i := range s.Columns[1:] {
		c := &s.Columns[1+i]
		for _, m := range marks {
			if !slices.ContainsFunc(m.Columns, func(pattern string) bool { ok, err := path.Match(pattern, c.Name); return ok && err == nil }) {
				continue
			}
			c.Person, c.PII = c.Person || m.Person, c.PII || m.PII && !c.Person
			if m.References != "" {
				c.References = m.References
			}
		}
		if c.Person || c.References != "" {
			whose, c.PII = append(whose, c.Name), false
		}
	}
	for i := range s.Columns {
		if s.Columns[i].PII {
			s.Columns[i].Subjects = whose
		}
	}
}
