package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// discardWriter is a client that discards the answer.
type discardWriter struct {
	header http.Header
	n      int
}

func (d *discardWriter) Header() http.Header { return d.header }

func (d *discardWriter) WriteHeader(int) {}

func (d *discardWriter) Write(b []byte) (int, error) {
	d.n += len(b)
	return len(b), nil
}

// BenchmarkWalk reads workspaces to their ends by cursor, 150 records a page: as a handler, and over loopback with the reader in the same
// process. It reports records per CPU second, and how much slower the last tenth of the pages was than the first.
func BenchmarkWalk(b *testing.B) {
	w := emulator.New(emulator.Config{Contacts: 100_000, Conversations: 20_000, NoLog: true})
	k := newWalker(b, w)
	for _, list := range []struct {
		path    string
		records int
	}{{"/contacts/search", 100_000}, {"/conversations/search", 20_000}} {
		bodies := k.searchBodies(list.path)
		for _, way := range []string{"handler", "handler-gzip", "loopback", "loopback-gzip"} {
			b.Run(strings.Trim(strings.ReplaceAll(list.path, "/search", ""), "/")+"/"+way, func(b *testing.B) {
				over, zipped := strings.HasPrefix(way, "loopback"), strings.HasSuffix(way, "gzip")
				tenth := len(bodies) / 10
				var all, first, last time.Duration
				for b.Loop() {
					marks := []time.Duration{cpuTime()}
					for i, body := range bodies {
						if over {
							k.gzip = zipped
							k.sendRequest("POST", list.path, body)
						} else {
							benchmarkAnswer(b, w, list.path, body, zipped)
						}
						if i+1 == tenth || i+1 == len(bodies)-tenth || i+1 == len(bodies) {
							marks = append(marks, cpuTime())
						}
					}
					all, first, last = all+marks[3]-marks[0], first+marks[1]-marks[0], last+marks[3]-marks[2]
				}
				b.ReportMetric(float64(list.records*b.N)/all.Seconds(), "records/CPU-s")
				b.ReportMetric(last.Seconds()/first.Seconds(), "last/first")
			})
		}
	}
}

// searchBodies returns the bodies of a search's pages.
func (k *listWalker) searchBodies(path string) (bodies []string) {
	k.gzip = false
	k.walkSearch(path, func([]byte) { bodies = append(bodies, k.last) })
	return bodies
}

func benchmarkAnswer(b *testing.B, w *emulator.Workspace, path, body string, zipped bool) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.AccessToken())
	if zipped {
		r.Header.Set("Accept-Encoding", "gzip")
	}
	to := &discardWriter{header: http.Header{}}
	w.ServeHTTP(to, r)
	if to.n < 1000 {
		b.Fatalf("%s gave %d bytes", body, to.n)
	}
}
