package schemas

import (
	"slices"
	"testing"
)

// TestPersonalColumnsHaveAPerson holds every built-in stream to saying whom its personal data is about: by a contact's id in
// the row, in the item or the record that it lies in, or by what whose names. The tables that cannot are listed: a certificate
// of erasure calls them not covered.
func TestPersonalColumnsHaveAPerson(t *testing.T) {
	t.Parallel()
	uncovered := []string{"admin_activity_logs"} // about admins
	catalogue, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range catalogue.Streams() {
		var anywhere bool
		tables := map[string][]Column{s.Table: s.Columns}
		for _, c := range s.Children {
			tables[c.Table] = c.Columns
		}
		for _, columns := range tables {
			anywhere = anywhere || slices.ContainsFunc(columns, func(c Column) bool { return c.Person })
		}
		for table, columns := range tables {
			for _, c := range columns {
				told := anywhere || slices.ContainsFunc(c.Whose, func(name string) bool {
					of, known := find(columns, name)
					return known && of.References != ""
				})
				if c.PII && !told && !slices.Contains(uncovered, table) {
					t.Errorf("%s.%s is personal, and nothing tells whose it is", table, c.Name)
				}
			}
		}
	}
}
