package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/plan"
	"aqueduck/internal/preview"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// otherStream is the file of a stream of another API, and the pipeline that reads it alone.
const otherStream = `stream: orders
doc: One row per order.
read: {endpoint: GET /v1/orders, records: results, page: {by: none}, since: {by: full}}
key: [id]
absent: gone
columns:
  - {name: id, type: text, doc: Order id.}
`

// TestStreamsOfAnotherAPIAreReadWithoutBuiltInOnes runs the stream of another API, whose server knows no path of the workspace API. Answers that
// are not the whole list then change no row. With a built-in stream in the pipeline, the run says that this is the wrong API.
func TestStreamsOfAnotherAPIAreReadWithoutBuiltInOnes(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(304))
	var answer atomic.Value
	answer.Store(`{"results":[{"id":1},{"id":2},{"id":3}],"count":3,"next":null}`)
	var asked atomic.Int32 // requests that are not for the list
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		if r.URL.Path != "/v1/orders" {
			asked.Add(1)
			http.NotFound(rw, r)
			return true
		}
		text, link, _ := strings.Cut(answer.Load().(string), "LINK ")
		if link != "" {
			rw.Header().Set("Link", link)
		}
		fmt.Fprint(rw, text)
		return true
	})
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "orders.yaml"), []byte(otherStream), 0o600))
	head, _, _ := strings.Cut(nightly, "pipelines:")
	own := head + "stream_files: orders.yaml\npipelines:\n  other: {streams: [orders]}\n"
	b.writeConfig(own)

	if s := streamResult(t, b.syncOnce(runner.Options{}), "orders"); s.New != 3 || s.Requests != 1 || asked.Load() != 0 {
		t.Fatalf("%+v, %d other requests", s, asked.Load())
	}
	for _, cut := range []string{
		`{"results":[{"id":4}],"count":250}`, `{"results":[{"id":4}],"total_count":250}`, `{"results":[],"total":3}`,
		`{"results":[{"id":4}],"next_cursor":"50"}`, `{"results":[{"id":4}],"meta":{"has_more":true}}`, `{"results":[{"id":4}],"pages":{"next":{"cursor":"x"}}}`,
		`{"results":[{"id":4}],"isLastPage":false,"nextPageStart":50}`, `{"results":[{"id":4}],"isLast":false}`, `{"results":[{"id":4}],"found":450}`,
		`{"results":[{"id":4}]}LINK <https://api.example.com/v1/orders?page=2>; rel="next"`,
	} {
		answer.Store(cut)
		b.space.Advance(time.Hour)
		s := streamResult(t, b.trySync(runner.Options{}), "orders")
		if s.Class != "config" || s.Extracted != 0 || s.Gone != 0 || !strings.Contains(s.Next, "aqueduck streams new GET /v1/orders") {
			t.Errorf("%s: %+v", cut, s)
		}
	}
	if got := b.queryRows("SELECT string_agg(id, ',' ORDER BY id), count(_gone_at) FROM orders_all"); got[0] != "1,2,3|0" {
		t.Errorf("rows: %v", got)
	}
	// A plan notes that, and asks the other streams all the same.
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "later.yaml"), []byte(strings.Replace(otherStream, "stream: orders", "stream: zz_later", 1)), 0o600))
	b.writeConfig(strings.NewReplacer("orders.yaml", "[orders.yaml, later.yaml]", "[orders]", "[orders, zz_later]", "dir: data", "dir: planned").Replace(own))
	answer.Store(`{"results":[{"id":4}],"count":250}`)
	planned, err := plan.Make(t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskUnread)
	b.failOn(err)
	if notes := strings.Join(planned.Notes, "\n"); strings.Count(notes, "a run would fail there") != 2 || !strings.Contains(notes, "main.zz_later is not known") {
		t.Errorf("the plan notes:\n%s", notes)
	}
	// The file says that the answer is a part of the list.
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "orders.yaml"), []byte(strings.Replace(otherStream, "by: none", "by: none, most: 1", 1)), 0o600))
	b.writeConfig(own)
	answer.Store(`{"results":[{"id":4}],"count":250,"next_cursor":"50"}`)
	for range 2 {
		b.syncOnce(runner.Options{})
	}
	if got := b.queryRows("SELECT string_agg(id, ',' ORDER BY id), count(_gone_at) FROM orders_all"); got[0] != "1,2,3,4|0" {
		t.Errorf("rows: %v", got)
	}
	// The source ignores the number that the file asks by: the first page is stored, and the message says so.
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "orders.yaml"), []byte(strings.Replace(otherStream, "by: none", "by: number, in: query, size: 50", 1)), 0o600))
	b.writeConfig(own)
	answer.Store(`{"results":[{"id":5},{"id":6}],"count":250}`)
	s := streamResult(t, b.trySync(runner.Options{}), "orders")
	if s.Class != "config" || s.New != 2 || s.Gone != 0 || !strings.Contains(s.Next, "; 2 rows were stored and no row was deleted") {
		t.Errorf("%+v", s)
	}
	if got := b.queryRows("SELECT string_agg(id, ',' ORDER BY id), count(_gone_at) FROM orders_all"); got[0] != "1,2,3,4,5,6|0" {
		t.Errorf("rows: %v", got)
	}

	// A check asks for the own stream alone.
	before := asked.Load()
	online, err := preview.CheckOnline(t.Context(), b.runner)
	b.failOn(err)
	if len(online.Streams) != 1 || online.Streams[0].Stream != "orders" || asked.Load() != before {
		t.Errorf("the check asked for %d other paths and says %+v", asked.Load()-before, online.Streams)
	}

	b.writeConfig(strings.Replace(strings.Replace(own, "dir: data", "dir: other", 1), "[orders]", "[orders, tags]", 1))
	_, err = sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	var wrong *problem.Problem
	if !errors.As(err, &wrong) || wrong.ExitCode() != problem.ExitConfig || !strings.Contains(wrong.Text(), "workspaces.main.base_url is not an address of the API") {
		t.Errorf("got %v", err)
	}

	// An address with a path passes where a variable holds it. The check says that a run refuses it, and the run sends no request.
	b.url += "/v1"
	b.writeConfig(own)
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		t.Errorf("request %s", r.URL)
		return false
	})
	_, err = sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	doubts, _ := plan.FindDoubts(context.Background(), b.runner.Config, b.runner.Catalogue, b.runner)
	if !errors.As(err, &wrong) || wrong.ExitCode() != problem.ExitConfig || !slices.Contains(doubts, wrong.Error()+"; next: "+wrong.Next) {
		t.Errorf("the run: %v\nthe check: %q", err, doubts)
	}
}
