package pipeline_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	emulated "aqueduck/internal/emulator/event"
)

// fileRoute is the prefix of the route of an export's file, which is judged like an answer whose records are its rows: "exports.file:" and the
// name of the dataset. The id of a row is its time column, as in the tables.
const fileRoute = "exports.file:"

func (m wrongServer) inFile() bool { return strings.HasPrefix(m.route, fileRoute) }

// spoilFiles edits the files of exports like answers, and serves them as an archive of CSV files.
func spoilFiles(t testing.TB, k *emulator.Knobs, edit func(route string, body []byte) []byte) {
	k.Export.File.Form = "ndjson"
	k.Export.File.Spoil = func(file []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		to := tar.NewWriter(z)
		for name, text := range membersOf(t, file) {
			set := datasetOf(name)
			edited := edit(fileRoute+set.ID, []byte(rowsOf(t, set, text).String()))
			rows := csvOf(t, set, parseTree(t, edited).fieldAt("rows").items)
			err := to.WriteHeader(&tar.Header{Name: strings.TrimSuffix(name, "ndjson") + "csv", Mode: 0o644, Size: int64(len(rows)), Typeflag: tar.TypeReg})
			if err == nil {
				_, err = to.Write(rows)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(to.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
}

func membersOf(t testing.TB, file []byte) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for from := tar.NewReader(z); ; {
		member, err := from.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err == nil {
			all[member.Name], err = io.ReadAll(from)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// datasetOf returns the dataset whose name a file's name begins with; some names begin with another name.
func datasetOf(name string) (longest *emulated.Dataset) {
	for _, set := range emulated.Datasets {
		if strings.HasPrefix(name, set.ID+"_") && (longest == nil || len(set.ID) > len(longest.ID)) {
			longest = set
		}
	}
	return longest
}

// rowsOf gives each row an id, and two columns with the same name different names.
func rowsOf(t testing.TB, set *emulated.Dataset, text []byte) *jsonTree {
	t.Helper()
	at := slices.IndexFunc(set.Attributes, func(a emulated.DatasetAttribute) bool { return a.ID == set.Time })
	rows := &jsonTree{open: '['}
	for line := range bytes.Lines(text) {
		row := parseTree(t, line)
		id := cmp.Or(row.fieldAt(set.Attributes[at].Name), &jsonTree{raw: "null"}) // a reader need not request it
		for i, name := range row.names {
			if slices.Index(row.names, name) < i {
				row.names[i] = name + again
			}
		}
		row.names, row.items = append(row.names, "id"), append(row.items, id)
		rows.items = append(rows.items, row)
	}
	return &jsonTree{open: '{', names: []string{"rows"}, items: []*jsonTree{rows}}
}

// again marks the second column with a name.
const again = " (2)"

// csvOf writes rows with the columns that any of them has, or without rows the columns of the dataset. null is an empty field, and text is quoted.
func csvOf(t testing.TB, set *emulated.Dataset, rows []*jsonTree) []byte {
	t.Helper()
	var names []string
	for _, row := range rows {
		for _, name := range row.names {
			if name != "id" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(rows) == 0 {
		for _, a := range set.Attributes {
			names = append(names, a.Name)
		}
	}
	var b bytes.Buffer
	quote := func(text string) { b.WriteString(`"` + strings.ReplaceAll(text, `"`, `""`) + `"`) }
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		quote(strings.TrimSuffix(name, again))
	}
	b.WriteString("\r\n")
	for _, row := range rows {
		for i, name := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			if value := row.fieldAt(name); value != nil && value.raw != "null" {
				var text string
				if err := json.Unmarshal([]byte(value.raw), &text); err != nil {
					t.Fatal(err)
				}
				quote(text)
			}
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}
