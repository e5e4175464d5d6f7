package remote

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// bucket is an object store on this machine, with one bucket.
type bucket struct {
	t         *testing.T
	address   string
	handler   http.Handler
	transport http.RoundTripper
	change    atomic.Pointer[func(http.ResponseWriter, *http.Request, http.Handler)] // sees each request before the store
	sent      atomic.Int64                                                           // bytes of all answers
}

func newBucket(t *testing.T) *bucket {
	t.Helper()
	backend := s3mem.New()
	must(t, backend.CreateBucket("lake"))
	b := &bucket{t: t}
	store := gofakes3.New(backend).Server()
	b.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &countingWriter{w, &b.sent}
		if change := b.change.Load(); change != nil {
			(*change)(w, r, store)
			return
		}
		store.ServeHTTP(w, r)
	})
	server := httptest.NewTLSServer(b.handler)
	t.Cleanup(server.Close)
	b.address, b.transport = server.URL, server.Client().Transport
	return b
}

type countingWriter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.sent.Add(int64(len(p)))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets a handler send what it has written so far.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// changing puts a function before the store; nil removes it.
func (b *bucket) changing(change func(w http.ResponseWriter, r *http.Request, store http.Handler)) {
	if change == nil {
		b.change.Store(nil)
		return
	}
	b.change.Store(&change)
}

// open returns a client of the bucket.
func (b *bucket) open() *Store {
	b.t.Helper()
	return b.openWith(b.transport)
}

// openFor returns a client that gives up a store which is silent for longer than patience.
func (b *bucket) openFor(patience time.Duration) *Store {
	b.t.Helper()
	transport, err := NewTransport(true, patience)
	must(b.t, err)
	transport.TLSClientConfig = b.transport.(*http.Transport).TLSClientConfig.Clone()
	b.t.Cleanup(transport.CloseIdleConnections)
	return b.openWith(transport)
}

func (b *bucket) openWith(transport http.RoundTripper) *Store {
	b.t.Helper()
	at, err := url.Parse(b.address)
	must(b.t, err)
	client, err := minio.New(at.Host, &minio.Options{Creds: credentials.NewStaticV4("key", "secret", ""), Secure: true, Transport: transport, Region: "us-east-1", MaxRetries: 2})
	must(b.t, err)
	return &Store{client: client, bucket: "lake", prefix: "w/", place: "s3://lake/w"}
}

// objects are the names of all objects of the store.
func (b *bucket) objects() []string {
	b.t.Helper()
	names, err := b.open().list(b.t.Context(), "")
	must(b.t, err)
	return names
}

// content is everything that is in the store.
func (b *bucket) content() string {
	b.t.Helper()
	var all strings.Builder
	for _, name := range b.objects() {
		text, _, err := b.open().read(b.t.Context(), name)
		must(b.t, err)
		all.WriteString(name + "\n" + string(text) + "\n")
	}
	return all.String()
}

// machine is a warehouse of one machine. Its published files have any content: the store does not look into them.
type machine struct {
	t     *testing.T
	dir   layout.Dir
	store *Store
}

var instant = time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)

func (b *bucket) machine() *machine {
	b.t.Helper()
	m := &machine{t: b.t, dir: layout.Dir(filepath.Join(b.t.TempDir(), "data")), store: b.open()}
	_, err := m.dir.Make()
	must(b.t, err)
	return m
}

// publish makes a published file the current one.
func (m *machine) publish(name string, content []byte) {
	m.t.Helper()
	path := filepath.Join(m.dir.Temp(), name)
	must(m.t, os.WriteFile(path, content, 0o600))
	must(m.t, layout.InstallPublished(m.dir, path, name, sumOf(content)))
}

func (m *machine) take() Taken {
	m.t.Helper()
	taken, err := m.store.Take(m.t.Context(), m.dir, instant)
	must(m.t, err)
	return taken
}

func (m *machine) send(keep int) string {
	m.t.Helper()
	note, err := m.store.Send(m.t.Context(), m.dir, layout.Retention{Keep: keep}, instant)
	must(m.t, err)
	return note
}

// expectCurrent compares the file that readers have.
func (m *machine) expectCurrent(name string, content []byte) {
	m.t.Helper()
	got, err := os.ReadFile(m.dir.Link())
	if filepath.Base(m.dir.Current()) != name || err != nil || !bytes.Equal(got, content) {
		m.t.Errorf("readers have %s with %d bytes, want %s with %d: %v", m.dir.Current(), len(got), name, len(content), err)
	}
}

// expectProblem checks the class and the words of an error.
func expectProblem(t *testing.T, err error, class, words string) {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Class != class || !strings.Contains(p.Error(), words) || p.Next == "" {
		t.Errorf("got %v, want a problem of class %s with %q and a next step", err, class, words)
	}
}

// randomBytes are different for each seed.
func randomBytes(seed uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(r.Uint32())
	}
	return content
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
