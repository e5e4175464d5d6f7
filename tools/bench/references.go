package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aqueduck/schemas"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/klauspost/compress/gzip"
)

// compressedFile is the file with the answers that a file of records was taken from, as they were sent: one gzip member each.
func compressedFile(records string) string { return records + ".gz" }

// recordContacts pages through the workspace and writes its contacts to a file, one a line, and the answers as they were sent beside it.
func recordContacts(args []string) (err error) {
	r := pageRecorder{url: args[0]}
	records, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	sent, err := os.Create(compressedFile(args[1]))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sent.Close()) }()
	r.records, r.sent = bufio.NewWriterSize(records, 1<<20), sent
	for after, more := "", true; more; more = after != "" {
		if after, err = r.recordPage(after); err != nil {
			return err
		}
	}
	return r.records.Flush()
}

// pageRecorder writes the pages of a search to files.
type pageRecorder struct {
	url     string
	records *bufio.Writer // the records, one a line
	sent    io.Writer     // the answers, compressed
}

// recordPage records the page at a cursor and returns the cursor of the next one, "" after the last.
func (p *pageRecorder) recordPage(after string) (next string, err error) {
	question := `{"query":{"field":"updated_at","operator":">","value":0},"sort":{"field":"updated_at","order":"ascending"},"pagination":{"per_page":150`
	if after != "" {
		question += `,"starting_after":"` + after + `"`
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, p.url+"/contacts/search", strings.NewReader(question+"}}"))
	if err != nil {
		return "", err
	}
	r.Header = http.Header{"Authorization": {"Bearer " + spaceToken}, "Accept-Encoding": {"gzip"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	inflated, err := gzip.NewReader(io.TeeReader(answer.Body, p.sent))
	if err != nil {
		return "", fmt.Errorf("inflate a page to record: %s: %w", answer.Status, err)
	}
	var page struct {
		Data  []json.RawMessage `json:"data"`
		Pages struct {
			Next struct {
				StartingAfter string `json:"starting_after"`
			} `json:"next"`
		} `json:"pages"`
	}
	text, err := io.ReadAll(inflated)
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	if err != nil {
		return "", fmt.Errorf("read a page to record: %s: %w", answer.Status, err)
	}
	for _, one := range page.Data {
		if _, err := p.records.Write(append(bytes.TrimSpace(one), '\n')); err != nil {
			return "", err
		}
	}
	return page.Pages.Next.StartingAfter, nil
}

// copyBytes copies a file durably, and does nothing else.
func copyBytes(args []string) (err error) {
	from, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	// Through memory: a copy inside the kernel would share blocks and copy nothing.
	if _, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 1<<20)); err != nil {
		return err
	}
	return to.Sync()
}

// readJSON has DuckDB read the file of contacts into one table, with one thread and given column types, and checkpoint.
func readJSON(args []string) error {
	stream, err := contactStream()
	if err != nil {
		return err
	}
	return runStatements(args[1], readContacts(stream, args[0]), "CHECKPOINT")
}

// buildFloor does what the program's result needs at least, with one thread and nothing else: it inflates the answers, has DuckDB read the
// file of contacts into a table and its lists into child tables, writes each as Parquet, and checkpoints.
func buildFloor(args []string) error {
	if err := inflateAnswers(compressedFile(args[0])); err != nil {
		return err
	}
	stream, err := contactStream()
	if err != nil {
		return err
	}
	statements := []string{readContacts(stream, args[0])}
	for _, c := range stream.Children {
		list := strings.Join(c.From, ".")
		statements = append(statements, "CREATE TABLE "+c.Table+" AS SELECT id AS contact_id, unnest("+list+", recursive := true) FROM contacts WHERE len("+list+") > 0",
			copyToParquet("SELECT * FROM "+c.Table, args[1]+"."+c.Table))
	}
	lists := map[string]bool{}
	for _, c := range stream.Children {
		lists[c.From[0]] = true
	}
	without := strings.Join(slices.Sorted(maps.Keys(lists)), ", ")
	return runStatements(args[1], append(statements, copyToParquet("SELECT * EXCLUDE ("+without+") FROM contacts", args[1]+".contacts"), "CHECKPOINT")...)
}

func copyToParquet(query, path string) string {
	return "COPY (" + query + ") TO '" + path + ".parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
}

// inflateAnswers decompresses answers with the library of the program and drops them.
func inflateAnswers(path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	z, err := gzip.NewReader(bufio.NewReaderSize(in, 64<<10))
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{z}, make([]byte, 1<<20))
	return err
}

// runStatements runs statements in a new DuckDB file with one thread.
func runStatements(path string, statements ...string) (err error) {
	connector, err := duckdb.NewConnector(path+"?threads=1&memory_limit=2GB", nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	settings := []string{"SET preserve_insertion_order = false", "SET temp_directory = '" + filepath.Dir(path) + "'"}
	for _, statement := range append(settings, statements...) {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	return nil
}

func contactStream() (*schemas.Stream, error) {
	catalogue, err := schemas.Builtin()
	if err != nil {
		return nil, err
	}
	stream, ok := catalogue.Stream("contacts")
	if !ok {
		return nil, errors.New("there is no stream contacts")
	}
	return stream, nil
}

// readContacts is the statement that reads a file of contacts into a table. Its columns are the top-level fields of a contact, with their types;
// the objects are structs.
func readContacts(stream *schemas.Stream, path string) string {
	types := map[schemas.Type]string{schemas.Text: "VARCHAR", schemas.Int: "BIGINT", schemas.Bool: "BOOLEAN", schemas.Timestamp: "BIGINT", schemas.JSON: "JSON"}
	list := []string{"location: 'STRUCT(country VARCHAR, region VARCHAR, city VARCHAR, country_code VARCHAR, continent_code VARCHAR)'"}
	for _, c := range stream.Columns {
		if len(c.From) == 1 {
			list = append(list, c.From[0]+": '"+types[c.Type]+"'")
		}
	}
	for _, child := range stream.Children {
		var fields []string
		for _, c := range child.Columns {
			if len(c.From) == 1 && !strings.HasPrefix(c.From[0], "$") {
				fields = append(fields, c.From[0]+" "+types[c.Type])
			}
		}
		items := "STRUCT(" + strings.Join(fields, ", ") + ")[]"
		for _, name := range slices.Backward(child.From[1:]) {
			items = "STRUCT(" + name + " " + items + ")"
		}
		list = append(list, child.From[0]+": '"+items+"'")
	}
	return "CREATE TABLE contacts AS SELECT * FROM read_json('" + path + "', format = 'newline_delimited', columns = {" + strings.Join(list, ", ") + "})"
}
