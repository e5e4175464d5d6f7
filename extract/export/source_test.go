package export

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/schemas"
)

// exportFamily is the stream file of the exports, as far as asking goes.
func exportFamily() *schemas.Stream {
	return &schemas.Stream{Name: "reporting", Read: schemas.Read{Method: "GET", Path: "/export/reporting_data/get_datasets", Records: []string{"data"}}}
}

// emulatedSource is an emulated workspace with a client whose waiting moves its clock.
type emulatedSource struct {
	t      testing.TB
	w      *emulator.Workspace
	client *api.Client
	source Source
	url    string
}

func newStand(t testing.TB, k emulator.ExportKnobs) *emulatedSource {
	t.Helper()
	w := emulator.New(emulator.Config{Seed: 4, Contacts: 60, Knobs: emulator.Knobs{Export: k}})
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	client, err := api.New(api.Options{BaseURL: server.URL, Token: api.Secret(w.AccessToken()), Version: "2.17", Now: w.CurrentTime,
		Wait: func(ctx context.Context, d time.Duration) error { w.Advance(d); return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &emulatedSource{t, w, client, New(client, exportFamily()), server.URL}
}

// conversationDataset gives the one of conversations.
func (s *emulatedSource) conversationDataset() Dataset {
	s.t.Helper()
	sets, _, err := s.source.Datasets(context.Background(), exportFamily())
	if err != nil {
		s.t.Fatal(err)
	}
	return sets[0]
}

// enqueueJob enqueues an export of the last two weeks.
func (s *emulatedSource) enqueueJob(d Dataset) (Status, extract.ExportJob, error) {
	now := s.w.CurrentTime()
	st, err := s.source.Enqueue(context.Background(), exportFamily(), d, now.AddDate(0, 0, -14).Unix(), now.Unix())
	return st, extract.ExportJob{ID: st.ID, Asked: now.Unix()}, err
}

func neverPause() error { return nil }

// fetchExport asks, waits and fetches.
func (s *emulatedSource) fetchExport() (*Archive, error) {
	s.t.Helper()
	_, job, err := s.enqueueJob(s.conversationDataset())
	if err != nil {
		s.t.Fatal(err)
	}
	st, err := s.source.Await(context.Background(), exportFamily(), job, false, neverPause)
	if err != nil {
		return nil, err
	}
	spool, err := CreateSpool(s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = spool.Close() })
	return s.source.Fetch(context.Background(), exportFamily(), st, spool, DefaultLimits())
}

// countRequests counts requests of a path.
func (s *emulatedSource) countRequests(method, path string) (n int) {
	for _, r := range s.w.Requests() {
		if r.Method == method && strings.HasPrefix(r.Path, path) {
			n++
		}
	}
	return n
}

// Holds: T95.
func TestT100AJobIsDoneWhenItSaysSoOrNamesAnAddress(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]emulator.ExportKnobs{
		"as documented":          {},
		"slow":                   {Pending: time.Hour, Working: 2 * time.Hour},
		"complete without a URL": {NoURL: true},
		"another word":           {Status: "ready_for_you"},
		"not known at first":     {Hidden: 30 * time.Second},
	} {
		s := newStand(t, k)
		a, err := s.fetchExport()
		if err != nil || a.Rows == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, k := range map[string]emulator.ExportKnobs{
		"failed": {Fail: 1}, "an unknown word without a URL": {Status: "limbo", NoURL: true}, "never known": {Hidden: 100 * time.Hour},
		"never done": {Pending: 100 * time.Hour},
	} {
		if _, err := newStand(t, k).fetchExport(); !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestT99ExpiredAddressIsRequestedAgain(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"403", "404", "410", "html"} {
		s := newStand(t, emulator.ExportKnobs{URLLife: time.Minute, Expired: answer})
		_, job, err := s.enqueueJob(s.conversationDataset())
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.source.Await(context.Background(), exportFamily(), job, false, neverPause)
		if err != nil {
			t.Fatal(err)
		}
		s.w.Advance(2 * time.Minute)
		spool, err := CreateSpool(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer spool.Close()
		if a, err := s.source.Fetch(context.Background(), exportFamily(), st, spool, DefaultLimits()); err != nil || a.Rows == 0 {
			t.Errorf("%s: %v", answer, err)
		}
		if n := s.countRequests("GET", "/_storage/"); n != 2 {
			t.Errorf("%s: %d addresses were tried", answer, n)
		}
	}
}

func TestT99UnreachableAddressIsReplacedByTheAPIsOwn(t *testing.T) {
	t.Parallel()
	s := newStand(t, emulator.ExportKnobs{Storage: "https://127.0.0.1:1"})
	if a, err := s.fetchExport(); err != nil || a.Rows == 0 {
		t.Error(err)
	}
	if s.countRequests("GET", "/download/reporting_data/") != 1 {
		t.Error("the API's own download was not tried")
	}
}

func TestT101IncompleteFileIsFetchedAgainThenRefused(t *testing.T) {
	t.Parallel()
	s := newStand(t, emulator.ExportKnobs{File: emulator.ExportFile{Truncate: 0.1}})
	if _, err := s.fetchExport(); !errors.Is(err, ErrLost) || !errors.Is(err, ErrFormat) {
		t.Errorf("%v", err)
	}
	tries := 0
	s = newStand(t, emulator.ExportKnobs{File: emulator.ExportFile{Spoil: func(file []byte) []byte {
		if tries++; tries < 3 {
			return file[:len(file)/2]
		}
		return file
	}}})
	if a, err := s.fetchExport(); err != nil || a.Rows == 0 || tries != 3 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// Holds: T118.
func TestT98EnqueueIsNotRepeatedAutomatically(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]*fault.Fault{
		"reset": {Reset: true}, "response lost": {Truncate: true}, "503": {Status: 503}, "429": {Status: 429}, "garbage": {Garbage: true},
	} {
		s := newStand(t, emulator.ExportKnobs{})
		d := s.conversationDataset()
		s.w.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
			if r.Method == http.MethodPost {
				return wrong
			}
			return nil
		})
		if _, _, err := s.enqueueJob(d); err == nil {
			t.Errorf("%s: taken", name)
		}
		if n := s.countRequests("POST", "/export/"); n != 1 {
			t.Errorf("%s: sent %d times", name, n)
		}
	}
}

func TestT96RefusalOfTheSixthJobIsTransient(t *testing.T) {
	t.Parallel()
	s := newStand(t, emulator.ExportKnobs{Pending: time.Minute})
	d := s.conversationDataset()
	s.w.OccupyExports(5)
	if _, _, err := s.enqueueJob(d); api.StatusOf(err) != http.StatusTooManyRequests || api.ClassOf(err) != api.ClassTransient {
		t.Errorf("%v", err)
	}
}

// TestT90TheTokenStaysWithTheAPI has the files on other hosts, behind redirects, and checks the requests that arrive there.
func TestT90TheTokenStaysWithTheAPI(t *testing.T) {
	t.Parallel()
	body := tarGzip(t, fileEntry("a.csv", "id\n1\n"))
	var seen []http.Header
	var other *httptest.Server
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		if strings.HasPrefix(r.URL.Path, "/_storage/") {
			http.Redirect(w, r, other.URL+"/file?signature=abc", http.StatusFound)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(other.Close)
	s := newStand(t, emulator.ExportKnobs{Storage: other.URL})
	if a, err := s.fetchExport(); err != nil || a.Rows != 1 {
		t.Fatal(err)
	}
	if len(seen) != 2 {
		t.Errorf("%d requests elsewhere", len(seen))
	}
	for _, h := range seen {
		if h.Get("Authorization") != "" || h.Get("Service-Version") != "" {
			t.Errorf("the storage was sent %v", h)
		}
	}
}

// Holds: S4, S10.
func TestT90AddressesThatLeadInsideAreRefused(t *testing.T) {
	t.Parallel()
	client, err := api.New(api.Options{BaseURL: "https://api.example.org", Token: "secret", Version: "2.17",
		FileHosts: []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "fd00:ec2::254", "0.0.0.0"}}) // naming them does not make them reachable
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, address := range []string{"http://files.example.org/x", "https://user:pass@files.example.org/x", "file:///etc/passwd", "https://127.0.0.1/x",
		"https://169.254.169.254/latest", "https://10.0.0.1/x", "https://[::1]/x", "https://[fd00:ec2::254]/x", "https://0.0.0.0/x", "https:///x"} {
		var got bytes.Buffer
		_, err := client.Download(context.Background(), api.File{Stream: exportFamily(), URL: address + "?signature=abcdef", Most: 100}, &got)
		if err == nil || got.Len() > 0 {
			t.Errorf("%s was fetched", address)
		}
		if err != nil && strings.Contains(err.Error(), "abcdef") {
			t.Errorf("the message shows the signature: %v", err)
		}
	}
}

// TestS10AFileAtAForeignHostIsAskedOfTheAPIItself has the files on a host that is not trusted. If the API does not serve the file
// itself, the error names that host.
func TestS10AFileAtAForeignHostIsAskedOfTheAPIItself(t *testing.T) {
	t.Parallel()
	s := newStand(t, emulator.ExportKnobs{Storage: "https://bucket.storage.example.net"})
	if a, err := s.fetchExport(); err != nil || a.Rows == 0 {
		t.Error(err)
	}
	s.w.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasPrefix(r.URL.Path, "/download/") {
			return &fault.Fault{Status: http.StatusFound, Header: map[string]string{"Location": "https://other.example.net/x?signature=abcdef"}}
		}
		return nil
	})
	_, err := s.fetchExport()
	var foreign *api.ForeignHost
	if !errors.As(err, &foreign) || foreign.Host != "bucket.storage.example.net" || errors.Is(err, ErrLost) || strings.Contains(err.Error(), "signature") {
		t.Errorf("%v", err)
	}
	if n := s.countRequests("GET", "/download/"); n != 2 {
		t.Errorf("the API itself was asked %d times", n)
	}
}

