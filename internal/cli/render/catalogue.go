package render

import (
	"fmt"
	"io"
	"strings"

	"aqueduck/internal/dictionary"
	"aqueduck/internal/term"
)

// PrintCatalogue writes a line for each stream.
func PrintCatalogue(all []dictionary.StreamDescription, w io.Writer) {
	t := newTable("STREAM", "REQUEST", "SINCE", "TABLES", "ONE ROW PER")
	t.leaveOut(4)
	for _, d := range all {
		doc, _, _ := strings.Cut(strings.TrimPrefix(d.Doc, "One row per "), ". ")
		t.addRow(d.Stream, d.Request, d.Since, term.JoinFew(d.Shown, 3), strings.TrimSuffix(doc, "."))
	}
	printTable(w, t)
}

// PrintStream writes the complete description of a stream.
func PrintStream(d dictionary.StreamDescription, w io.Writer) {
	fmt.Fprintf(w, "%s  %s  (%s)\n%s\n\n  read      %s\n  deletion  %s\n  late      %s\n  requests  per 1,000 records: %s; per change: %s\n",
		d.Stream, d.Request, d.File, d.Doc, strings.Join(d.Read, "\n            "), d.Deletion, d.Late, d.ThousandText, d.ChangeText)
	if d.Version != "" {
		fmt.Fprintf(w, "  version   %s or later\n", d.Version)
	}
	if d.Scope != "" {
		fmt.Fprintf(w, "  scope     %s\n", d.Scope)
	}
	for _, one := range d.Tables {
		fmt.Fprintf(w, "\n%s  key: %s\n", one.Table, strings.Join(one.Key, ", "))
		t := newTable("COLUMN", "TYPE", "FROM", "MEANING")
		for _, column := range one.Columns {
			doc := column.Doc
			if column.References != "" {
				doc = strings.TrimSpace(doc + " → " + column.References)
			}
			if column.PII {
				doc = strings.TrimSpace(doc + " (personal data)")
			}
			t.addRow(column.Column, column.Type, column.From, doc)
		}
		printTable(w, t)
	}
}
