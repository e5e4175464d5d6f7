package exports

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
)

// exportRows returns the rows of a job, in the order of the requested attributes and of their times.
func (w *Exports) exportRows(j *Job) [][]any {
	birth, now := w.Setup.Start.Unix(), event.ReportSpan/3600+w.HoursLived
	inside := func(at int64) bool {
		if w.K().Export.Outside {
			return at > j.From && at < j.To
		}
		return at >= j.From && at <= j.To
	}
	var rows [][]any
	add := func(created int64, value func(attribute string) any) {
		rows = append(rows, w.exportRow(j, created, value))
	}
	first := max(0, (j.From-birth+event.ReportSpan)/3600)
	for hour := int(first); hour < now && birth-event.ReportSpan+int64(hour)*3600 <= j.To; hour++ {
		for _, f := range w.exportHour(j.Set, hour) {
			if f.Known <= now && inside(f.Created) && !(f.Silent && j.Old) {
				add(f.Created, func(attribute string) any {
					return w.changedValue(j.Set.ID, f.Key, attribute, factAt(&f, attribute, now))
				})
			}
		}
	}
	for num := w.Setup.Conversations; num < len(w.Conversations.Threads) && j.Set == event.Datasets[0]; num++ { // begun since hour 0: exported at once
		if e := w.Conversations.Threads[num].Newest; inside(e.Created) {
			if f := w.Conversations.ReportFact(e); !(f.Silent && j.Old) {
				add(f.Created, func(attribute string) any { return w.changedValue(j.Set.ID, f.Key, attribute, f.Values[attribute]) })
			}
		}
	}
	for _, e := range w.ReportEvents {
		if e.Dataset == j.Set.ID && e.Attribute == "" && inside(e.Created) {
			add(e.Created, func(attribute string) any { return w.changedValue(j.Set.ID, e.Key, attribute, e.Values[attribute]) })
		}
	}
	return rows
}

// exportRow returns one row of a job; value returns an attribute's value.
func (w *Exports) exportRow(j *Job, created int64, value func(attribute string) any) []any {
	row := make([]any, len(j.Attributes))
	for i, id := range j.Attributes {
		a := w.FindAttribute(j.Set, id)
		if a == nil {
			continue // removed since the job was made
		}
		row[i] = value(a.ID)
		if a.ID == j.Set.Time && w.K().Export.File.Local {
			row[i] = time.Unix(created, 0).In(w.Zone).Format("2006-01-02 15:04:05")
		}
		if strings.HasPrefix(a.ID, "added.") {
			row[i] = "more"
		}
	}
	return row
}

// exportHour returns the rows of one hour, counted from a year before hour 0.
func (w *Exports) exportHour(s *event.Dataset, hour int) []event.ReportFact {
	birth := w.Setup.Start.Unix()
	facts := w.Setup.Origin.ReportFacts(s, hour)
	if s != event.Datasets[0] {
		return facts
	}
	talks := w.Conversations.ConversationLog[:w.Setup.Conversations] // ordered by time
	begins := birth - event.ReportSpan + int64(hour)*3600
	at := func(e event.ThreadEvent, time int64) int { return cmp.Compare(e.At, time) }
	from, _ := slices.BinarySearchFunc(talks, begins, at)
	to, _ := slices.BinarySearchFunc(talks, begins+3600, at)
	for i := from; i < to; i++ {
		facts = append(facts, w.Conversations.ReportFact(w.Conversations.Threads[talks[i].Num].Newest))
	}
	return facts
}

// factAt returns a value as of an hour.
func factAt(f *event.ReportFact, attribute string, hour int) any {
	value := f.Values[attribute]
	for _, c := range f.Changes {
		if c.Attribute == attribute && c.Hour <= hour {
			value = c.Value
		}
	}
	return value
}

// changedValue returns a value with the changes of ReportChange.
func (w *Exports) changedValue(dataset, key, attribute string, value any) any {
	for _, e := range w.ReportEvents {
		if e.Dataset == dataset && e.Key == key && e.Attribute == attribute {
			value = e.Value
		}
	}
	return value
}

