package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

func TestEachStreamHasAPage(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	for _, path := range []string{"/p/nightly", "/freshness", "/runs/" + w.failed, "/search?q=contacts"} {
		requireTexts(t, b.fetchPage(path), `<a href="/s/main/contacts">contacts</a>`)
	}
	page := b.fetchPage("/s/main/contacts")
	requireTexts(t, page, `read by <a href="/p/nightly">nightly</a>`, "fresh", "<code>POST /contacts/search</code>", "changes since the watermark", `<a href="/data/t/main/contacts">contacts</a>`,
		"Records read", "Duration", "Requests", "Checkpoint", "aqueduck state show contacts", `<a href="/runs/`+w.failed+`"`, "How it is read")
	if n := strings.Count(page, `class="bars"`); n != 3 {
		t.Errorf("%d charts", n)
	}
	page = b.fetchPage("/s/main/tags")
	requireTexts(t, page, "✖</i> failed", "The last read failed", "&lt;script&gt;")
	if strings.Contains(page, hostile) {
		t.Error("the text of the source is not escaped")
	}
	for _, path := range []string{"/s/main/none", "/s/none/contacts", "/s/main/'%20OR%201=1"} {
		if a, _ := b.sendRequest(http.MethodGet, path, nil, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}

// TestTheCalendarOfABackfill has a history that is read back to the middle of March 2024.
func TestTheCalendarOfABackfill(t *testing.T) {
	t.Parallel()
	date := func(year, month, day int) time.Time {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	now := date(2024, 6, 16)
	s := runlog.StreamStatus{SyncedTo: now, HistoryTo: date(2024, 3, 15), Backfill: 0.25}
	draw := func(years []calendarYear) (text string) {
		for _, y := range years {
			for _, m := range y.Months {
				text += m.State[:min(1, len(m.State))] + "."
			}
			text += " "
		}
		return text
	}
	for name, test := range map[string]struct {
		start time.Time
		s     runlog.StreamStatus
		want  string
	}{
		"from a start":              {date(2023, 11, 10), s, "..........m.m. m.m.p.r.r.r....... "},
		"from an estimated start":   {time.Time{}, s, ".....m.m.m.m.m.m.m. m.m.p.r.r.r....... "},
		"complete, with a start":    {date(2024, 2, 1), runlog.StreamStatus{SyncedTo: now, Backfill: 1}, ".r.r.r.r.r....... "},
		"complete, without a start": {time.Time{}, runlog.StreamStatus{SyncedTo: now, Backfill: 1}, ""},
		"never read":                {date(2024, 2, 1), runlog.StreamStatus{}, ""},
		"synced to an earlier time": {date(2024, 3, 1), runlog.StreamStatus{SyncedTo: date(2024, 4, 10)}, "..r.r.m.m....... "},
	} {
		if got := draw(backfillCalendar(test.start, test.s, now)); got != test.want {
			t.Errorf("%s: %q, not %q", name, got, test.want)
		}
	}
	if n := len(backfillCalendar(date(1900, 1, 1), s, now)); n != mostYears {
		t.Errorf("%d years", n)
	}
}

// TestATimeAxisHasRoundMarks: 0 and at most five round times, whatever a run took; one a day for a long one.
func TestATimeAxisHasRoundMarks(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]string{
		3 * time.Millisecond: "0", 90 * time.Millisecond: "0 50 ms", 47 * time.Second: "0 10 s 20 s 30 s 40 s", 7*time.Minute + 44*time.Second: "0 2 min 4 min 6 min",
		5 * time.Hour: "0 1 h 2 h 3 h 4 h 5 h", 50 * time.Hour: "0 12 h 24 h 36 h 2 days",
	} {
		var marks []string
		for _, at := range markTimes(took) {
			marks = append(marks, formatMark(at))
		}
		if got := strings.Join(marks, " "); got != want {
			t.Errorf("%s: %s, want %s", took, got, want)
		}
	}
}
