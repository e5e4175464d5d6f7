package render

import (
	"io"

	"aqueduck/internal/config"
)

// PrintDue writes a line for each scheduled time.
func PrintDue(w io.Writer, all []config.Due) {
	t := newTable("PIPELINE", "LOCAL", "ZONE", "UTC", "NOTE")
	for _, d := range all {
		t.addRow(d.Pipeline, d.Local, d.Zone, d.At.UTC().Format("2006-01-02 15:04"), d.Note)
	}
	printTable(w, t)
}
