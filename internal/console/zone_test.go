package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestTimesAreRelativeAndExactInTheChosenZone: the run began at 07:00:48 UTC, in June: two hours later in Berlin.
func TestTimesAreRelativeAndExactInTheChosenZone(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page := b.fetchPage("/runs")
	requireTexts(t, page, `<time datetime="2024-06-16T07:00:48Z" title="2024-06-16 07:00:48 UTC">just now</time>`, `action="/zone"`, `name="zone" list="zones" value="UTC"`, `name="back" value="/runs"`)
	a, _ := b.sendRequest(http.MethodPost, "/zone", url.Values{"zone": {"Europe/Berlin"}, "back": {"/runs"}}, nil)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/runs" {
		t.Errorf("%s to %s", a.Status, a.Header.Get("Location"))
	}
	requireTexts(t, b.fetchPage("/runs"), `<time datetime="2024-06-16T07:00:48Z" title="2024-06-16 09:00:48 CEST">just now</time>`, `value="Europe/Berlin"`)
	w, _ := warehouse()
	requireTexts(t, b.fetchPage("/runs/"+w.failed), "Time (Europe/Berlin)", ">09:00:48</time>")
	requireTexts(t, loginToShared(t).fetchPage("/runs"), "07:00:48 UTC")
	for _, zone := range []string{"", "Local", "../../etc/passwd", "Nowhere/" + hostile} {
		a, text := b.sendRequest(http.MethodPost, "/zone", url.Values{"zone": {zone}, "back": {"//other.example"}}, nil)
		if a.StatusCode != http.StatusConflict || strings.Contains(text, "<script>alert") || len(a.Cookies()) > 0 {
			t.Errorf("%q: %s %s", zone, a.Status, text)
		}
	}
}
