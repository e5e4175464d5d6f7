package pipeline_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runner"
)

// TestAChildStreamThatComesBackReadsWhatItMissed: rows of the parent changed while the file of the child was away, and a parent that the file names
// later has rows already.
func TestAChildStreamThatComesBackReadsWhatItMissed(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(306))
	rows := map[string]string{"/boxes": `{"id":"a","v":1}`, "/crates": `{"id":"x","v":1}`}
	seen := map[string]string{} // by id, what its list has
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		if list, there := rows[r.URL.Path]; there {
			fmt.Fprintf(rw, `{"data":[%s]}`, list)
			return true
		}
		id := strings.Split(r.URL.Path, "/")[2]
		fmt.Fprintf(rw, `{"data":[{"id":"1","text":%q}]}`, seen[id])
		return true
	})
	const parents = `stream: boxes
read: {endpoint: GET /boxes, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text}, {name: v, type: int}]
---
stream: crates
read: {endpoint: GET /crates, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text}, {name: v, type: int}]
`
	const child = `---
stream: labels
read: {endpoint: "GET /things/{id}/labels", records: data, page: {by: none}, since: {by: full}, over: {stream: [boxes], where: id}}
key: [thing, id]
columns: [{name: thing, from: $over, type: text}, {name: id, type: text}, {name: text, type: text}]
`
	expect := func(requests int, want ...string) {
		t.Helper()
		b.space.Advance(time.Hour)
		if s := streamResult(t, b.syncOnce(runner.Options{}), "labels"); int(s.Requests) != requests {
			t.Errorf("%d requests, want %d", s.Requests, requests)
		}
		if got := b.queryRows("SELECT thing, text FROM labels ORDER BY ALL"); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	b.writeStreamFiles("boxes, crates, labels", parents+child)
	expect(1, "a|")

	b.failOn(os.Remove(filepath.Join(filepath.Dir(b.file), "streams", "labels.yaml")))
	b.writeStreamFiles("boxes, crates", parents)
	rows["/boxes"], seen["a"] = `{"id":"a","v":2},{"id":"b","v":1},{"id":"c","v":1}`, "new"
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.writeStreamFiles("boxes, crates, labels", parents+child)
	expect(3, "a|new", "b|", "c|")

	b.writeStreamFiles("boxes, crates, labels", parents+strings.Replace(child, "[boxes]", "[boxes, crates]", 1))
	expect(1, "a|new", "b|", "c|", "x|")
	expect(0, "a|new", "b|", "c|", "x|")
}
