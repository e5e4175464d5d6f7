package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"aqueduck/internal/admin"
	"aqueduck/internal/term"
)

// PrintTouched writes what an erasure would do.
func PrintTouched(found []admin.Erased, w io.Writer) {
	for _, e := range found {
		fmt.Fprintf(w, "workspace %s: %s\n", e.Workspace, strings.Join(e.IDs, ", "))
		if e.Rows == 0 {
			fmt.Fprintln(w, "  no personal data is left in the tables; all files are rewritten")
		}
		for _, table := range slices.Sorted(maps.Keys(e.Tables)) {
			fmt.Fprintf(w, "  - %s: %s\n", table, term.Count(int(e.Tables[table]), "row"))
		}
		fmt.Fprintf(w, "  will rewrite or remove %s\n", term.Count(len(e.Files), "file"))
		for _, column := range e.NotCovered {
			fmt.Fprintf(w, "  not covered: %s\n", column)
		}
	}
}

// PrintErased writes a summary of what an erasure did. PrintTouched has written what it does not cover.
func PrintErased(done []admin.Erased, w io.Writer) {
	for _, e := range done {
		fmt.Fprintf(w, "erased    %s of %s: %s in %s; %s rewritten or removed\n", strings.Join(e.IDs, ", "), e.Workspace, term.Count(int(e.Certificate.Rows), "row"),
			term.Count(len(e.Tables), "table"), term.Count(len(e.Files), "file"))
	}
	certificate := "_sync.erasures has the certificate"
	if !slices.ContainsFunc(done, func(e admin.Erased) bool { return e.Rows > 0 }) {
		certificate = "there was nothing left to erase: _sync.erasures has the certificate of the erasure before"
	}
	fmt.Fprintln(w, "          "+certificate+"; with -v every table and file is listed")
}

// ErasureCertificate is a row of _sync.erasures as JSON.
type ErasureCertificate struct {
	Workspace  string           `json:"workspace"`
	Reason     string           `json:"reason"`
	Persons    []string         `json:"persons"`
	Rows       int64            `json:"rows"`   // changed or deleted, in all tables
	Tables     map[string]int64 `json:"tables"` // rows by table
	Files      []string         `json:"files"`
	NotCovered []string         `json:"not_covered"`
}

// ErasureCertificates returns the certificates of erasures as JSON has them.
func ErasureCertificates(done []admin.Erased) []ErasureCertificate {
	all := make([]ErasureCertificate, len(done))
	for i, e := range done {
		all[i] = ErasureCertificate{e.Workspace, e.Reason, e.Persons, e.Certificate.Rows, e.Tables, e.Files, e.NotCovered}
	}
	return all
}

// ListErased returns a row for each table and file that erasures changed, and for each column that they did not cover.
func ListErased(done []admin.Erased) List {
	l := List{Columns: []string{"workspace", "what", "name", "rows"}}
	for _, e := range done {
		for _, table := range slices.Sorted(maps.Keys(e.Tables)) {
			l.Rows = append(l.Rows, []any{e.Workspace, "table", table, e.Tables[table]})
		}
		for _, name := range e.Files {
			l.Rows = append(l.Rows, []any{e.Workspace, "file", name, nil})
		}
		for _, name := range e.NotCovered {
			l.Rows = append(l.Rows, []any{e.Workspace, "not covered", name, nil})
		}
	}
	return l
}
