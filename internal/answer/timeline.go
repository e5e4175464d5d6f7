package answer

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// timeline places rows that are times: equal distances in time are equal distances in the picture, so a time without a row leaves a gap.
type timeline struct {
	rows   [][]any // the oldest first
	at     []int   // the place of each row, from 0
	places int
	name   func(place int) string
}

// newTimeline places the rows of an answer that is a series.
func newTimeline(a *Result) timeline {
	t := timeline{rows: oldestFirst(a.Rows)}
	if a.isHourly() {
		first, _ := asNumber(t.rows[0][0])
		for _, row := range t.rows {
			n, _ := asNumber(row[0])
			t.at = append(t.at, int(n-first))
		}
		t.name = func(place int) string { return strconv.Itoa(int(first) + place) }
	} else {
		t.placeDates(a.Columns[0])
	}
	t.places = t.at[len(t.at)-1] + 1
	return t
}

// placeDates places days, weeks or months. The name of the column tells weeks from days.
func (t *timeline) placeDates(column string) {
	var dates []time.Time
	for _, row := range t.rows {
		at, _ := asDate(row[0])
		dates = append(dates, at)
	}
	first := dates[0]
	if !slices.ContainsFunc(dates, func(at time.Time) bool { return at.Day() != 1 }) {
		for _, at := range dates {
			t.at = append(t.at, 12*(at.Year()-first.Year())+int(at.Month()-first.Month()))
		}
		t.name = func(place int) string { return first.AddDate(0, place, 0).Format("2006-01") }
		return
	}
	days := func(at time.Time) int { return int((at.Unix() - first.Unix()) / (24 * 60 * 60)) }
	step := 7
	if !strings.Contains(column, "week") || slices.ContainsFunc(dates, func(at time.Time) bool { return days(at)%7 != 0 }) {
		step = 1
	}
	for _, at := range dates {
		t.at = append(t.at, days(at)/step)
	}
	form, manyDays := "01-02", 300
	if days(dates[len(dates)-1]) > manyDays {
		form = "2006-01"
	}
	t.name = func(place int) string { return first.AddDate(0, 0, place*step).Format(form) }
}

// comesAfter reports whether the first row of an answer is later than its last one.
func comesAfter(first, last any) bool {
	f, ok := asNumber(first)
	if l, also := asNumber(last); ok && also {
		return f > l
	}
	return FormatValue(first) > FormatValue(last)
}

// oldestFirst returns rows in the order of their times.
func oldestFirst(rows [][]any) [][]any {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b []any) int {
		switch {
		case comesAfter(a[0], b[0]):
			return 1
		case comesAfter(b[0], a[0]):
			return -1
		}
		return 0
	})
	return rows
}
