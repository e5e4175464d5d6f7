package warehouse

import (
	"context"
	"fmt"
	"slices"

	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// typeLadder is the order in which a column widens: each type holds all values of those before it.
var typeLadder = []schemas.Type{schemas.Bool, schemas.Int, schemas.Double, schemas.Text}

// storedTypes maps the database's names of types to the types of stream files.
var storedTypes = map[string]schemas.Type{"BOOLEAN": schemas.Bool, "BIGINT": schemas.Int, "DOUBLE": schemas.Double, "VARCHAR": schemas.Text}

// EvolveStreams returns streams with column types as wide as the stored columns. Columns of the streams for which wanted is true also widen as far
// as their dead letters need. The published tables get the same types. The notes are those of FindNarrowed.
func (w *Writer) EvolveStreams(ctx context.Context, schema string, streams []*schemas.Stream, wanted func(stream string) bool) (evolved []*schemas.Stream, notes []string, err error) {
	var shapes []facts.Shape
	err = w.Use(func(work *load.Work) (err error) {
		shapes, err = work.Facts.Shapes(ctx, schema)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	evolved = slices.Clone(streams)
	for i, s := range streams {
		notes = append(notes, FindNarrowed(s, shapes)...)
		if evolved[i] = WidenStream(s, shapes, wanted(s.Name)); evolved[i] != s {
			w.updateSpecTables(schema, dictionary.Tables(evolved[i:i+1]))
		}
	}
	return evolved, notes, nil
}

// FindNarrowed returns a note for each column that a stream file declares narrower than it is stored, although it never was: the declared type has
// no effect.
func FindNarrowed(s *schemas.Stream, shapes []facts.Shape) (notes []string) {
	find := func(table string, columns []schemas.Column) {
		for _, c := range columns {
			at := slices.IndexFunc(shapes, func(shape facts.Shape) bool { return shape.Table == table && shape.Column == c.Name })
			if at < 0 || slices.Contains(shapes[at].Was, string(c.Type)) {
				continue
			}
			declared, now := slices.Index(typeLadder, c.Type), slices.Index(typeLadder, storedTypes[shapes[at].Stored])
			if declared >= 0 && declared < now {
				notes = append(notes, fmt.Sprintf("%s.%s stays %s, although %s says %s: a stored column only widens; restore its type, or give the column another name",
					table, c.Name, typeLadder[now], s.File, c.Type))
			}
		}
	}
	find(transform.Tables(s)[0].Name, s.Columns)
	for _, c := range s.Children {
		find(c.Table, c.Columns)
	}
	return notes
}

// WidenStream returns a stream with column types as wide as the stored columns, and with wanted as wide as their dead letters need. It returns s
// itself when nothing changes.
func WidenStream(s *schemas.Stream, shapes []facts.Shape, wanted bool) *schemas.Stream {
	next := *s
	own := transform.Tables(s)[0].Name
	changed := false
	widen := func(table string, columns []schemas.Column, key []string) []schemas.Column {
		columns = slices.Clone(columns)
		for i, c := range columns {
			at := slices.IndexFunc(shapes, func(shape facts.Shape) bool { return shape.Table == table && shape.Column == c.Name })
			if at < 0 || slices.Contains(key, c.Name) || !slices.Contains(typeLadder, c.Type) {
				continue
			}
			if to, was := widestType(c.Type, shapes[at], wanted); len(was) > 0 {
				columns[i].Type, columns[i].NarrowerTypes, changed = to, was, true
			}
		}
		return columns
	}
	next.Columns = widen(own, s.Columns, s.Key)
	next.Children = slices.Clone(s.Children)
	for i, c := range s.Children {
		next.Children[i].Columns = widen(c.Table, c.Columns, c.Key)
	}
	if !changed {
		return s
	}
	return &next
}

// widestType returns the type of a column from now on, and the narrower types that it had, none when it never widened. An object or a list among
// the dead letters widens nothing: it is no value of a column, and stays in _extra. A boolean widens the column to a number only where the column
// was a boolean once.
func widestType(declared schemas.Type, shape facts.Shape, wanted bool) (schemas.Type, []schemas.Type) {
	now := storedTypes[shape.Stored]
	at := max(slices.Index(typeLadder, declared), slices.Index(typeLadder, now))
	var was []schemas.Type
	for _, name := range shape.Was {
		was = append(was, schemas.Type(name))
	}
	if len(was) == 0 && declared != now && slices.Index(typeLadder, declared) < slices.Index(typeLadder, now) {
		was = []schemas.Type{declared} // an older version of the program widened it without a record
	}
	bools := now == schemas.Bool || slices.Contains(was, schemas.Bool)
	for _, kind := range shape.Misfits {
		if !wanted {
			break
		}
		if kind == string(schemas.Bool) && !bools {
			kind = string(schemas.Text)
		}
		at = max(at, slices.Index(typeLadder, schemas.Type(kind)))
	}
	if typeLadder[at] == schemas.Double && shape.Rounded {
		at = slices.Index(typeLadder, schemas.Text)
	}
	if typeLadder[at] != now {
		was = append(was, now)
	}
	return typeLadder[at], was
}

// updateSpecTables updates the types of published tables.
func (w *Writer) updateSpecTables(schema string, tables []transform.Table) {
	at := slices.IndexFunc(w.spec.Schemas, func(s publish.Schema) bool { return s.Name == schema })
	for _, t := range tables {
		if i := slices.IndexFunc(w.spec.Schemas[at].Tables, func(old transform.Table) bool { return old.Name == t.Name }); i >= 0 {
			w.spec.Schemas[at].Tables[i] = t
		}
	}
}
