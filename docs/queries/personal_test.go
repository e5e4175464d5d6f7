package queries_test

import (
	"slices"
	"strings"
	"testing"
)

// TestPersonalDataIsFoundByItsValuesToo: a column in which the id or the address of a person stands is one that data_personal names.
func TestPersonalDataIsFoundByItsValuesToo(t *testing.T) {
	t.Parallel()
	s, named, found := openPublishedFile(t), map[string][]string{}, 0
	for _, q := range allQueries(t) {
		if q.Name == "data_personal" {
			for _, row := range s.queryRows(q.SQL) {
				c := strings.Split(row, "|")
				named[c[0]+"."+c[1]] = strings.Split(c[3], ", ")
			}
		}
	}
	columns := map[string][]string{}
	for _, row := range s.queryRows("SELECT schema, table_name, column_name FROM _sync.dictionary WHERE type = 'VARCHAR' AND NOT starts_with(column_name, '_')") {
		c := strings.Split(row, "|")
		columns[c[0]+"."+c[1]] = append(columns[c[0]+"."+c[1]], `"`+strings.ReplaceAll(c[2], `"`, `""`)+`"`)
	}
	s.execSQL("CREATE TEMP TABLE persons AS SELECT contact_id AS value FROM contact_identity UNION SELECT email FROM contacts_all WHERE email IS NOT NULL")
	for table, names := range columns {
		for _, column := range s.queryRows("SELECT DISTINCT place FROM (UNPIVOT (SELECT " + strings.Join(names, ", ") + " FROM " + table + " LIMIT 500) ON COLUMNS(*) INTO NAME place VALUE value) SEMI JOIN persons USING (value)") {
			found++
			if !slices.Contains(named[table], column) {
				t.Errorf("%s.%s has ids or addresses of persons; data_personal does not name it", table, column)
			}
		}
	}
	if found < 50 {
		t.Errorf("persons stand in %d columns", found)
	}
}

// TestAnAddressThatBouncedIsNotReachable: the source sends nothing to it, nor to one that marked its emails as spam. The shared file has neither.
func TestAnAddressThatBouncedIsNotReachable(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	all := s.queryRows(reachable)
	s.execSQL("CREATE TEMP TABLE contacts AS SELECT * REPLACE (id < (SELECT median(id) FROM main.contacts) AS has_hard_bounced, hash(id) % 3 = 0 AS marked_email_as_spam) FROM main.contacts")
	for _, q := range allQueries(t) {
		if q.Name != "contacts_reachable_by_email" {
			continue
		}
		got, want := s.queryRows(q.SQL), s.queryRows(reachable)
		slices.Sort(got)
		slices.Sort(want)
		slices.Sort(all)
		if !slices.Equal(got, want) || slices.Equal(got, all) {
			t.Errorf("reachable are %v, by another way %v, before any bounced %v", got, want, all)
		}
	}
}
