package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

func batchStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "call_transcripts", Key: []string{"call_id"}, Absent: "gone",
		Columns: []schemas.Column{{Name: "call_id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "POST", Path: "/calls/search", Records: []string{"data"}, Page: schemas.Page{By: "none"}, Since: schemas.Since{By: "full"},
			Over: &schemas.Over{View: "calls_to_transcribe.sql", As: "conversation_ids", Size: 20},
		},
	}
}

// callsOf answers with two calls for each conversation, except those in the list.
func callsOf(t *testing.T, leftOut ...string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, body string) {
		var sent map[string][]string
		if err := json.Unmarshal([]byte(body), &sent); err != nil || len(sent["conversation_ids"]) == 0 || len(sent) != 1 {
			t.Errorf("asked %s: %v", body, err)
		}
		if len(sent["conversation_ids"]) > 20 {
			apitest.Reply(w, `400 {"type":"error.list","errors":[{"code":"parameter_invalid","message":"at most 20"}]}`)
			return
		}
		var found []string
		for _, id := range sent["conversation_ids"] {
			for _, call := range []string{id + "a", id + "b"} {
				if !slices.Contains(leftOut, call) {
					found = append(found, fmt.Sprintf(`{"id":%q,"conversation_id":%q}`, call, id))
				}
			}
		}
		apitest.Reply(w, `{"type":"list","data":[`+strings.Join(found, ",")+`]}`)
	}
}

// conversationIDs are ids to ask for, with the calls expected for them, one pair for each row of an SQL file.
func conversationIDs(n int) (ids, keys []string) {
	for i := range n {
		id := fmt.Sprint(100 + i)
		ids, keys = append(ids, id, id), append(keys, id+"a", id+"b")
	}
	return ids, keys
}

func TestT89IDsAreRequestedTwentyAtATime(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, callsOf(t))
	ids, keys := conversationIDs(21)
	got, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: ids, Keys: keys}))
	if slices.Sort(got); !slices.Equal(got, keys) || len(a.Requests()) != 2 {
		t.Errorf("%d calls by %d requests", len(got), len(a.Requests()))
	}
	if p := pages[len(pages)-1]; !p.Boundary || p.State.SyncedTo != noon.Unix() || p.ServerTime.IsZero() {
		t.Errorf("last page: %+v", p.State)
	}
	if _, err := NewReader(a.newClient(t), Request{Stream: batchStream()}).Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("no ids: %v, want io.EOF", err)
	}
}

func TestT89ExpectedRecordsThatAreMissingAreNoted(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, callsOf(t, "100a", "100b", "115b"))
	ids, keys := conversationIDs(41)
	got, _ := drainPhase(t, NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: ids, Keys: keys}))
	for _, call := range []string{"100a", "100b", "115b"} {
		if !slices.Contains(got, "gone:"+call) || slices.Contains(got, call) {
			t.Errorf("%s is not noted as left out: %v", call, got)
		}
	}
	if requests := a.Requests(); len(got) != 82 || len(requests) != 4 {
		t.Errorf("%d calls by %d requests: three, and one for the ids of what the first lacks", len(got), len(requests))
	}
}

// TestT89ARecordMissingFromOneAnswerIsRequestedAgain has an answer that lacks two records of one id, and one that has them.
func TestT89ARecordMissingFromOneAnswerIsRequestedAgain(t *testing.T) {
	t.Parallel()
	all, some := callsOf(t), callsOf(t, "100a", "100b")
	var asked atomic.Int32
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if asked.Add(1) == 1 {
			some(w, r, body)
			return
		}
		if strings.Contains(body, "101") {
			t.Errorf("the second request is also for ids whose records have arrived: %s", body)
		}
		all(w, r, body)
	})
	ids, keys := conversationIDs(2)
	got, _ := drainPhase(t, NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: ids, Keys: keys}))
	if slices.Sort(got); !slices.Equal(got, keys) || asked.Load() != 2 {
		t.Errorf("%v by %d requests, want %v by 2", got, asked.Load(), keys)
	}
}

func TestBatchWithoutKeysExpectsItsIDs(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[{"id":2},{"id":"9"}]}`))
	got, _ := drainPhase(t, NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: []string{"1", "2"}}))
	if len(got) != 3 || !slices.Contains(got, "gone:1") || slices.Contains(got, "gone:2") {
		t.Errorf("got %v", got)
	}
}

// TestT170AnUnreadableIDDoesNotStopItsBatch has ids that break each request with them: one in the only batch, then one in each of
// several.
func TestT170AnUnreadableIDDoesNotStopItsBatch(t *testing.T) {
	t.Parallel()
	for _, spoiled := range [][]string{{"107"}, {"101", "125", "126", "142", "163", "185"}} {
		good := callsOf(t)
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
			if slices.ContainsFunc(spoiled, func(id string) bool { return strings.Contains(body, strconv.Quote(id)) }) {
				apitest.Reply(w, "500 oops")
				return
			}
			good(w, r, body)
		})
		n := 20
		if len(spoiled) > 1 {
			n = 100
		}
		ids, keys := conversationIDs(n)
		got, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: ids, Keys: keys}))
		if api.ClassOf(err) != api.ClassTransient || len(got) != 2*(n-len(spoiled)) || lastState(pages).SyncedTo != 0 || pages[len(pages)-1].Left != 0 {
			t.Errorf("%d of %d calls, %v, state %s", len(got), 2*(n-len(spoiled)), err, lastState(pages))
		}
	}
}

// TestBatchIsNotSplitWhileTheSourceIsDown counts what a source is asked that answers nothing.
func TestBatchIsNotSplitWhileTheSourceIsDown(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith("500 oops"))
	ids, keys := conversationIDs(400)
	c := a.newClient(t)
	if _, _, err := tryDrain(NewReader(c, Request{Stream: batchStream(), IDs: ids, Keys: keys})); api.ClassOf(err) != api.ClassTransient || c.Requests() > 50 {
		t.Errorf("got %v after %d requests", err, c.Requests())
	}
}

func TestFailedBatchIsNoEvidenceOfAbsence(t *testing.T) {
	t.Parallel()
	good := callsOf(t)
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"125"`) {
			apitest.Reply(w, "500 oops")
			return
		}
		good(w, r, body)
	})
	ids, keys := conversationIDs(60)
	got, pages, err := tryDrain(NewReader(a.newClient(t), Request{Stream: batchStream(), IDs: append(ids, "../admins"), Keys: append(keys, "x")}))
	if api.ClassOf(err) != api.ClassContract || len(got) != 118 || lastState(pages).SyncedTo != 0 || slices.ContainsFunc(got, func(id string) bool { return strings.HasPrefix(id, "gone") }) {
		t.Errorf("%d calls, %v, state %s", len(got), err, lastState(pages))
	}
	lost := serveAPI(t, apitest.AnswerWith(errNotFound))
	if got, _, err := tryDrain(NewReader(lost.newClient(t), Request{Stream: batchStream(), IDs: ids, Keys: keys})); api.ClassOf(err) != api.ClassNotFound || len(got) != 0 {
		t.Errorf("404 for all: %v, %v", got, err)
	}
}
