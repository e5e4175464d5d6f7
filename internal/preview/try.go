package preview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/extract/discover"
	"aqueduck/internal/grammar"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// Trial is the result of reading one page of a stream: whether its file fits its source.
type Trial struct {
	Stream  string          `json:"stream"`
	Request string          `json:"request"`
	Keys    []string        `json:"keys"` // top-level keys of the answer
	Records string          `json:"records"`
	Came    int             `json:"came"`        // records of the page
	Total   int64           `json:"total_count"` // -1: the answer states none
	Paging  string          `json:"paging"`
	Refused string          `json:"refused,omitempty"` // why a run would stop
	Tables  []TrialTable    `json:"tables"`
	Untaken []UnmappedField `json:"untaken"`
	Misfits []DeadLetter    `json:"misfits"`
	Shared  int64           `json:"keys_repeat"`      // records with the key of another one: a run stores the newest of them
	Advice  string          `json:"advice,omitempty"` // why records were rejected whole, and what to correct
	Never   []string        `json:"never_filled"`
}

// TrialTable is a table with its first rows; null is NULL.
type TrialTable struct {
	Table   string      `json:"table"`
	Rows    int         `json:"rows"`
	Columns []string    `json:"columns"`
	First   [][]*string `json:"first"`
}

// UnmappedField is a field that no column reads, with the line of a stream file that would read it.
type UnmappedField struct {
	Table   string `json:"table"`
	Path    string `json:"path"`
	Seen    int    `json:"seen"` // number of records that have it
	Example string `json:"example"`
	Line    string `json:"line"`
}

// DeadLetter is a value or a record that does not fit.
type DeadLetter struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"` // number of such values
}

// shownRows is the number of rows that a trial shows.
const shownRows = 10

