package answer

import (
	"slices"
	"time"
)

// Result is the answer of a saved query.
type Result struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	Hidden  []string `json:"hidden"` // columns whose values are personal
	More    bool     `json:"more"`   // the answer has more rows than these
}

// First returns an answer with its first rows.
func (a *Result) First(rows int) *Result {
	if len(a.Rows) <= rows {
		return a
	}
	b := *a
	b.Rows, b.More = a.Rows[:rows], true
	return &b
}

// IsDated reports whether each row is a day or a month.
func (a *Result) IsDated() bool {
	return len(a.Rows) > 0 && !slices.ContainsFunc(a.Rows, func(row []any) bool { _, ok := asDate(row[0]); return !ok })
}

// Limits returns the first and the last day of an answer whose rows are days or months.
func (a *Result) Limits() (first, last string) {
	for _, row := range a.Rows {
		at, _ := asDate(row[0])
		day := at.Format(time.DateOnly)
		if first == "" || day < first {
			first = day
		}
		last = max(last, day)
	}
	return first, last
}

// teamColumn is the column of an answer that names a team.
const teamColumn = "team"

// Teams returns the teams that an answer has rows of, in order of their names; nil without a column of teams.
func (a *Result) Teams() (all []string) {
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

// hourColumn is the column of an answer that has a row for each hour of the day.
const hourColumn = "hour_of_day"

// isSeries reports whether each row of an answer is another time, or another hour of the day, and there are enough of them for a picture.
func (a *Result) isSeries() bool {
	times := map[string]bool{}
	for _, row := range a.Rows {
		times[FormatValue(row[0])] = true
	}
	return len(a.Rows) > 3 && len(times) == len(a.Rows) && (a.isHourly() || a.IsDated())
}

// isHourly reports whether each row is an hour of the day.
func (a *Result) isHourly() bool {
	return a.Columns[0] == hourColumn && !slices.ContainsFunc(a.Rows, func(row []any) bool { _, ok := asNumber(row[0]); return !ok })
}
