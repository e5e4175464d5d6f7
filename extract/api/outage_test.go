package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/schemas"
)

// pipeNetwork is a network within this process. In a synctest bubble it takes no time besides the waits of its ends.
type pipeNetwork struct {
	calls chan net.Conn
	once  sync.Once
	cut   chan struct{}
}

func newWire() *pipeNetwork {
	return &pipeNetwork{calls: make(chan net.Conn), cut: make(chan struct{})}
}

func (w *pipeNetwork) Accept() (net.Conn, error) {
	select {
	case c := <-w.calls:
		return c, nil
	case <-w.cut:
		return nil, net.ErrClosed
	}
}

func (w *pipeNetwork) Close() error   { w.once.Do(func() { close(w.cut) }); return nil }
func (w *pipeNetwork) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (w *pipeNetwork) dialPipe(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case w.calls <- theirs:
		return ours, nil
	case <-w.cut:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inVirtualTime runs f in virtual time, with a client as users have it, including clock and limits, connected to a server. A
// goroutine that either leaves running would keep the bubble from ending.
func inVirtualTime(t *testing.T, handler func() http.Handler, token string, f func(t *testing.T, c *api.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		server := &http.Server{Handler: handler(), ErrorLog: log.New(io.Discard, "", 0)}
		served := make(chan error)
		go func() { served <- server.Serve(w) }()
		c, err := api.New(api.Options{BaseURL: "http://127.0.0.1", Token: api.Secret(token), Version: "2.17"})
		if err != nil {
			t.Fatal(err)
		}
		c.DialBy(w.dialPipe)
		f(t, c)
		c.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// TestF7AServerThatHangsIsGivenUpWithinNinetySeconds has servers that accept requests and send one byte a minute, or none.
func TestF7AServerThatHangsIsGivenUpWithinNinetySeconds(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(w http.ResponseWriter){
		"before the answer": func(http.ResponseWriter) {},
		"in its body": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"data":[`)
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var given []time.Duration
			hang := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked := time.Now()
				begin(w)
				for err := error(nil); err == nil && r.Context().Err() == nil; {
					select {
					case <-time.After(time.Minute):
						if _, err = io.WriteString(w, " "); err == nil && name == "in its body" {
							err = http.NewResponseController(w).Flush()
						}
					case <-r.Context().Done():
					}
				}
				mu.Lock()
				defer mu.Unlock()
				given = append(given, time.Since(asked))
			})
			inVirtualTime(t, func() http.Handler { return hang }, "secret-token-of-the-tests", func(t *testing.T, c *api.Client) {
				began := time.Now()
				_, _, err := readAll(extract.NewReader(c, extract.Request{Stream: sweepStream(150)}))
				if api.ClassOf(err) != api.ClassTransient {
					t.Errorf("got %v", err)
				}
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				for _, d := range given {
					if d > 90*time.Second {
						t.Errorf("a request was given up after %s", d)
					}
				}
				if len(given) == 0 {
					t.Fatal("nobody asked")
				}
				t.Logf("%d requests, given up after %s each; in all %s", len(given), given[0], time.Since(began))
			})
			given = nil
			inVirtualTime(t, func() http.Handler { return hang }, "secret-token-of-the-tests", func(t *testing.T, c *api.Client) {
				const most = 45 * time.Second
				began := time.Now()
				c.StopAt(began.Add(most))
				_, _, err := readAll(extract.NewReader(c, extract.Request{Stream: sweepStream(150)}))
				if took := time.Since(began); !errors.Is(err, api.ErrBudget) || took > most+5*time.Second {
					t.Errorf("with %s to read in it ended after %s: %v", most, took, err)
				}
			})
		})
	}
}

// TestAnAnswerThatBrokeIsAskedForAgainSoon has one answer fail. After any other failure the server gets more time.
func TestAnAnswerThatBrokeIsAskedForAgainSoon(t *testing.T) {
	t.Parallel()
	const whole = `{"data":[],"total_count":0,"pages":{"page":1,"per_page":150,"total_pages":1}}`
	cut := func(w http.ResponseWriter, head string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, head)
			_ = conn.Close()
		}
	}
	for name, c := range map[string]struct {
		fail        func(w http.ResponseWriter)
		least, most time.Duration
	}{
		"closed before the answer": {func(w http.ResponseWriter) { cut(w, "") }, 0, 125 * time.Millisecond},
		"closed in the answer":     {func(w http.ResponseWriter) { cut(w, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{") }, 0, 125 * time.Millisecond},
		"not JSON":                 {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") }, 0, 125 * time.Millisecond},
		"status 503":               {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 250 * time.Millisecond, 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked == 1 {
					c.fail(w)
					return
				}
				_, _ = io.WriteString(w, whole)
			})
			inVirtualTime(t, func() http.Handler { return handler }, "secret-token-of-the-tests", func(t *testing.T, client *api.Client) {
				began := time.Now()
				if _, _, err := readAll(extract.NewReader(client, extract.Request{Stream: sweepStream(150)})); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < c.least || took > c.most || asked != 2 {
					t.Errorf("%d requests in %s, want two in %s to %s", asked, took, c.least, c.most)
				}
			})
		})
	}
}

// TestF6FaultsOfTheAPITakeLittleTime reads contacts through faults of every kind. In the virtual time an answer takes 100 ms, and
// the workspace allows 1,000 requests a minute.
func TestF6FaultsOfTheAPITakeLittleTime(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seconds, with one reader at a time: make test runs it")
	}
	l := lane.New(t, "readings through faults in virtual time", 1)
	for ; l.HasNext(); l.CountTrials(1) {
		contacts := 2400
		if l.HasDeadline() {
			contacts = 12_000 // with fewer requests the share of failures varies more
		}
		clean := readThrough(t, l.Seed(), contacts, 0)
		for share, most := range map[float64]float64{0.01: 1.3, 0.1: 2.5} {
			got := readThrough(t, l.Seed(), contacts, share)
			requests, time := float64(got.requests)/float64(clean.requests), float64(got.time)/float64(clean.time)
			t.Logf("seed %d, faults for %g %% of requests: %.2f times the %d requests, %.2f times the time of %s", l.Seed(), 100*share, requests, clean.requests, time, clean.time)
			if max(requests, time) > most {
				t.Errorf("want at most %.1f times", most)
			}
		}
	}
}

type readCost struct {
	requests int64
	time     time.Duration
}

// readThrough reads all contacts of a workspace through a line on which a share of requests fails, of each kind as many.
func readThrough(t *testing.T, seed uint64, contacts int, share float64) (s readCost) {
	t.Helper()
	kinds := share / 7
	chaos := fmt.Sprintf("error=%[1]g:500,error=%[1]g:503,error=%[1]g:504,429=%[1]g,reset=%[1]g,truncate=%[1]g,garbage=%[1]g,slow=1:100ms", kinds)
	var space *emulator.Workspace
	inVirtualTime(t, func() http.Handler {
		space = emulator.New(emulator.Config{Seed: seed, Contacts: contacts, Inactive: 10, Activities: 10, RatePerMinute: 1000, Start: time.Now(), Now: time.Now,
			Token: "secret-token-of-the-tests", Knobs: emulator.Knobs{NoLag: true, Chaos: chaos}})
		return space
	}, "secret-token-of-the-tests", func(t *testing.T, c *api.Client) {
		builtin, err := schemas.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		found, _ := builtin.Stream("contacts")
		stream := *found
		stream.Read.Page.Size = 2
		began, read := time.Now(), map[string]bool{}
		state, again := extract.State{}, 0
		for _, phase := range []extract.Phase{extract.Forward, extract.History} {
			r := extract.NewReader(c, extract.Request{Stream: &stream, State: state, Phase: phase})
			for {
				p, err := r.Next(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				// All attempts of a request fail in one of some fifteen long readings with a fault in ten. The next run then goes on.
				if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Class == api.ClassTransient && again < 2 {
					again++
					r = extract.NewReader(c, extract.Request{Stream: &stream, State: state, Phase: phase})
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				state = p.State
				for _, record := range p.Records {
					id, _ := scan.Text(scan.Field(record.Raw, "id"))
					read[id] = true
				}
			}
		}
		s = readCost{c.Requests(), time.Since(began)}
		if want := len(space.ContactIDs("active")); len(read) != want {
			t.Errorf("%d contacts were read, want %d", len(read), want)
		}
	})
	return s
}

// sweepStream is a list that is read whole, so many records a page.
func sweepStream(size int) *schemas.Stream {
	return &schemas.Stream{
		Name: "deleted_contacts", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/deleted", Records: []string{"data"},
			Page: schemas.Page{By: "number", In: "query", Size: size}, Since: schemas.Since{By: "full"},
		},
	}
}

// readAll reads to the end of a phase.
func readAll(r *extract.Reader) (ids []string, pages int, err error) {
	for {
		p, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return ids, pages, nil
		}
		if err != nil {
			return ids, pages, err
		}
		pages++
		for _, record := range p.Records {
			id, _ := scan.Text(scan.Field(record.Raw, "id"))
			ids = append(ids, id)
		}
	}
}

// TestT130HugePagesAreRequestedInHalves has each record carry a kilobyte that compresses to nothing.
func TestT130HugePagesAreRequestedInHalves(t *testing.T) {
	t.Parallel()
	const all = 300
	for _, zipped := range []bool{false, true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
			var records []string
			for i := (page - 1) * size; i < min(page*size, all); i++ {
				records = append(records, fmt.Sprintf(`{"pad":%q,"id":"%d"}`, strings.Repeat("x", 1000), i))
			}
			var body io.Writer = w
			if zipped {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer z.Close()
				body = z
			}
			fmt.Fprintf(body, `{"data":[%s],"total_count":%d,"pages":{"page":%d,"per_page":%d,"total_pages":%d}}`,
				strings.Join(records, ","), all, page, size, (all+size-1)/size)
		}))
		defer server.Close()
		c, err := api.New(api.Options{BaseURL: server.URL, Token: "secret-token-of-the-tests", Version: "2.17", Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.LimitBody(50_000)
		ids, _, err := readAll(extract.NewReader(c, extract.Request{Stream: sweepStream(150)}))
		slices.Sort(ids)
		if got := len(slices.Compact(ids)); err != nil || got != all || c.Requests() > 15 {
			t.Errorf("zipped %t: %d records after %d requests, %v", zipped, got, c.Requests(), err)
		}
	}
}

// TestADownloadEndsWhenTheClientStops has a file that comes byte by byte, for an hour.
func TestADownloadEndsWhenTheClientStops(t *testing.T) {
	t.Parallel()
	drip := func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for range 3600 {
				_, _ = io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				select {
				case <-tick.C:
				case <-r.Context().Done():
					return
				}
			}
		})
	}
	inVirtualTime(t, drip, "token", func(t *testing.T, c *api.Client) {
		began := time.Now()
		c.StopAt(began.Add(time.Minute))
		_, err := c.Download(t.Context(), api.File{Stream: &schemas.Stream{Name: "x"}, Path: "/file", Most: 1 << 20}, io.Discard)
		if took := time.Since(began); !errors.Is(err, api.ErrBudget) || api.ClassOf(err) != "" || took < time.Minute || took > 70*time.Second {
			t.Errorf("it ended after %s: %v", took, err)
		}
	})
}
