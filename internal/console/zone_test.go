package console

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestTimesAreRelativeAndExactInTheChosenZone: the run began in June, when Berlin is two hours ahead of UTC.
func TestTimesAreRelativeAndExactInTheChosenZone(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	var run runlog.RunAccount
	readJSON(t, b.fetchPage("/api/v1/runs/"+w.failed), &run)
	utc := run.Started.UTC()
	berlin := utc.In(time.FixedZone("CEST", 2*60*60))
	element := func(at time.Time) string {
		return fmt.Sprintf(`<time datetime=%q title=%q>just now</time>`, utc.Format(time.RFC3339), at.Format("2006-01-02 15:04:05 MST"))
	}
	page := b.fetchPage("/runs")
	requireTexts(t, page, element(utc), `action="/zone"`, `name="zone" list="zones" value="UTC"`, `name="back" value="/runs"`)
	a, _ := b.sendRequest(http.MethodPost, "/zone", url.Values{"zone": {"Europe/Berlin"}, "back": {"/runs"}}, nil)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/runs" {
		t.Errorf("%s to %s", a.Status, a.Header.Get("Location"))
	}
	requireTexts(t, b.fetchPage("/runs"), element(berlin), `value="Europe/Berlin"`)
	requireTexts(t, b.fetchPage("/runs/"+w.failed), "Time (Europe/Berlin)", ">"+berlin.Format(time.TimeOnly)+"</time>")
	requireTexts(t, loginToShared(t).fetchPage("/runs"), utc.Format("15:04:05 MST"))
	for _, zone := range []string{"", "Local", "../../etc/passwd", "Nowhere/" + hostile} {
		a, text := b.sendRequest(http.MethodPost, "/zone", url.Values{"zone": {zone}, "back": {"//other.example"}}, nil)
		if a.StatusCode != http.StatusConflict || strings.Contains(text, "<script>alert") || len(a.Cookies()) > 0 {
			t.Errorf("%q: %s %s", zone, a.Status, text)
		}
	}
}

// TestEveryPageHasAZoneSwitchAndExactTimes: each time has its exact one as a title, in the chosen zone, and so do the titles of charts.
func TestEveryPageHasAZoneSwitchAndExactTimes(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	if a, _ := b.sendRequest(http.MethodPost, "/zone", url.Values{"zone": {"Asia/Tokyo"}, "back": {"/"}}, nil); a.StatusCode != http.StatusSeeOther {
		t.Fatal(a.Status)
	}
	const exact = `<time datetime="[^"]+" title="(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d JST|in [^"]+|[^"]+ ago|just now|now|[^"]+Z)">`
	times, exactly := regexp.MustCompile(`<time [^>]*>`), regexp.MustCompile(exact)
	for path, charted := range map[string]bool{"/": true, "/p/nightly": true, "/runs": false, "/runs/" + w.failed: false, "/s/main/contacts": true, "/freshness": false, "/questions": false, "/data": false,
		"/data/t/main/contacts": false, "/data/q/contacts_by_week": false, "/search?q=contacts": false} {
		page := b.fetchPage(path)
		requireTexts(t, page, `<form class="zone" method="post" action="/zone">`, `value="Asia/Tokyo"`, `<input type="hidden" name="back" value="`+path+`">`)
		for _, tag := range times.FindAllString(page, -1) {
			if !exactly.MatchString(tag) && tag != `<time datetime="" title="">` {
				t.Errorf("%s: %s has no exact time in its zone", path, tag)
			}
		}
		if charted && !regexp.MustCompile(`<title>\d{4}-\d\d-\d\d \d\d:\d\d JST[,:]`).MatchString(page) || strings.Contains(page, " UTC, ok") {
			t.Errorf("%s: the charts have another zone", path)
		}
	}
}
