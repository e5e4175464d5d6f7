package queries_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLastPeriodsAreThoseOfTheCalendar: the last thirty days are those of the calendar, up to the newest data. A day without rows has a row of its own, with
// counts of 0. Rows without a time come last, in a row without a period.
func TestLastPeriodsAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	r := loadReplay(t, s)
	said, found := regexp.MustCompile(`\b(each of|over) the last (\w+) (full )?(day|week|month)s\b`), map[string]bool{}
	for _, q := range allQueries(t) {
		statement := strings.TrimSuffix(strings.TrimSpace(q.SQL), ";")
		columns := s.queryRows("SELECT column_name, column_type FROM (DESCRIBE " + statement + ")")
		first, _, _ := strings.Cut(columns[0], "|")
		period := said.FindStringSubmatch(q.Question)
		if !strings.HasSuffix(first, "_date") {
			continue
		}
		if period == nil {
			t.Errorf("%s has a row a period, and its question does not say over how many", q.Name)
			continue
		}
		all := r.monthsBack(13)
		n := map[string]int{"four": 4, "twelve": 12, "thirty": 30}[period[2]]
		switch period[4] {
		case "day":
			all = r.daysBack(n + 1)
		case "week":
			all = r.weeksBack(n + 1)
		}
		want := all[:n]
		if period[3] != "" {
			want = all[1:]
		}
		var days []string
		for _, day := range want {
			days = append(days, day.Format(time.DateOnly))
		}
		if q.Name == "office_hours_by_team_and_week" { // a row a team and week: only those with answers
			if outside := s.queryRows("FROM (" + statement + ") WHERE " + first + " NOT IN ('" + strings.Join(days, "', '") + "')"); len(outside) > 0 {
				t.Errorf("%s: %v, not in the weeks of %v", q.Name, outside, days)
			}
			continue
		}
		found[period[4]] = true
		if got := strings.Join(s.queryRows("SELECT strftime("+first+", '%Y-%m-%d') FROM ("+statement+") WHERE "+first+" IS NOT NULL"), " "); got != strings.Join(days, " ") {
			t.Errorf("%s: %s\nthe calendar has\n%s", q.Name, got, strings.Join(days, " "))
		}
		for _, column := range columns[1:] {
			name, kind, _ := strings.Cut(column, "|")
			if empty := s.queryRows("SELECT * FROM (" + statement + ") WHERE " + name + " IS NULL"); kind == "BIGINT" && len(empty) > 0 && name != "change" {
				t.Errorf("%s: a count is missing: %v", q.Name, empty)
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("there are series of %v alone", found)
	}
}
