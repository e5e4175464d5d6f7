package console

import (
	"encoding/csv"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/answer"
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

func TestAChartCanBeDownloaded(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	for _, name := range []string{"contacts_by_week", "contacts_by_country"} {
		requireTexts(t, b.fetchPage("/data/q/"+name), `href="/data/q/`+name+`/png" download`)
		a, text := b.sendRequest(http.MethodGet, "/data/q/"+name+"/png", nil, nil)
		if got := a.Header.Get("Content-Type") + " " + a.Header.Get("Content-Disposition"); got != `image/png attachment; filename="`+name+`.png"` || !strings.HasPrefix(text, "\x89PNG") {
			t.Errorf("%s: %s: %.100q", name, got, text)
		}
		if picture, err := png.DecodeConfig(strings.NewReader(text)); err != nil || picture.Width != 1600 {
			t.Errorf("%s is %+v, %v", name, picture, err)
		}
	}
	if a, text := b.sendRequest(http.MethodGet, "/data/q/articles_by_views/png", nil, nil); a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "does not have: articles") {
		t.Errorf("a query without its tables: %s %s", a.Status, text)
	}
}

func TestAnAnswerIsLimitedToDaysAndATeam(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	requireTexts(t, b.fetchPage("/data/q/contacts_by_week"), `<input type="date" name="from" value="" min="`)
	var all, some answer.Result
	readJSON(t, b.fetchPage("/api/v1/questions/contacts_by_week"), &all)
	first, last := all.Limits()
	if len(all.Rows) < 3 || first >= last {
		t.Fatalf("%d weeks from %s to %s", len(all.Rows), first, last)
	}
	address := "?from=" + url.QueryEscape(first) + "&to=" + url.QueryEscape(first)
	readJSON(t, b.fetchPage("/api/v1/questions/contacts_by_week"+address), &some)
	if len(some.Rows) != 1 || some.Rows[0][0] != first {
		t.Errorf("%v, not the week of %s alone", some.Rows, first)
	}
	requireTexts(t, b.fetchPage("/data/q/contacts_by_week"+address), `value="`+first+`"`, "Show all rows", `/data/q/contacts_by_week/csv?from=`+first+`&amp;to=`+first+`"`)
	_, text := b.sendRequest(http.MethodGet, "/data/q/contacts_by_week/csv"+address, nil, nil)
	if rows := strings.Count(text, "\n"); rows != 2 {
		t.Errorf("the file has %d lines:\n%s", rows, text)
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
