package emulator

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"aqueduck/internal/emulator/event"
)

// BenchmarkSearchPage is one page of 150 contacts out of 20,000, without a socket.
func BenchmarkSearchPage(b *testing.B) {
	w := New(Config{Contacts: 20_000, NoLog: true})
	body := []byte(`{"query":{"operator":"OR","value":[{"field":"updated_at","operator":"=","value":1600000000},` +
		`{"field":"updated_at","operator":">","value":1600000000}]},"sort":{"field":"updated_at","order":"ascending"},"pagination":{"per_page":150}}`)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/contacts/search", bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.AccessToken())
		rw := httptest.NewRecorder()
		w.ServeHTTP(rw, r)
		if rw.Code != http.StatusOK {
			b.Fatal(rw.Body)
		}
		b.SetBytes(int64(rw.Body.Len()))
	}
}

// BenchmarkNew is the start of the demo and of the smallest workspaces.
func BenchmarkNew(b *testing.B) {
	for name, contacts := range map[string]int{"demo": 0, "300": 300} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				New(Config{Contacts: contacts})
			}
		})
	}
}

// BenchmarkNewConversations is the start of a workspace with as many conversations as a large one has.
func BenchmarkNewConversations(b *testing.B) {
	for b.Loop() {
		New(Config{Contacts: 10_000, Conversations: 200_000, NoLog: true})
	}
}

// BenchmarkOneConversation is the reading of conversations of every size by id, without a socket.
func BenchmarkOneConversation(b *testing.B) {
	w := New(Config{Conversations: 20_000, NoLog: true})
	for n := 0; b.Loop(); n++ {
		r := httptest.NewRequest(http.MethodGet, "/conversations/"+event.ConversationID(int32(n*7919%20_000))+"?include_scorecards=true", nil)
		r.Header.Set("Authorization", "Bearer "+w.AccessToken())
		rw := httptest.NewRecorder()
		w.ServeHTTP(rw, r)
		if rw.Code != http.StatusOK {
			b.Fatal(rw.Body)
		}
		b.SetBytes(int64(rw.Body.Len()))
	}
}