func TestDatasetsAreReadInEitherEnvelope(t *testing.T) {
	t.Parallel()
	s := newStand(t, emulator.ExportKnobs{})
	if d := s.conversationDataset(); d.ID != "conversation" || d.Time != "conversation.created_at" || len(d.Attributes) != 11 {
		t.Errorf("%+v", d)
	}
	for text, ids := range map[string][]string{
		`[{"id":"a","attributes":[{"id":"x"}]}]`:  {"a"},
		`{"data":[]}`:                             {},
		`{"data":null}`:                           nil,
		`{"datasets":[]}`:                         nil,
		`[{"id":"!!","attributes":[{"id":"x"}]}]`: nil,
		`[{"id":"a","attributes":[]}]`:            nil,
		`[{"id":"!!","attributes":[{"id":"x"}]},{"id":7},null,"b",{"id":"c","attributes":[]},{"id":"a","attributes":[{"id":"x"}]}]`: {"a"},
	} {
		s.w.SetKnobs(func(k *emulator.Knobs) { k.Mutate = func(string, []byte) []byte { return []byte(text) } })
		sets, _, err := s.source.Datasets(context.Background(), exportFamily())
		var got []string
		for _, d := range sets {
			got = append(got, d.ID)
		}
		if (err == nil) != (ids != nil) || !slices.Equal(got, ids) {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
}

// TestABusyDownloadKeepsItsJob has files that are refused until a minute has passed without a download, or for ever.
func TestABusyDownloadKeepsItsJob(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		always bool
		later  time.Duration // time between the first status and the download
		busy   bool          // the error does not say that the job is lost
	}{
		"429 for a minute": {status: http.StatusTooManyRequests},
		"503 for a minute": {status: http.StatusServiceUnavailable},
		"429":              {status: http.StatusTooManyRequests, always: true, busy: true},
		"500":              {status: http.StatusInternalServerError, always: true, busy: true},
		"500 a day later":  {status: http.StatusInternalServerError, always: true, later: 25 * time.Hour},
	} {
		s := newStand(t, emulator.ExportKnobs{NoURL: true})
		var last time.Time
		s.w.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
			if !strings.HasPrefix(r.URL.Path, "/download/") {
				return nil
			}
			now := s.w.CurrentTime()
			refused := test.always || now.Sub(last) < time.Minute
			if last.IsZero() {
				refused = true
			}
			if last = now; !refused {
				return nil
			}
			return &fault.Fault{Status: test.status, Header: map[string]string{"Retry-After": "60"}}
		})
		_, job, err := s.enqueueJob(s.conversationDataset())
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.source.Await(t.Context(), exportFamily(), job, false, neverPause)
		if err != nil {
			t.Fatal(err)
		}
		s.w.Advance(test.later)
		spool, err := CreateSpool(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer spool.Close()
		a, err := s.source.Fetch(t.Context(), exportFamily(), st, spool, DefaultLimits())
		busy, wait := api.Busy(err)
		if !test.always && (err != nil || a.Rows == 0 || s.countRequests("GET", "/download/") != 2) {
			t.Errorf("%s: %d downloads, %v", name, s.countRequests("GET", "/download/"), err)
		}
		if test.always && (!busy || wait != time.Minute || errors.Is(err, ErrLost) == test.busy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
