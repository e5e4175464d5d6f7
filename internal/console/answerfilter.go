package console

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// answerFilter are the rows of an answer that a person asks for. Its values come from the address: from, to and team.
type answerFilter struct {
	From, To string // days; "": no limit. Both are in the range.
	Team     string // "": all teams
}

// teamColumn is the column of an answer that names a team.
const teamColumn = "team"

// filterOf returns the filter of a request. A day that is none counts as no limit.
func filterOf(r *http.Request) answerFilter {
	q := r.URL.Query()
	f := answerFilter{q.Get("from"), q.Get("to"), q.Get("team")}
	for _, day := range []*string{&f.From, &f.To} {
		if _, err := time.Parse(time.DateOnly, *day); err != nil {
			*day = ""
		}
	}
	return f
}

func (f answerFilter) isEmpty() bool { return f == answerFilter{} }

// query is the filter as a part of an address, with the workspace; "" when there is nothing to say.
func (f answerFilter) query(workspace string) string {
	q := url.Values{}
	for name, value := range map[string]string{"from": f.From, "to": f.To, "team": f.Team, "workspace": workspace} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// words says what the filter leaves, for people.
func (f answerFilter) words() (all []string) {
	if f.Team != "" {
		all = append(all, "team "+f.Team)
	}
	if f.From != "" {
		all = append(all, "from "+f.From)
	}
	if f.To != "" {
		all = append(all, "to "+f.To)
	}
	return all
}

// keeps returns a function that says which rows of an answer with these columns the filter keeps. An answer without days or without a team is not
// limited by them.
func (f answerFilter) keeps(columns []string) func(row []any) bool {
	team := slices.Index(columns, teamColumn)
	return func(row []any) bool {
		if day, ok := row[0].(string); ok && isDateOrMonth(row[0]) {
			if f.From != "" && day < f.From[:len(day)] || f.To != "" && day > f.To[:len(day)] {
				return false
			}
		}
		return f.Team == "" || team < 0 || row[team] == f.Team
	}
}

// filtered returns an answer with the rows that the filter keeps.
func (a *queryResult) filtered(f answerFilter) *queryResult {
	if f.isEmpty() {
		return a
	}
	b := *a
	b.Rows = [][]any{}
	keeps := f.keeps(a.Columns)
	for _, row := range a.Rows {
		if keeps(row) {
			b.Rows = append(b.Rows, row)
		}
	}
	return &b
}

// first returns an answer with its first rows.
func (a *queryResult) first(rows int) *queryResult {
	if len(a.Rows) <= rows {
		return a
	}
	b := *a
	b.Rows, b.More = a.Rows[:rows], true
	return &b
}

// isDated reports whether each row is a day or a month.
func (a *queryResult) isDated() bool {
	return len(a.Rows) > 0 && !slices.ContainsFunc(a.Rows, func(row []any) bool { return !isDateOrMonth(row[0]) })
}

// limits returns the first and the last day of an answer whose rows are days or months.
func (a *queryResult) limits() (first, last string) {
	for _, row := range a.Rows {
		day, _ := row[0].(string)
		if len(day) == len("2006-01") {
			day += "-01"
		}
		if first == "" || day < first {
			first = day
		}
		last = max(last, day)
	}
	return first, last
}

// teams returns the teams that an answer has rows of, in order of their names; nil without a column of teams.
func (a *queryResult) teams() (all []string) {
	i := slices.Index(a.Columns, teamColumn)
	if i < 0 || slices.Contains(a.Hidden, teamColumn) {
		return nil
	}
	for _, row := range a.Rows {
		if name, ok := row[i].(string); ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
