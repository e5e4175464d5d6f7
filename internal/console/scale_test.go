package console

import (
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
		`<title>2026-10-20: -10</title>`, `<line class="zero" x1="0" x2="600" y1="75" y2="75"/>`} {
		if !strings.Contains(string(v.Series), want) {
			t.Errorf("the picture lacks %s:\n%s", want, v.Series)
		}
	}
	if v.Most != "30" || v.Least != "-10" || strings.Count(string(v.Series), "<rect") != 3 {
		t.Errorf("from %s to %s in\n%s", v.Least, v.Most, v.Series)
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
