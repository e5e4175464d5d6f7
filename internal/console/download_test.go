package console

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAnAnswerCanBeDownloaded(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	requireTexts(t, b.fetchPage("/data/q/contacts_by_week"), `href="/data/q/contacts_by_week/csv"`)
	a, text := b.sendRequest(http.MethodGet, "/data/q/contacts_by_week/csv", nil, nil)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || a.StatusCode != http.StatusOK || len(rows) < 2 || len(rows[0]) < 2 {
		t.Fatalf("%s, %v: %s", a.Status, err, text)
	}
	if got := a.Header.Get("Content-Type") + " " + a.Header.Get("Content-Disposition"); got != `text/csv; charset=utf-8; header=present attachment; filename="contacts_by_week.csv"` {
		t.Error(got)
	}
	if a, _ := b.sendRequest(http.MethodGet, "/data/q/none/csv", nil, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown query: %s", a.Status)
	}
}

func TestACellOfADownloadIsNoFormula(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  string
	}{
		{"=1+1", "'=1+1"}, {"@x", "'@x"}, {"+49 30 123", "+49 30 123"}, {"-", "-"}, {"", ""}, {nil, ""}, {int64(-5), "-5"}, {1.5, "1.5"}, {true, "true"}, {"a,b", "a,b"},
		{time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), "2024-01-02T03:04:05Z"}, {[]any{"x"}, `["x"]`}, {hostile, hostile},
	} {
		if got := csvCell(test.value); got != test.want {
			t.Errorf("%v is %q, not %q", test.value, got, test.want)
		}
	}
}
