package render

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"aqueduck/internal/config"
)

// PrintDue writes a line for each scheduled time.
func PrintDue(w io.Writer, all []config.Due) {
	t := newTable("PIPELINE", "LOCAL", "ZONE", "UTC", "NOTE")
	for _, d := range all {
		t.AppendRow(table.Row{d.Pipeline, d.Local, d.Zone, d.At.Format(time.RFC3339), d.Note})
	}
	fmt.Fprintln(w, renderTable(t))
}