// BuildFile returns the file of a job.
func (w *Exports) BuildFile(j *Job) []byte {
	f := w.K().Export.File
	rows := w.exportRows(j)
	header := make([]string, len(j.Attributes))
	for i, id := range j.Attributes {
		if a := w.FindAttribute(j.Set, id); a != nil {
			header[i] = a.Name
		}
	}
	header, rows = arrangeColumns(f, header, rows)
	var members []exportMember
	n := max(1, f.Members)
	for i := range n {
		part := rows[len(rows)*i/n : len(rows)*(i+1)/n]
		members = append(members, exportMember{fmt.Sprintf("%s_%s_%d.%s", j.Set.ID, j.ID, i, fileEnding(f)), exportText(f, header, part)})
	}
	if f.NoMember {
		members = nil
	}
	file := packExport(f, members)
	if f.SecondMember {
		file = append(file, gzipText([]byte("one more"))...)
	}
	if f.Truncate > 0 {
		file = file[:int(float64(len(file))*(1-f.Truncate))]
	}
	if f.Spoil != nil {
		file = f.Spoil(file)
	}
	return file
}

type exportMember struct {
	name string
	text []byte
}

func fileEnding(f knobs.ExportFile) string {
	if f.Form == "ndjson" {
		return "ndjson"
	}
	return "csv"
}

// arrangeColumns removes the lost columns and reverses the order, as the knobs say.
func arrangeColumns(f knobs.ExportFile, header []string, rows [][]any) ([]string, [][]any) {
	var keep []int
	for i, name := range header {
		if !slices.Contains(f.Lost, name) {
			keep = append(keep, i)
		}
	}
	if f.Reversed {
		for a, b := 0, len(keep)-1; a < b; a, b = a+1, b-1 {
			keep[a], keep[b] = keep[b], keep[a]
		}
	}
	names := make([]string, len(keep))
	for n, i := range keep {
		names[n] = header[i]
	}
	for r, row := range rows {
		kept := make([]any, len(keep))
		for n, i := range keep {
			kept[n] = row[i]
		}
		rows[r] = kept
	}
	return names, rows
}

// exportText writes one file: a header, then the rows. A null is an empty field, an empty text is a quoted one.
func exportText(f knobs.ExportFile, header []string, rows [][]any) []byte {
	if f.Form == "ndjson" {
		return ndjsonFile(header, rows)
	}
	end := "\r\n"
	if f.LF {
		end = "\n"
	}
	var b []byte
	if f.BOM {
		b = append(b, "\ufeff"...)
	}
	line := make([]any, len(header))
	for i, name := range header {
		line[i] = name
	}
	for _, row := range append([][]any{line}, rows...) {
		for i, value := range row {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendField(b, value)
		}
		b = append(b, end...)
	}
	return b
}

func appendField(b []byte, value any) []byte {
	if value == nil {
		return b
	}
	text := fmt.Sprint(value)
	if text != "" && !strings.ContainsAny(text, ",\"\r\n") {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}

func ndjsonFile(header []string, rows [][]any) (b []byte) {
	for _, row := range rows {
		b = append(b, '{')
		for i, name := range header {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsontext.AppendString(b, name), ':')
			if row[i] == nil {
				b = append(b, "null"...)
				continue
			}
			b = jsontext.AppendString(b, fmt.Sprint(row[i]))
		}
		b = append(b, "}\n"...)
	}
	return b
}

// packExport packs the members in the form of the file. It cannot fail, because it writes to buffers.
func packExport(f knobs.ExportFile, members []exportMember) []byte {
	var buf bytes.Buffer
	switch f.Form {
	case "zip":
		z := zip.NewWriter(&buf)
		for _, m := range members {
			if to, err := z.Create(m.name); err == nil {
				_, _ = to.Write(m.text)
			}
		}
		_ = z.Close()
		return buf.Bytes()
	case "csv", "gzip":
		for _, m := range members {
			buf.Write(m.text)
		}
		if f.Form == "csv" {
			return buf.Bytes()
		}
		return gzipText(buf.Bytes())
	}
	t := tar.NewWriter(&buf)
	for _, m := range members {
		_ = t.WriteHeader(&tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.text)), Typeflag: tar.TypeReg})
		_, _ = t.Write(m.text)
	}
	_ = t.Close()
	return gzipText(buf.Bytes())
}

func gzipText(text []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, _ = z.Write(text)
	_ = z.Close()
	return buf.Bytes()
}
