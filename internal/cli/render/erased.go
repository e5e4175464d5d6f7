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
			fmt.Fprintf(w, "  - %s: %d rows\n", table, e.Tables[table])
		}
		fmt.Fprintf(w, "  - %d files are rewritten or removed\n", len(e.Files))
		for _, column := range e.NotCovered {
			fmt.Fprintf(w, "  ! %s\n", column)
		}
	}
}

// PrintErased writes a summary of what an erasure did.
func PrintErased(done []admin.Erased, w io.Writer) {
	for _, e := range done {
		fmt.Fprintf(w, "erased    %s of %s: %s in %s; %s rewritten or removed\n", strings.Join(e.IDs, ", "), e.Workspace, term.Count(int(e.Certificate.Rows), "row"),
			term.Count(len(e.Tables), "table"), term.Count(len(e.Files), "file"))
		for _, column := range e.NotCovered {
			fmt.Fprintf(w, "          not covered: %s\n", column)
		}
	}
	fmt.Fprintln(w, "          _sync.erasures has the certificate; with -v every table and file is listed")
}

// erasureCertificate is a row of _sync.erasures as JSON.
type erasureCertificate struct {
	Workspace  string           `json:"workspace"`
	Reason     string           `json:"reason"`
	Persons    []string         `json:"persons"`
	Rows       int64            `json:"rows"`
	Tables     map[string]int64 `json:"tables"`
	Files      []string         `json:"files"`
	NotCovered []string         `json:"not_covered"`
}

// WriteCertificates writes all certificates in a form, with every table and file.
func WriteCertificates(form string, done []admin.Erased, w io.Writer) error {
	if form == "json" {
		all := make([]erasureCertificate, len(done))
		for i, e := range done {
			all[i] = erasureCertificate{e.Workspace, e.Reason, e.Persons, e.Certificate.Rows, e.Tables, e.Files, e.NotCovered}
		}
		return WriteJSON(w, all)
	}
	out := NewRows(form, w)
	if err := out.WriteHeader([]string{"workspace", "what", "name", "rows"}); err != nil {
		return err
	}
	for _, e := range done {
		for _, table := range slices.Sorted(maps.Keys(e.Tables)) {
			if err := out.WriteRow([]any{e.Workspace, "table", table, e.Tables[table]}); err != nil {
				return err
			}
		}
		for _, name := range e.Files {
			if err := out.WriteRow([]any{e.Workspace, "file", name, nil}); err != nil {
				return err
			}
		}
		for _, name := range e.NotCovered {
			if err := out.WriteRow([]any{e.Workspace, "not covered", name, nil}); err != nil {
				return err
			}
		}
	}
	return out.FinishTable()
}
