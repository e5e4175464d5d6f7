package transform_test

import (
	"fmt"
	"log"
	"time"

	"aqueduck/schemas"
	"aqueduck/transform"
)

// A record, as the API sends it, becomes a row of its stream's table and rows of child tables.
func Example() {
	catalogue, err := schemas.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	contacts, _ := catalogue.Stream("contacts")
	decoder, err := transform.NewDecoder(contacts, transform.Options{APIVersion: "2.17"})
	if err != nil {
		log.Fatal(err)
	}

	record := `{"type": "contact", "id": "c1", "name": "Zoë", "updated_at": 1773100800,
		"tags": {"type": "list", "data": [{"type": "tag", "id": "t1"}, {"type": "tag", "id": "t2"}], "total_count": 2}}`
	if err := decoder.Append([]byte(record), transform.Meta{ReadAt: time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)}); err != nil {
		log.Fatal(err)
	}

	// A batch for each table, of which most are empty here. Whoever takes them gives their memory back.
	for _, batch := range decoder.Take() {
		for _, name := range []string{"id", "updated_at", "contact_id", "tag_id"} {
			for _, i := range batch.Rows.Schema().FieldIndices(name) {
				if batch.Rows.NumRows() > 0 {
					fmt.Println(batch.Table.Name, name, batch.Rows.Column(i))
				}
			}
		}
		batch.Rows.Release()
	}
	// Output:
	// contacts_raw id ["c1"]
	// contacts_raw updated_at [1773100800000000]
	// contact_tags_raw contact_id ["c1" "c1"]
	// contact_tags_raw tag_id ["t1" "t2"]
}
