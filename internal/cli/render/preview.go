package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"aqueduck/internal/preview"
	"aqueduck/internal/term"
	"aqueduck/transform"
)

// PrintOnline writes a line for each stream.
func PrintOnline(o *preview.Online, w io.Writer) {
	t := newTable("WORKSPACE", "STREAM", "REQUEST", "READABLE", "IN A PIPELINE", "REASON")
	t.nameRows(2)
	t.leaveOut(3, 5)
	for _, s := range o.Streams {
		named := ""
		if s.Named {
			named = "yes"
		}
		t.addRow(s.Workspace, s.Stream, s.Request, s.Answer, named, s.Why)
	}
	printTable(w, t)
	if width := columnsOf(w); width > 0 {
		room := t.fitColumns(width)[5]
		for _, s := range o.Streams {
			if widthOf(s.Why) > room {
				fmt.Fprintf(w, "%s.%s: %s\n", s.Workspace, s.Stream, s.Why)
			}
		}
	}
	for _, note := range o.Notes {
		fmt.Fprintln(w, note)
	}
	disk := fmt.Sprintf("warehouse %s: %s", o.Dir, o.Room)
	if o.Room.Short() {
		disk += ", which is too little: the next run would fail"
	}
	if o.Running != nil {
		disk += fmt.Sprintf("; process %d writes it, pipeline %s", o.Running.PID, o.Running.Pipeline)
	} else {
		disk += "; no process writes it"
	}
	fmt.Fprintln(w, disk)
	for _, a := range o.Alerts {
		answer := "can be reached"
		if a.Why != "" {
			answer = "cannot be reached: " + a.Why
		}
		fmt.Fprintf(w, "alert %s: its %s %s\n", a.Alert, a.For, answer)
	}
}

// PrintTrial writes the result of a trial for people.
func PrintTrial(t *preview.Trial, w io.Writer) {
	list := fmt.Sprintf("the records are in %q", t.Records)
	if t.Records == "" {
		list = "the answer is a single record"
	}
	told := "no total_count"
	if t.Total >= 0 {
		told = "total_count " + term.Thousands(t.Total)
	}
	fmt.Fprintf(w, "%s  %s\n  answer   %s; %s\n  records  %s, %s\n", t.Stream, t.Request, strings.Join(t.Keys, ", "), list, term.Count(t.Came, "record"), told)
	if t.Refused == "" {
		fmt.Fprintf(w, "  paging   %s\n", t.Paging)
	} else {
		fmt.Fprintf(w, "  paging   A RUN STOPS HERE: %s\n", t.Refused)
	}
	if t.Shared > 0 {
		fmt.Fprintf(w, "  key      %s OF %d HAVE THE KEY OF ANOTHER: a run stores the newest of them; name more columns in key:\n", term.Thousands(t.Shared), t.Came)
	}
	for _, one := range t.Tables {
		printTrialTable(&one, w)
	}
	for _, m := range t.Misfits {
		fmt.Fprintf(w, "\n  rejected: %s of %s%s: %s", term.Count(int(m.Count), rejectedUnit(m)), m.Table, term.WithNote(".", m.Column), m.Reason)
	}
	if len(t.Misfits) > 0 {
		fmt.Fprintln(w)
	}
	if t.Advice != "" {
		fmt.Fprintf(w, "  %s\n", t.Advice)
	}
	if len(t.Never) > 0 {
		fmt.Fprintf(w, "\ncolumns without a value: %s\n", strings.Join(t.Never, ", "))
	}
	of, ignored := "", false
	for _, u := range t.Untaken {
		if u.Table != of {
			fmt.Fprintf(w, "\nfields without a column in %s (they are in _extra):\n", u.Table)
			of = u.Table
		}
		if u.IsConstant() {
			if !ignored {
				fmt.Fprintf(w, "  %s   # in place of the line ignore: of the file\n", u.Line)
			}
			ignored = true
			continue
		}
		if u.Seen == 0 {
			fmt.Fprintf(w, "  %-70s # %s is null in every record of this page: correct the type\n", u.Line, u.Path)
			continue
		}
		fmt.Fprintf(w, "  %-70s # %s in %s, e.g. %s\n", u.Line, u.Path, term.Count(u.Seen, "record"), term.Truncate(u.Example, 40))
	}
	whole := func(d preview.DeadLetter) bool { return d.Column == "" }
	if len(t.Untaken) == 0 && !slices.ContainsFunc(t.Misfits, whole) && t.Came > 0 {
		fmt.Fprintln(w, "\nevery field has a column")
	}
}

// rejectedUnit is what is rejected: whole records, or values of a column.
func rejectedUnit(d preview.DeadLetter) string {
	if d.Column == "" {
		return "record"
	}
	return "value"
}

// printTrialTable writes the first rows, without empty columns.
func printTrialTable(t *preview.TrialTable, w io.Writer) {
	fmt.Fprintf(w, "\n%s  %s\n", t.Table, term.Count(t.Rows, "row"))
	var heads []string
	var shown []int
	for i, name := range t.Columns {
		own := !strings.HasPrefix(name, "_") || name == transform.ExtraColumn
		if own && slices.ContainsFunc(t.First, func(row []*string) bool { return row[i] != nil }) {
			heads, shown = append(heads, name), append(shown, i)
		}
	}
	if len(shown) == 0 {
		return
	}
	out := newTable(heads...)
	for _, row := range t.First {
		var cells []any
		for _, i := range shown {
			text := ""
			if row[i] != nil {
				printed := strings.FieldsFunc(*row[i], func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
				text = term.Truncate(strings.Join(printed, " "), 24)
			}
			cells = append(cells, text)
		}
		out.addRow(cells...)
	}
	printTable(w, out)
}
