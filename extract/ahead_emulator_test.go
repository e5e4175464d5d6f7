package extract_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
)

// TestReadingAheadAsksForNothingElse reads lists of every kind both ways, from the same workspace at the same time.
func TestReadingAheadAsksForNothingElse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream string
		state  extract.State
	}{
		"search": {"contacts", extract.State{SyncedTo: 1, HistoryDone: true}},
		"feed":   {"contact_activities", extract.State{}},
		"sweep":  {"deleted_contacts", extract.State{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked, read [2][]string
			for i, ahead := range []func() bool{nil, func() bool { return true }} {
				asked[i], read[i] = readRecorded(t, extract.Request{Stream: builtinStream(t, test.stream), State: test.state, ReadAhead: ahead})
			}
			if !slices.Equal(read[0], read[1]) {
				t.Errorf("pages one after the other:\n%s\nahead:\n%s", strings.Join(read[0], "\n"), strings.Join(read[1], "\n"))
			}
			if len(asked[0]) < 4 || !slices.Equal(asked[0], asked[1]) {
				t.Errorf("%d requests one after the other, %d ahead, or others", len(asked[0]), len(asked[1]))
			}
		})
	}
}

// readRecorded reads a stream of a new workspace to its end. It returns the requests, sorted, and what the pages were.
func readRecorded(t *testing.T, r extract.Request) (asked, read []string) {
	space := emulator.New(emulator.Config{Seed: 3, Contacts: 700, Inactive: 700, Activities: 600, Start: spring, Knobs: emulator.Knobs{NestedCap: 2}})
	var mu sync.Mutex // guards asked
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.String())
		mu.Unlock()
		space.ServeHTTP(w, r)
	}))
	defer server.Close()
	c, err := api.New(api.Options{BaseURL: server.URL, Token: api.Secret(space.AccessToken()), Version: "2.17", Now: space.CurrentTime,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	reader := extract.NewReader(c, r)
	defer reader.Close()
	for {
		p, err := reader.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		position := p.State.Position
		if position == nil {
			position = &extract.Position{}
		}
		read = append(read, fmt.Sprintf("%d records, %d left, %d before the next, boundary %t, synced to %d", len(p.Records), p.Left, position.Rows, p.Boundary, p.State.SyncedTo))
	}
	slices.Sort(asked)
	return asked, read
}
