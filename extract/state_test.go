package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStateReadsBackWhatItWrote(t *testing.T) {
	t.Parallel()
	states := []State{
		{},
		{SyncedTo: 1_773_143_100, HistoryTo: 5, HistoryDone: true, HistorySpan: 7, Version: "2.17"},
		{
			SyncedTo: 9, Window: &Window{Kind: "history", From: 3, To: 4},
			Position: &Position{Token: "a\"b/\u00e9", Fingerprint: "f", Size: 150, Rows: 3, Since: 2, LastTime: 4, Unsorted: true},
		},
		{Bookmark: &Position{Token: "x", Last: "e1", Page: 3}, Sweep: &Sweep{Number: 2, Opened: 5, Steady: true, Total: -1, Rows: 7}, Window: &Window{Kind: "sweep"}},
	}
	for _, want := range states {
		got, err := ParseState(want.String())
		if err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want, diff)
		}
	}
	if got := (State{}).String(); got != "{}" {
		t.Errorf("the zero state is %s", got)
	}
	if s, err := ParseState(""); err != nil || s.String() != "{}" {
		t.Errorf("no text: %v, %v", s, err)
	}
}

func TestStateThatWasNotWrittenIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x": "invalid character", "{": "unexpected EOF", "[]": "cannot unmarshal", `{"synced_to":1} {}`: "text after its end", `{"synced_to":1}}`: "text after its end",
		`{"synced_too":1}`: "unknown field", `{"synced_to":"1"}`: "cannot unmarshal", `{"synced_to":1.5}`: "cannot unmarshal", `{"synced_to":-1}`: "before 1970",
		`{"window":{"kind":"sideways"}}`: "is not a window", `{"window":{"kind":"forward","from":-1}}`: "before 1970", `{"position":{"token":"x"}}`: "a cursor without a window",
		`{"bookmark":{"page":-1}}`: "below zero", `{"sweep":{"number":0}}`: "the number of a sweep is too low", `{"history_to":-5}`: "before 1970", `{"synced_to":1e30}`: "cannot unmarshal",
	} {
		if _, err := ParseState(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "checkpoint") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseState(f *testing.F) {
	f.Add("")
	f.Add(`{"synced_to":1773143100,"history_to":1772538300,"version":"2.17"}`)
	f.Add(`{"window":{"kind":"forward","from":1,"to":2},"position":{"token":"a","fingerprint":"b","size":150,"last_time":3}}`)
	f.Add(`{"sweep":{"number":1,"total":-1},"window":{"kind":"sweep"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseState(text)
		if err != nil {
			if s.String() != "{}" {
				t.Errorf("a refused text gave %s", s)
			}
			return
		}
		again, err := ParseState(s.String())
		if err != nil {
			t.Fatalf("%s does not read back: %v", s, err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("it changed (-first +again):\n%s", diff)
		}
	})
}
