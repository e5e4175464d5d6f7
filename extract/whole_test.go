package extract

import (
	"testing"

	"aqueduck/schemas"
)

func TestT168ARecordBehindItsHeadIsUnsettled(t *testing.T) {
	t.Parallel()
	s := detailed()
	s.Read.Since.Field = "updated_at"
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
		{"changed after its newest part", head, `{"id":"1","updated_at":100,"statistics":{"count":2},` + part("99") + `}`, true},
		{"changed by a rating", head, `{"id":"1","updated_at":100,"rating":{"updated_at":100},` + part("99") + `}`, false},
		{"changed by what is counted", head, `{"id":"1","updated_at":100,"statistics":{"count":2,"last_reply_at":100},` + part("99") + `}`, true},
		{"made then, without parts", head, `{"id":"1","created_at":100,"updated_at":100,"parts":{"list":[]}}`, false},
		{"read without a head", "", `{"id":"1","updated_at":100,` + part("100") + `}`, false},
	}
	for _, tt := range tests {
		var listed []byte
		if tt.listed != "" {
			listed = []byte(tt.listed)
		}
		if got := Unsettled(s, listed, []byte(tt.raw)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestT159TimesInMillisecondsMoveAWindowLikeOthers(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(40)...)
	ws.millis = true
	s := searchStream()
	s.Read.Page.Size = 10
	ids, pages := drain(t, ws.client(t).Read(Request{Stream: s, State: State{SyncedTo: at(11 * hour), HistoryDone: true}}))
	if len(ids) != 40 || last(pages).SyncedTo != mark {
		t.Errorf("%d records, state %s", len(ids), last(pages))
	}
	if p := pages[1].State.Position; p.LastTime != ws.contacts[19].at {
		t.Errorf("position %+v, want the time of the 20th contact, %d", p, ws.contacts[19].at)
	}
}
