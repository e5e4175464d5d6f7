package schemas

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Proposal is what is known about a list of the API without a stream file.
type Proposal struct {
	Path    string // of a GET
	Name    string // of the stream; "": the last segment of the path
	List    string // key of the list in the answer; "" when the answer is the record
	Records [][]byte
	Page    Page
	Why     string // what in the answers shows the paging
}

// CheckReadable refuses a path that no stream without `over` can read.
func CheckReadable(path string) error {
	if err := checkEndpoint("GET " + path); err != nil {
		return err
	}
	if strings.Contains(path, "{id}") {
		return errors.New("{id} needs `over`: give the path of a list, or write the file by hand")
	}
	return nil
}

// Propose writes a stream file for a list, which the catalogue accepts as it is. A name that the catalogue already has gets the
// prefix `own_`.
func (c *Catalogue) Propose(p Proposal) (name string, text []byte, err error) {
	fields := Infer(p.Records, []string{"_row", "_extra", "_api_version", "_hash", "_gone_at", "_synced_at", "_run_id"})
	var columns, ignore []string
	contacts := slices.ContainsFunc(fields, func(f Field) bool { return f.Constant && f.Example == `"contact"` })
	for _, f := range fields {
		switch {
		case f.Constant && f.Unnamed == "":
			ignore = append(ignore, scalarText(strings.Join(f.Column.From, ".")))
		case f.Unnamed == "" && f.Seen > 0:
			f.Column.Person = f.Column.Person || contacts && f.Column.Name == "id"
			columns = append(columns, "  "+f.Line())
		}
	}
	key := keyOf(fields, len(p.Records))
	if key == "" {
		return "", nil, fmt.Errorf("no field has a different value in each of the %d records, so none can be the key", len(p.Records))
	}
	name = p.Name
	if name == "" {
		name = columnOf([]string{p.Path[strings.LastIndexByte(p.Path, '/')+1:]})
	}
	if c.isTaken(name) {
		name = "own_" + name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made from %d records of GET %s; paging: %s. Check the columns, and write their meaning in `doc`.\n", len(p.Records), p.Path, p.Why)
	fmt.Fprintf(&b, "stream: %s\ndoc: One row per record of GET %s.\nread:\n  endpoint: GET %s\n", name, p.Path, p.Path)
	records := scalarText(p.List)
	if p.List == "" {
		records = itself
	}
	fmt.Fprintf(&b, "  records: %s\n  page: %s\n  since: {by: full}\nkey: [%s]\n", records, p.Page.pagingText(), key)
	if p.List != "" {
		b.WriteString("absent: gone\n")
	}
	if contacts {
		b.WriteString("erase: rows # an erasure removes the person's rows\n")
	}
	if len(ignore) > 0 {
		fmt.Fprintf(&b, "ignore: [%s]\n", strings.Join(ignore, ", "))
	}
	fmt.Fprintf(&b, "columns:\n%s\n", strings.Join(columns, "\n"))
	text = []byte(b.String())
	if err := c.cloneCatalogue().AddStream(name+".yaml", text); err != nil {
		return "", nil, fmt.Errorf("the generated file is not valid: %w", err)
	}
	return name, text, nil
}

func (p Page) pagingText() string {
	if p.By == "none" {
		return "{by: none}"
	}
	return fmt.Sprintf("{by: %s, in: %s, size: %d}", p.By, p.In, p.Size)
}

// isTaken reports whether a stream, a table or a relation has the name.
func (c *Catalogue) isTaken(name string) bool {
	for _, s := range c.Streams() {
		if s.Name == name || slices.Contains(s.tableNames(), name) || slices.Contains(s.tableNames(), name+"_all") || slices.Contains(c.PublishedNames(s), name) {
			return true
		}
	}
	return false
}

// keyOf is the column that names a record: `id`, or the first that every record has with a value of its own.
func keyOf(fields []Field, records int) string {
	first := func(f Field) bool {
		return f.Seen == records && f.Unnamed == "" && !f.Constant && f.Distinct && (f.Column.Type == Text || f.Column.Type == Int)
	}
	id := func(f Field) bool { return f.Column.Name == "id" && first(f) }
	for _, good := range []func(Field) bool{id, first} {
		if i := slices.IndexFunc(fields, good); i >= 0 {
			return fields[i].Column.Name
		}
	}
	return ""
}
