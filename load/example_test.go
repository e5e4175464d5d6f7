package load_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// Two tags are committed together with the checkpoint that they make true, and both are read back.
func Example() {
	ctx := context.Background()
	temp, err := os.MkdirTemp("", "warehouse")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(temp)
	dir := layout.Dir(filepath.Join(temp, "data"))

	// The work database belongs to one process.
	if err := load.Prepare(dir); err != nil {
		log.Fatal(err)
	}
	work, err := load.OpenWork(ctx, dir, load.Options{RunID: "run", Now: time.Now})
	if err != nil {
		log.Fatal(err)
	}

	catalogue, err := schemas.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	tags, _ := catalogue.Stream("tags")
	if _, err := work.Tables.Ensure(ctx, "main", transform.Tables(tags)); err != nil {
		log.Fatal(err)
	}

	decoder, err := transform.NewDecoder(tags, transform.Options{APIVersion: "2.17"})
	if err != nil {
		log.Fatal(err)
	}
	for _, record := range []string{`{"id": "1", "name": "vip"}`, `{"id": "2", "name": "trial"}`} {
		if err := decoder.Append([]byte(record), transform.Meta{ReadAt: time.Now()}); err != nil {
			log.Fatal(err)
		}
	}
	batches := decoder.Take()
	before, err := work.Checkpoints.Checkpoint(ctx, "main", "tags")
	if err != nil {
		log.Fatal(err)
	}
	after := load.Checkpoint{Seq: before.Seq + 1, State: "page 2"}
	written, err := work.Commit(ctx, "main", "tags", before, after, batches)
	for _, b := range batches {
		b.Rows.Release()
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.New, "new records")

	names, err := work.Facts.IDs(ctx, "main", "SELECT name FROM {schema}.tags_all") // in order
	if err != nil {
		log.Fatal(err)
	}
	stored, err := work.Checkpoints.Checkpoint(ctx, "main", "tags")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, read up to %q\n", names, stored.State)
	if err := work.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 new records
	// [trial vip], read up to "page 2"
}
