// Package committest tests the contract of Commit, which every destination of rows must keep.
package committest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"aqueduck/schemas"
	"aqueduck/transform"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Person is one record of the test stream. Its key has two columns, its tags are a complete list, and its visits are an
// incomplete one.
type Person struct {
	Region, ID string
	Updated    int64 // seconds; 0: the record has no time
	Name       string
	Tags       []string
	Visits     []Visit
	GoneAt     int64 // seconds; not 0: only that the record is gone is known
}

// Visit is one item of a list that only grows. Its photos are a complete list.
type Visit struct {
	ID     string
	Note   string
	Photos string // one letter each; a visit comes with all of its photos
}

// Stream is the definition of the test stream of Person.
func Stream() *schemas.Stream {
	column := func(name string, t schemas.Type, from ...string) schemas.Column {
		if from == nil {
			from = []string{name}
		}
		return schemas.Column{Name: name, From: from, Type: t, Doc: "The " + name + "."}
	}
	parent := func() []schemas.Column {
		return []schemas.Column{
			column("person_region", schemas.Text, schemas.FromParent, "region"),
			column("person_id", schemas.Text, schemas.FromParent, "id"),
		}
	}
	return &schemas.Stream{
		Name: "people", Table: "people", Doc: "One row per person.", Key: []string{"region", "id"}, Newest: "updated_at", Absent: "gone",
		Columns: []schemas.Column{
			column("region", schemas.Text), column("id", schemas.Text), column("updated_at", schemas.Timestamp), column("name", schemas.Text),
		},
		Children: []schemas.Child{
			{Table: "people_tags", Doc: "One row per tag of a person.", Key: []string{"person_region", "person_id", "tag"}, Complete: true,
				Columns: append(parent(), column("tag", schemas.Text))},
			{Table: "people_visits", Doc: "One row per visit of a person.", Key: []string{"id"},
				Columns: append(parent(), column("id", schemas.Text), column("note", schemas.Text))},
			{Table: "people_photos", Doc: "One row per photo of a visit.", Within: "people_visits", Key: []string{"visit_id", "photo"},
				Columns: []schemas.Column{
					column("region", schemas.Text, schemas.FromParent, "person_region"), column("person", schemas.Text, schemas.FromParent, "person_id"),
					column("visit_id", schemas.Text, schemas.FromParent, "id"), column("photo", schemas.Text),
				}},
		},
	}
}

// Hash is the _hash of a record: equal for equal content and tags.
func (p Person) Hash() int64 { return hashContent(p.Updated, p.Name, p.Tags) }

// Hash is the _hash of an item.
func (v Visit) Hash() int64 { return hashContent(v.ID, v.Note) }

func hashContent(content ...any) int64 {
	h := fnv.New64a()
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // numbers and texts always have a JSON form
	}
	h.Write(text)
	return int64(h.Sum64())
}

// Batches makes the batches of one commit; the caller releases their rows.
func Batches(sweep int, people ...Person) []transform.Batch {
	tables := transform.Tables(Stream())
	own, tags, visits, photos := newRows(tables[0]), newRows(tables[1]), newRows(tables[2]), newRows(tables[3])
	for i, p := range people {
		row := int64(i)
		if p.GoneAt != 0 {
			own.appendRow(row, map[string]any{"region": p.Region, "id": p.ID, "_gone_at": p.GoneAt, "_api_version": "1"})
			continue
		}
		values := map[string]any{"region": p.Region, "id": p.ID, "name": p.Name, "_hash": p.Hash(), "_api_version": "1"}
		if p.Updated != 0 {
			values["updated_at"] = p.Updated
		}
		own.appendRow(row, values)
		for _, tag := range p.Tags {
			tags.appendRow(row, map[string]any{"person_region": p.Region, "person_id": p.ID, "tag": tag, "_hash": hashContent(tag)})
		}
		for _, v := range p.Visits {
			visits.appendRow(row, map[string]any{"person_region": p.Region, "person_id": p.ID, "id": v.ID, "note": v.Note, "_hash": v.Hash()})
			for _, photo := range v.Photos {
				photos.appendRow(row, map[string]any{"region": p.Region, "person": p.ID, "visit_id": v.ID, "photo": string(photo), "_hash": hashContent(photo)})
			}
		}
	}
	return []transform.Batch{
		{Table: tables[0], Sweep: sweep, Rows: own.buildBatch()},
		{Table: tables[1], Rows: tags.buildBatch()},
		{Table: tables[2], Rows: visits.buildBatch()},
		{Table: tables[3], Rows: photos.buildBatch()},
	}
}

// WithExtra makes the batch of one person with fields that no column takes, as JSON.
func WithExtra(own transform.Table, p Person, extra string) []transform.Batch {
	r := newRows(own)
	r.appendRow(0, map[string]any{"region": p.Region, "id": p.ID, "name": p.Name, "updated_at": p.Updated, "_extra": extra, "_hash": hashContent(p.Hash(), extra)})
	return []transform.Batch{{Table: own, Rows: r.buildBatch()}}
}

// Release releases the memory of batches.
func Release(batches []transform.Batch) {
	for _, b := range batches {
		b.Rows.Release()
	}
}

type rowBuilder struct {
	columns []transform.Column
	builder *array.RecordBuilder
}

func newRows(t transform.Table) *rowBuilder {
	columns := t.Columns[:len(t.Columns)-2] // without _synced_at and _run_id, which the commit gives
	fields := []arrow.Field{{Name: transform.RowColumn, Type: arrow.PrimitiveTypes.Int64}}
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Arrow, Nullable: true})
	}
	return &rowBuilder{columns: columns, builder: array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))}
}

func (r *rowBuilder) appendRow(row int64, values map[string]any) {
	r.builder.Field(0).(*array.Int64Builder).Append(row)
	for i, c := range r.columns {
		b := r.builder.Field(i + 1)
		switch v := values[c.Name].(type) {
		case nil:
			b.AppendNull()
		case string:
			b.(*array.StringBuilder).Append(v)
		case int64:
			if t, ok := b.(*array.TimestampBuilder); ok {
				t.Append(arrow.Timestamp(v * 1_000_000))
				continue
			}
			b.(*array.Int64Builder).Append(v)
		default:
			panic(fmt.Sprintf("a value of type %T", v))
		}
	}
}

func (r *rowBuilder) buildBatch() arrow.RecordBatch {
	defer r.builder.Release()
	return r.builder.NewRecordBatch()
}
