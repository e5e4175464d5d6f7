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
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/schemas"

	"github.com/duckdb/duckdb-go/v2"
)

// recordContacts pages through the workspace and writes its contacts to a file, one a line.
func recordContacts(args []string) (err error) {
	url, path := args[0], args[1]
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	for after := ""; ; {
		next, err := recordPage(w, url, after)
		if err != nil {
			return err
		}
		if next == "" {
			return w.Flush()
		}
		after = next
	}
}

func recordPage(w io.Writer, url, after string) (next string, err error) {
	question := `{"query":{"field":"updated_at","operator":">","value":0},"sort":{"field":"updated_at","order":"ascending"},"pagination":{"per_page":150`
	if after != "" {
		question += `,"starting_after":"` + after + `"`
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/contacts/search", strings.NewReader(question+"}}"))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+spaceToken)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var page struct {
		Data  []json.RawMessage `json:"data"`
		Pages struct {
			Next struct {
				StartingAfter string `json:"starting_after"`
			} `json:"next"`
		} `json:"pages"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		return "", fmt.Errorf("read a page to record: %s: %w", answer.Status, err)
	}
	for _, one := range page.Data {
		if _, err := w.Write(append(bytes.TrimSpace(one), '\n')); err != nil {
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
func readJSON(args []string) (err error) {
	columns, err := contactColumns()
	if err != nil {
		return err
	}
	connector, err := duckdb.NewConnector(args[1]+"?threads=1&memory_limit=2GB", nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	statements := []string{
		"SET preserve_insertion_order = false",
		"SET temp_directory = '" + filepath.Dir(args[1]) + "'",
		"CREATE TABLE contacts AS SELECT * FROM read_json('" + args[0] + "', format = 'newline_delimited', columns = {" + columns + "})",
		"CHECKPOINT",
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	var rows int64
	if err := db.QueryRow("SELECT count(*) FROM contacts").Scan(&rows); err != nil {
		return err
	}
	fmt.Println(rows)
	return nil
}

// contactColumns returns the top-level fields of a contact with their DuckDB types; nested lists stay JSON values.
func contactColumns() (string, error) {
	catalogue, err := schemas.Builtin()
	if err != nil {
		return "", err
	}
	stream, ok := catalogue.Stream("contacts")
	if !ok {
		return "", errors.New("there is no stream contacts")
	}
	types := map[schemas.Type]string{schemas.Text: "VARCHAR", schemas.Int: "BIGINT", schemas.Bool: "BOOLEAN", schemas.Timestamp: "BIGINT", schemas.JSON: "JSON"}
	list := []string{
		"location: 'STRUCT(country VARCHAR, region VARCHAR, city VARCHAR)'",
		"social_profiles: 'STRUCT(data STRUCT(name VARCHAR, url VARCHAR)[])'",
	}
	for _, c := range stream.Columns {
		if len(c.From) == 1 {
			list = append(list, c.From[0]+": '"+types[c.Type]+"'")
		}
	}
	for _, name := range []string{"tags", "notes", "companies"} {
		list = append(list, name+": 'STRUCT(data STRUCT(id VARCHAR, url VARCHAR)[], url VARCHAR, total_count BIGINT)'")
	}
	return strings.Join(list, ", "), nil
}
