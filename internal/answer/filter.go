package answer

import (
	"net/url"
	"slices"
	"time"
)

// Filter are the rows of an answer that a person asks for. Its values come from the address: from, to and team.
type Filter struct {
	From, To string // days; "": no limit. Both are in the range.
	Team     string // "": all teams
}

// FilterOf returns the filter of an address. A day that is none counts as no limit.
func FilterOf(q url.Values) Filter {
	f := Filter{q.Get("from"), q.Get("to"), q.Get("team")}
	for _, day := range []*string{&f.From, &f.To} {
		if _, err := time.Parse(time.DateOnly, *day); err != nil {
			*day = ""
		}
	}
	return f
}

func (f Filter) isEmpty() bool { return f == Filter{} }

// Parameters are the filter as a part of an address, with the workspace; "" when there is nothing to say.
func (f Filter) Parameters(workspace string) string {
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

// Words says what the filter leaves, for people.
func (f Filter) Words() (all []string) {
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

// Keeps returns a function that says which rows of an answer with these columns the filter keeps. An answer without days or without a team is not
// limited by them.
func (f Filter) Keeps(columns []string) func(row []any) bool {
	team := slices.Index(columns, teamColumn)
	return func(row []any) bool {
		if _, ok := asDate(row[0]); ok {
			day := row[0].(string)
			if f.From != "" && day < f.From[:len(day)] || f.To != "" && day > f.To[:len(day)] {
				return false
			}
		}
		return f.Team == "" || team < 0 || row[team] == f.Team
	}
}

// Filtered returns an answer with the rows that the filter keeps.
func (a *Result) Filtered(f Filter) *Result {
	if f.isEmpty() {
		return a
	}
	b := *a
	b.Rows = [][]any{}
	keeps := f.Keeps(a.Columns)
	for _, row := range a.Rows {
		if keeps(row) {
			b.Rows = append(b.Rows, row)
		}
	}
	return &b
}