// Try reads one page of a stream with the workspace's token, and writes nothing. named is how the caller named the stream: its name or its file.
func Try(ctx context.Context, r *runner.Runner, workspace string, s *schemas.Stream, named, id string) (*Trial, error) {
	if s.IsExportFamily() {
		return nil, &problem.Problem{Class: "usage", What: s.Name + " lists datasets, which are exported as files", Next: "list the datasets: aqueduck plan --ask"}
	}
	if s.Read.ByIDs() && id == "" {
		return nil, &problem.Problem{Class: "usage", What: s.Name + " is read by id", Next: "give an id: aqueduck streams try " + named + " --id ID"}
	}
	client, closing, err := plan.ConnectReader(ctx, r, workspace)
	if err != nil {
		return nil, err
	}
	defer closing()
	sight, err := extract.PreviewStream(ctx, client, s, id, shownRows)
	if err != nil {
		where := "in " + s.File
		if s.BuiltIn {
			where = "of the built-in stream (aqueduck streams " + s.Name + ")"
		}
		next := "compare endpoint: and records: " + where + " with the API's documentation; see what the token can read: aqueduck check --online"
		if s.Read.ByIDs() && api.ClassOf(err) == api.ClassNotFound {
			next = "give an existing id with --id; if the id exists, compare endpoint: " + where + " with the API's documentation"
		}
		return nil, explainNoRecords(err, next)
	}
	t := &Trial{Stream: s.Name, Request: s.Read.Method + " " + s.Read.Path, Keys: sight.Keys, Records: sight.List, Came: len(sight.Records),
		Total: sight.Total, Paging: sight.Next, Untaken: []UnmappedField{}, Misfits: []DeadLetter{}, Never: []string{}}
	if sight.Refused != nil {
		t.Refused = sight.Refused.Error()
	}
	// Without the warehouse's hash key: a trial writes no file, and its hashes are not kept.
	hash, drop := r.Config.MaskedNames(s)
	decoder, err := transform.NewDecoder(s, transform.Options{APIVersion: r.Config.Workspaces[workspace].APIVersion,
		Hash: hash, Drop: drop, HashKey: []byte{0}})
	if err != nil {
		return nil, err
	}
	for _, record := range sight.Records {
		meta := transform.Meta{ReadAt: sight.ServerTime, Over: record.Over}
		if err := decoder.Append(record.Raw, meta); err != nil {
			return nil, fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	batches := decoder.Take()
	defer stream.ReleaseBatches(batches)
	for _, b := range batches {
		t.addBatch(b, s.Ignore)
	}
	for _, reject := range decoder.Rejects() {
		t.addReject(DeadLetter{reject.Table, reject.Column, reject.Reason, reject.Count})
	}
	t.Shared = extract.RepeatedKeys(s, sight.Records)
	if slices.ContainsFunc(t.Misfits, func(d DeadLetter) bool {
		return d.Reason == transform.ReasonNoKey && d.Column == "" && d.Table == transform.Tables(s)[0].Name
	}) {
		t.Advice = adviseOnKeys(s, sight.Records)
	}
	return t, nil
}

// Fits reports whether a run would store records of the page: it accepts the paging, and not every record was rejected.
func (t *Trial) Fits() bool {
	return t.Refused == "" && (t.Came == 0 || slices.ContainsFunc(t.Tables, func(one TrialTable) bool { return one.Rows > 0 }))
}

// addReject adds what was rejected for one reason, in one column.
func (t *Trial) addReject(d DeadLetter) {
	i := slices.IndexFunc(t.Misfits, func(other DeadLetter) bool {
		return other.Table == d.Table && other.Column == d.Column && other.Reason == d.Reason
	})
	if i < 0 {
		t.Misfits = append(t.Misfits, d)
		return
	}
	t.Misfits[i].Count += d.Count
}

// adviseOnKeys says which required columns have no value in the records, and which fields the records have.
func adviseOnKeys(s *schemas.Stream, records []extract.Record) string {
	var fields, missing []string
	lacks := map[string]int{}
	for _, record := range records {
		var object map[string]any
		if json.Unmarshal(record.Raw, &object) != nil {
			continue
		}
		fields = append(fields, slices.Collect(maps.Keys(object))...)
		for _, c := range s.Columns {
			if !c.Required && !slices.Contains(s.Key, c.Name) || len(c.From) == 0 || strings.HasPrefix(c.From[0], "$") {
				continue
			}
			if !hasValue(object, c.From) {
				lacks[strings.Join(c.From, ".")]++
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(lacks)) {
		missing = append(missing, fmt.Sprintf("%d of %s have no %s", lacks[path], term.Count(len(records), "record"), path))
	}
	if len(missing) == 0 {
		return adviseOnType(s)
	}
	slices.Sort(fields)
	return fmt.Sprintf("%s, which key: or required: names; the records have %s; next: correct key: or required: in %s",
		strings.Join(missing, ", "), strings.Join(slices.Compact(fields), ", "), s.File)
}

// adviseOnType says which required column, whose field has a value in each record, may have the wrong type; "" where the key comes from another request.
func adviseOnType(s *schemas.Stream) string {
	for _, c := range s.Columns {
		if (c.Required || slices.Contains(s.Key, c.Name)) && c.Type != schemas.Text {
			return fmt.Sprintf("the value of %s is no %s, which the file says; next: correct type: of %[1]s in %s (ids are text)", c.Name, c.Type, s.File)
		}
	}
	return ""
}

// hasValue reports whether an object has a value at a path that is not null.
func hasValue(object map[string]any, path []string) bool {
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	return object[path[len(path)-1]] != nil
}

// ignoreLine is the beginning of the line for constant fields. It replaces the one that the file has.
const ignoreLine = "ignore: ["

// IsConstant reports whether the field is the same in every record, and its line is that of all such fields.
func (u *UnmappedField) IsConstant() bool { return strings.HasPrefix(u.Line, ignoreLine) }

// addBatch adds the rows of one table to the trial. Constant fields come with one line for all that the stream file ignores then.
func (t *Trial) addBatch(b transform.Batch, ignored [][]string) {
	names, rows := transform.Texts(b)
	t.Tables = append(t.Tables, TrialTable{Table: b.Table.Name, Rows: len(rows), Columns: names, First: rows[:min(shownRows, len(rows))]})
	extra := slices.Index(names, transform.ExtraColumn)
	var extras [][]byte
	var paths []string
	for i, c := range b.Table.Columns {
		if i >= extra {
			break
		}
		for _, path := range append([][]string{c.Path}, c.Or...) {
			paths = append(paths, strings.Join(path, "."))
		}
		if len(rows) > 0 && !slices.ContainsFunc(rows, func(row []*string) bool { return row[i] != nil }) {
			t.Never = append(t.Never, b.Table.Name+"."+c.Name)
		}
	}
	for _, row := range rows {
		if row[extra] != nil {
			extras = append(extras, []byte(*row[extra]))
		}
	}
	var ignore []string
	for _, path := range ignored {
		ignore = append(ignore, strings.Join(path, "."))
	}
	first := len(t.Untaken)
	for _, f := range schemas.Infer(extras, names) {
		path := strings.Join(f.Column.From, ".")
		if slices.Contains(paths, path) {
			continue // a value that does not fit its column: it is among the dead letters
		}
		line := f.Line()
		switch {
		case f.Unnamed != "":
			line = f.Unnamed
		case f.Constant && b.Table.Parent == "":
			line, ignore = ignoreLine, append(ignore, path)
		}
		t.Untaken = append(t.Untaken, UnmappedField{b.Table.Name, path, f.Seen, f.Example, line})
	}
	for i := range t.Untaken[first:] {
		if u := &t.Untaken[first+i]; u.Line == ignoreLine {
			u.Line += strings.Join(ignore, ", ") + "]"
		}
	}
}

// Propose reads the beginning of a list that has no stream file, and writes one. list chooses one of several lists of the answer, name names the
// stream; both may be empty.
func Propose(ctx context.Context, r *runner.Runner, workspace, path, list, name string) (string, []byte, error) {
	if err := schemas.CheckReadable(path); err != nil {
		return "", nil, &problem.Problem{Class: "usage", What: err.Error(), Next: "give the address of a list, e.g. /news/newsfeeds"}
	}
	client, closing, err := plan.ConnectReader(ctx, r, workspace)
	if err != nil {
		return "", nil, err
	}
	defer closing()
	found, err := discover.DescribeList(ctx, client, path, list)
	var unreadable *discover.UnreadableError
	if errors.As(err, &unreadable) {
		return "", nil, &problem.Problem{Class: "config", What: unreadable.Error(), Next: "read another list of the API that has these records, or the first answer alone: page: {by: none, most: N} (docs/streams.md)"}
	}
	if unlisted := (*discover.NoListError)(nil); errors.As(err, &unlisted) {
		next := "write the file by hand: docs/streams.md"
		if len(unlisted.Lists) > 0 {
			next = grammar.ChooseFrom(list, unlisted.Lists, "docs/streams.md")
		}
		return "", nil, &problem.Problem{Class: "usage", What: "--records " + list, Err: unlisted, Next: next}
	}
	if err != nil {
		next := "if the answer has several lists, choose one with --records KEY, or write the file by hand: docs/streams.md"
		switch {
		case api.StatusOf(err) == http.StatusMethodNotAllowed:
			next = "this path has no list that GET reads; if the API searches it, write a stream file for POST " + path + "/search by hand: docs/streams.md"
		case api.ClassOf(err) == api.ClassNotFound:
			next = "check that the path is a list of the API, e.g. /ticket_states, and that this API version has it"
		}
		return "", nil, explainNoRecords(err, next)
	}
	if len(found.Records) == 0 {
		return "", nil, &problem.Problem{Class: "data", What: "GET " + path + " has no records to infer columns from", Next: "retry once the list has at least one record"}
	}
	name, text, err := r.Catalogue.Propose(schemas.Proposal{Path: path, Name: name, List: found.List, Records: found.Records, Page: found.Page, Why: found.Why})
	if err != nil {
		return "", nil, &problem.Problem{Class: "data", What: "make a stream file of GET " + path, Err: err, Next: "write the file by hand: docs/streams.md"}
	}
	return name, text, nil
}

// explainNoRecords explains an answer without records.
func explainNoRecords(err error, next string) error {
	if class := api.ClassOf(err); class == api.ClassTransient {
		return sync.Unidentified(err)
	} else if class != api.ClassContract && class != api.ClassNotFound {
		return err
	}
	return &problem.Problem{Class: "data", What: problem.FirstLine(err), Next: next}
}
