package answer

import (
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAFallIsDrawnDownwards has a column with values on both sides of 0.
func TestAFallIsDrawnDownwards(t *testing.T) {
	t.Parallel()
	a := &Result{Columns: []string{"hour_of_day", "change"}, Rows: [][]any{{int64(0), int64(30)}, {int64(1), int64(-10)}, {int64(2), nil}, {int64(3), int64(0)}}}
	v := NewView(a, "")
	for _, want := range []string{`<rect class="main" x="15.00" y="0.00" width="120.00" height="75.00"/>`, `<rect class="main fall" x="165.00" y="75.00" width="120.00" height="25.00"/>`,
		`<title>1: -10</title>`, `<title>2: –</title>`, `<line class="zero" x1="0" x2="100%" y1="75" y2="75"/>`} {
		if !strings.Contains(string(v.Series.Picture), want) {
			t.Errorf("the picture lacks %s:\n%s", want, v.Series.Picture)
		}
	}
	if strings.Count(string(v.Series.Picture), `<rect class="main`) != 3 || strings.Count(string(v.Series.Picture), `<rect class="hit"`) != 4 {
		t.Errorf("a bar or a place for the pointer is missing in\n%s", v.Series.Picture)
	}
}

var text = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)

// textsOf are the texts of an axis.
func textsOf(axis template.HTML) string {
	var all []string
	for _, found := range text.FindAllStringSubmatch(string(axis), -1) {
		all = append(all, found[1])
	}
	return strings.Join(all, ", ")
}

// TestAPictureHasTwoAxes reads the names of ticks: round numbers of the column's unit, and at most six rows.
func TestAPictureHasTwoAxes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		columns [2]string
		first   []any
		values  []any
		across  string
		down    string
	}{
		{[2]string{"week_date", "median_minutes"}, []any{"2026-11-09", "2026-11-02", "2026-10-26", "2026-10-19"}, []any{60.4, 18.9, 430.0, nil}, "10-19, 10-26, 11-02, 11-09", "0, 2 h, 4 h, 6 h, 8 h"},
		{[2]string{"week_date", "median_minutes"}, []any{"2026-11-09", "2026-11-02", "2026-10-26", "2026-10-19"}, []any{0.2, 0.4, 0.1, 0.3}, "10-19, 10-26, 11-02, 11-09", "0, 5 s, 10 s, 15 s, 20 s, 25 s"},
		{[2]string{"month_date", "percent_resolved"}, []any{"2026-10-01", "2026-09-01", "2026-08-01", "2026-07-01"}, []any{39.2, 52.9, 100.0, 20.0}, "2026-07, 2026-08, 2026-09, 2026-10", "0\u202f%, 20\u202f%, 40\u202f%, 60\u202f%, 80\u202f%, 100\u202f%"},
		{[2]string{"month_date", "days_in_charge"}, []any{"2026-10-01", "2026-09-01", "2026-08-01", "2026-07-01"}, []any{9.5, 3.0, 0.0, 1.0}, "2026-07, 2026-08, 2026-09, 2026-10", "0, 2 days, 4 days, 6 days, 8 days, 10 days"},
		{[2]string{"hour_of_day", "messages"}, []any{int64(0), int64(1), int64(2), int64(10)}, []any{int64(2), int64(0), int64(1), int64(1)}, "0, 2, 4, 6, 8, 10", "0, 1, 2"},
		{[2]string{"created_date", "conversations"}, []any{"2026-11-13", "2026-11-12", "2026-11-11", "2026-11-10", "2026-11-09", "2026-11-08", "2026-11-07"}, []any{int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0)},
			"11-07, 11-09, 11-11, 11-13", "0, 1"},
	} {
		a := &Result{Columns: tt.columns[:]}
		for i := range tt.first {
			a.Rows = append(a.Rows, []any{tt.first[i], tt.values[i]})
		}
		v := NewView(a, "")
		if v.Series == nil {
			t.Errorf("%s by %s is not drawn", tt.columns[1], tt.columns[0])
			continue
		}
		if got := textsOf(v.Series.Rows); got != tt.across {
			t.Errorf("%s: the rows are %s, want %s", tt.columns[0], got, tt.across)
		}
		if got := textsOf(v.Series.Values); got != tt.down {
			t.Errorf("%s: the values are %s, want %s", tt.columns[1], got, tt.down)
		}
	}
}

// TestTheQueryNamesWhatIsDrawn: without a name it is the first column of numbers after the first column.
func TestTheQueryNamesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	a := &Result{Columns: []string{"month", "conversations", "percent_resolved"}, Rows: [][]any{{"2026-10", int64(30), 12.5}, {"2026-09", int64(10), 50.0}}}
	for draw, want := range map[string]string{"": "conversations", "percent_resolved": "percent_resolved", "month": ""} {
		if v := NewView(a, draw); v.Drawn != want {
			t.Errorf("a query that names %q draws %q, want %q", draw, v.Drawn, want)
		}
	}
}

func TestMeasuresAreWrittenAsPeopleDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		column string
		value  any
		want   string
	}{
		{"percent_met", 74.2, "74.2\u202f%"}, {"median_minutes", 0.5, "30 s"}, {"median_minutes", 134.0, "2 h 14 min"}, {"p90_minutes", 12.0, "12 min"},
		{"days_open", 3.25, "3.3 days"}, {"median_hours", 0.0, "0"}, {"hours_talked", 30.2, "30 h"}, {"median_seconds_to_answer", 7.0, "7 s"}, {"median_minutes", -3.0, "−3 min"},
		{"days", int64(7), "7"}, {"conversations", int64(10400), "10\u202f400"}, {"conversations", 10400.0, "10\u202f400"}, {"median_minutes", nil, "–"}, {"channel", "email", "email"},
	} {
		if got := formatMeasure(tt.column, tt.value); got != tt.want {
			t.Errorf("%v in %s: %q, want %q", tt.value, tt.column, got, tt.want)
		}
	}
}

