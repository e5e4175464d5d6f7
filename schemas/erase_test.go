package schemas

import (
	"regexp"
	"slices"
	"testing"
)

// TestPersonalColumnsHaveAPerson checks that every built-in stream says whose its personal data is: by a contact's id in the row, in the
// item or the record around it, or by `whose`. Tables that cannot say it are listed: a certificate of erasure names them as not covered.
// Holds: S40.
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
				told := anywhere || slices.ContainsFunc(c.Subjects, func(name string) bool {
					of, known := findColumn(columns, name)
					return known && of.References != ""
				})
				if c.PII && !told && !slices.Contains(uncovered, table) {
					t.Errorf("%s.%s is personal, and nothing tells whose it is", table, c.Name)
				}
			}
		}
	}
}

// TestS40ColumnsWithPersonalNamesAreMarkedPersonal checks every built-in column with the name of an address, an e-mail address, a
// telephone number or an IP address. Columns about teammates in lists of teammates are excepted: teammates are no customers.
func TestS40ColumnsWithPersonalNamesAreMarkedPersonal(t *testing.T) {
	t.Parallel()
	teammates := []string{"admins.email", "handling_events.teammate_email"}
	personal := regexp.MustCompile(`(^|_)(email|phone|ip|ip_address)$`)
	catalogue, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range catalogue.Streams() {
		tables := map[string][]Column{s.Table: s.Columns}
		for _, c := range s.Children {
			tables[c.Table] = c.Columns
		}
		for table, columns := range tables {
			for _, c := range columns {
				name := table + "." + c.Name
				if personal.MatchString(c.Name) && !c.PII && !slices.Contains(teammates, name) {
					t.Errorf("%s is not marked as personal", name)
				}
				seen[name] = c.PII
			}
		}
	}
	for _, name := range []string{"admin_activity_logs.performed_by_ip", "admin_activity_logs.performed_by_email", "admin_activity_logs.metadata", "contacts_raw.email"} {
		if !seen[name] {
			t.Errorf("%s is not marked as personal, or not there", name)
		}
	}
}
