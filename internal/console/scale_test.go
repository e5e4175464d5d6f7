package console

import (
	"html/template"
	"regexp"
	"strings"
	"testing"
)

// TestAFallIsDrawnDownwards has a column with values on both sides of 0.
func TestAFallIsDrawnDownwards(t *testing.T) {
	t.Parallel()
	a := &queryResult{Columns: []string{"day", "change"}, Rows: [][]any{{"2026-10-19", int64(30)}, {"2026-10-20", int64(-10)}, {"2026-10-21", nil}, {"2026-10-22", int64(0)}}}
	v := &questionView{}
	v.drawAnswer(a)
	for _, want := range []string{`<rect class="main" x="15.00" y="0.00" width="120.00" height="75.00"/>`, `<rect class="main fall" x="165.00" y="75.00" width="120.00" height="25.00"/>`,
		`<title>2026-10-20: -10</title>`, `<title>2026-10-21: –</title>`, `<line class="zero" x1="0" x2="600" y1="75" y2="75"/>`} {
		if !strings.Contains(string(v.Series.Bars), want) {
			t.Errorf("the picture lacks %s:\n%s", want, v.Series.Bars)
		}
	}
	if strings.Count(string(v.Series.Bars), `<rect class="main`) != 3 || strings.Count(string(v.Series.Bars), `<rect class="hit"`) != 4 {
		t.Errorf("a bar or a place for the pointer is missing in\n%s", v.Series.Bars)
	}
}

// TestAPictureHasTwoAxes reads the names of ticks: round numbers of the column's unit, and at most six rows.
func TestAPictureHasTwoAxes(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
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
		{[2]string{"hour_of_day", "messages"}, []any{int64(0), int64(1), int64(2), int64(10)}, []any{int64(2), int64(0), int64(1), int64(1)}, "0, 1, 2, 10", "0, 1, 2"},
		{[2]string{"created_date", "conversations"}, []any{"2026-11-13", "2026-11-12", "2026-11-11", "2026-11-10", "2026-11-09", "2026-11-08", "2026-11-07"}, []any{int64(0), int64(0), int64(0), int64(0), int64(0), int64(0), int64(0)},
			"11-07, 11-09, 11-11, 11-13", "0, 1"},
	} {
		a := &queryResult{Columns: tt.columns[:]}
		for i := range tt.first {
			a.Rows = append(a.Rows, []any{tt.first[i], tt.values[i]})
		}
		v := &questionView{}
		v.drawAnswer(a)
		if v.Series == nil {
			t.Errorf("%s by %s is not drawn", tt.columns[1], tt.columns[0])
			continue
		}
		names := func(axis template.HTML) string {
			var all []string
			for _, found := range text.FindAllStringSubmatch(string(axis), -1) {
				all = append(all, found[1])
			}
			return strings.Join(all, ", ")
		}
		if got := names(v.Series.Rows); got != tt.across {
			t.Errorf("%s: the rows are %s, want %s", tt.columns[0], got, tt.across)
		}
		if got := names(v.Series.Values); got != tt.down {
			t.Errorf("%s: the values are %s, want %s", tt.columns[1], got, tt.down)
		}
	}
}

// TestTheQueryNamesWhatIsDrawn: without a name it is the first column of numbers after the first column.
func TestTheQueryNamesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	a := &queryResult{Columns: []string{"month", "conversations", "percent_resolved"}, Rows: [][]any{{"2026-10", int64(30), 12.5}, {"2026-09", int64(10), 50.0}}}
	for draw, want := range map[string]string{"": "conversations", "percent_resolved": "percent_resolved", "month": ""} {
		v := &questionView{savedQuery: savedQuery{Draw: draw}}
		if v.drawAnswer(a); v.Drawn != want {
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
