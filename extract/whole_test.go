package extract

import (
	"testing"
	"time"

	"aqueduck/schemas"
)

func TestT168ARecordOlderThanItsListEntryIsStale(t *testing.T) {
	t.Parallel()
	s := detailStream()
	s.Read.Since.Field, s.Read.Since.Lag = "updated_at", 15*time.Minute
	s.Read.Detail.UnlessSame = [][]string{{"statistics", "count"}}
	s.Children = []schemas.Child{{Table: "parts", From: []string{"parts", "list"}, Count: []string{"parts", "total_count"}, Key: []string{"id"}}}
	const head = `{"id":"1","updated_at":100,"statistics":{"count":2}}`
	part := func(at string) string { return `"parts":{"list":[{"created_at":40},{"created_at":` + at + `}]}` }
	tests := []struct {
		name, listed, raw string
		want              bool
	}{
		{"as its head, with a part of then", head, `{"id":"1","updated_at":100,"statistics":{"count":2},` + part("100") + `}`, false},
		{"older than its head", head, `{"id":"1","updated_at":90,"statistics":{"count":2},` + part("90") + `}`, true},
		{"newer than its head", head, `{"id":"1","updated_at":110,"statistics":{"count":2},` + part("110") + `}`, false},
		{"another count", head, `{"id":"1","updated_at":100,"statistics":{"count":1},` + part("100") + `}`, true},
		{"changed after its newest part, with a count that is higher", head, `{"id":"1","updated_at":100,"statistics":{"count":2},"parts":{"list":[{"created_at":99}]}}`, true},
		{"changed after its newest part, with a count that is lower", `{"id":"1","updated_at":100,"statistics":{"count":1}}`,
			`{"id":"1","updated_at":100,"statistics":{"count":1},` + part("99") + `}`, true},
		{"changed after its newest part, without a count", head, `{"id":"1","updated_at":100,` + part("99") + `}`, true},
		{"changed after its newest part, without a count in its list", `{"id":"1","updated_at":100}`, `{"id":"1","updated_at":100,"statistics":{"count":2},` + part("99") + `}`, true},
		{"changed after its newest part, without a head", "", `{"id":"1","updated_at":100,"statistics":{"count":2},` + part("99") + `}`, true},
		{"changed after its newest part, and all count what came", head, `{"id":"1","updated_at":100,"statistics":{"count":2},` + part("99") + `}`, false},
		{"changed without parts, and all count none", `{"id":"1","updated_at":100,"statistics":{"count":0}}`, `{"id":"1","updated_at":100,"statistics":{"count":0},"parts":{"list":[]}}`, false},
		{"changed by a rating", head, `{"id":"1","updated_at":100,"rating":{"updated_at":100},` + part("99") + `}`, false},
		{"changed by what is counted", head, `{"id":"1","updated_at":100,"statistics":{"count":3,"last_reply_at":100},` + part("99") + `}`, true},
		{"made then, without parts", head, `{"id":"1","created_at":100,"updated_at":100,"parts":{"list":[]}}`, false},
		{"made then, with a part of then and a count of one more", head, `{"id":"1","created_at":100,"updated_at":100,"statistics":{"count":2},"parts":{"list":[{"created_at":100}],"total_count":1}}`, true},
		{"the same, of which the source says that not all parts are sent", head, `{"id":"1","updated_at":100,"statistics":{"count":2},"parts":{"list":[{"created_at":100}],"total_count":2}}`, false},
		{"read without a head", "", `{"id":"1","updated_at":100,` + part("100") + `}`, false},
	}
	for _, tt := range tests {
		var listed []byte
		if tt.listed != "" {
			listed = []byte(tt.listed)
		}
		if got := isStaleRead(s, listed, []byte(tt.raw), time.Unix(100+901, 0)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// A part that changes in its place moves no count: it may be outdated for as long as the source takes to show a change.
	changed := []byte(`{"id":"1","updated_at":100,"statistics":{"count":2},` + part("99") + `}`)
	if !isStaleRead(s, []byte(head), changed, time.Unix(100+899, 0)) {
		t.Error("changed a moment ago: settled")
	}
}

func TestT159TimesInMillisecondsMoveAWindowLikeOthers(t *testing.T) {
	t.Parallel()
	for _, parts := range []int64{1000, 1e6} {
		ws := newWorkspace(t, minutesOf(40)...)
		ws.parts = parts
		s := searchStream()
		s.Read.Page.Size = 10
		ids, pages := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
		if len(ids) != 40 || lastState(pages).SyncedTo != watermark {
			t.Errorf("%d parts: %d records, state %s", parts, len(ids), lastState(pages))
		}
		if p := pages[1].State.Position; p.LastTime != ws.contacts[19].at {
			t.Errorf("%d parts: position %+v, want the time of the 20th contact, %d", parts, p, ws.contacts[19].at)
		}
	}
}