// TestATimeWithoutARowLeavesAGap in hours, days, weeks and months: the line is divided, and what is drawn stands at its time.
func TestATimeWithoutARowLeavesAGap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		column string
		times  []any
		lines  int // stretches of more than one row
		across string
		last   string // the place for the pointer over the newest row
	}{
		{"created_date", []any{"2026-11-01", "2026-11-02", "2026-11-05", "2026-11-06"}, 2, "11-01, 11-02, 11-03, 11-04, 11-05, 11-06", `x="500.00"`},
		{"created_date", []any{"2026-11-01", "2026-11-08", "2026-11-15", "2026-11-22"}, 0, "11-01, 11-05, 11-09, 11-13, 11-17, 11-21", `x="572.73"`},
		{"week_date", []any{"2026-11-23", "2026-11-09", "2026-11-02", "2026-10-26"}, 1, "10-26, 11-02, 11-09, 11-16, 11-23", `x="480.00"`},
		{"month", []any{"2025-11", "2025-12", "2026-02", "2026-04"}, 1, "2025-11, 2025-12, 2026-01, 2026-02, 2026-03, 2026-04", `x="500.00"`},
		{"created_date", []any{"2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"}, 1, "02-28, 02-29, 03-01, 03-02", `x="450.00"`},
		{"hour_of_day", []any{int64(8), int64(9), int64(11), int64(12)}, 0, "8, 9, 10, 11, 12", `x="480.00"`},
	} {
		a := &Result{Columns: []string{tt.column, "messages"}}
		for _, at := range tt.times {
			a.Rows = append(a.Rows, []any{at, int64(2)})
		}
		v := NewView(a, "")
		picture := string(v.Series.Picture)
		if n := strings.Count(picture, `class="line"`); n != tt.lines {
			t.Errorf("%v: %d lines, want %d", tt.times, n, tt.lines)
		}
		if got := textsOf(v.Series.Rows); got != tt.across {
			t.Errorf("%v: the axis has %s, want %s", tt.times, got, tt.across)
		}
		if !strings.Contains(picture[strings.LastIndex(picture, "<g>"):], tt.last) {
			t.Errorf("%v: the newest row is not at %s in\n%s", tt.times, tt.last, picture)
		}
		c, ok := v.Chart("How many?")
		if n := len(strings.Split(tt.across, ", ")); !ok || c.Line != (tt.column != "hour_of_day") || tt.times[1] != "2026-11-08" && len(c.Bars) != n {
			t.Errorf("%v: the file has %d places, line %v; the page has %d", tt.times, len(c.Bars), c.Line, n)
		}
	}
}

// TestAMissingValueDividesTheLine, and does not end it at 0.
func TestAMissingValueDividesTheLine(t *testing.T) {
	t.Parallel()
	a := &Result{Columns: []string{"day", "median_minutes"}, Rows: [][]any{{"2026-11-01", 5.0}, {"2026-11-02", 6.0}, {"2026-11-03", nil}, {"2026-11-04", 7.0}, {"2026-11-05", 5.0}}}
	picture := string(NewView(a, "").Series.Picture)
	if strings.Count(picture, `class="line"`) != 2 || strings.Count(picture, `class="area"`) != 2 || strings.Count(picture, `class="dot"`) != 4 || strings.Count(picture, `class="hit"`) != 5 {
		t.Errorf("the line is\n%s", picture)
	}
}

func TestAFilterKeepsATeam(t *testing.T) {
	t.Parallel()
	a := &Result{Columns: []string{"week_date", "team", "answers"}, Rows: [][]any{{"2026-03-02", "a", int64(1)}, {"2026-03-02", "b", int64(2)}, {"2026-03-09", "b", int64(3)}, {"2026-03-16", "b", int64(4)}, {"2026-03-23", "b", int64(5)}}}
	if got := a.Teams(); !slices.Equal(got, []string{"a", "b"}) || a.isSeries() {
		t.Errorf("teams %v; a week has two rows, so there is no line over time", got)
	}
	if got := a.Filtered(Filter{Team: "b", From: "2026-03-02"}); len(got.Rows) != 4 || !got.isSeries() {
		t.Errorf("of team b: %v", got.Rows)
	}
	if got := a.Filtered(Filter{Team: "nobody"}); len(got.Rows) != 0 {
		t.Errorf("of nobody: %v", got.Rows)
	}
}

func TestAxesHaveRoundValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		measure string
		most    float64
		want    string
	}{{"rows", 0, "0, 1"}, {"rows", 7, "0, 2, 4, 6, 8"}, {"rows", 2536, "0, 1\u202f000, 2\u202f000, 3\u202f000"}, {Seconds, 25.1, "0, 10 s, 20 s, 30 s"}, {Seconds, 250, "0, 1 min, 2 min, 3 min, 4 min, 5 min"}} {
		_, values := DrawAxis(Ticks(tt.measure, tt.most))
		all := strings.Split(textsOf(values), ", ")
		if got := strings.Join(all, ", "); got != tt.want {
			t.Errorf("%s up to %g: %s, want %s", tt.measure, tt.most, got, tt.want)
		}
	}
}
