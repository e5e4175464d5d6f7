//go:build mirror

package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
)

// restServer is a catalog by REST over an SQL catalog of this process, as much of it as the library asks for.
type restServer struct {
	t       *testing.T
	y       *yard
	behind  tableCatalog
	address string
	token   atomic.Pointer[string]                                                 // the one that is accepted; nil: none is asked for
	accepts func(token string) bool                                                // nil: token says it
	change  atomic.Pointer[func(http.ResponseWriter, *http.Request, http.Handler)] // sees each request before the server
	commits atomic.Int64
}

func newRestServer(t *testing.T, y *yard) *restServer {
	t.Helper()
	s := &restServer{t: t, y: y}
	var err error
	s.behind, err = openCatalog(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "rest.db"))
	must(t, err)
	routes := http.NewServeMux()
	routes.HandleFunc("GET /catalog/v1/config", func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("warehouse"); name != "" && name != "lake" {
			restError(w, http.StatusNotFound, "NoSuchWarehouseException", "there is no warehouse "+name)
			return
		}
		restAnswer(w, map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}})
	})
	routes.HandleFunc("GET /catalog/v1/namespaces/{namespace}", s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		properties, err := s.behind.LoadNamespaceProperties(r.Context(), name)
		return map[string]any{"namespace": name, "properties": properties}, err
	}))
	routes.HandleFunc("POST /catalog/v1/namespaces", s.answer(func(r *http.Request, _ table.Identifier) (any, error) {
		var asked struct {
			Namespace  table.Identifier
			Properties iceberg.Properties
		}
		err := json.NewDecoder(r.Body).Decode(&asked)
		if err == nil {
			err = s.behind.CreateNamespace(r.Context(), asked.Namespace, asked.Properties)
		}
		return map[string]any{"namespace": asked.Namespace, "properties": asked.Properties}, err
	}))
	routes.HandleFunc("GET /catalog/v1/namespaces/{namespace}/tables", s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		all := []map[string]any{}
		for of, err := range s.behind.ListTables(r.Context(), name) {
			if err != nil {
				return nil, err
			}
			all = append(all, map[string]any{"namespace": name, "name": of[1]})
		}
		return map[string]any{"identifiers": all}, nil
	}))
	routes.HandleFunc("POST /catalog/v1/namespaces/{namespace}/tables", s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		var asked struct {
			Name, Location string
			Schema         *iceberg.Schema
			Properties     iceberg.Properties
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return nil, err
		}
		return describe(s.behind.CreateTable(r.Context(), append(name, asked.Name), asked.Schema, catalog.WithLocation(asked.Location), catalog.WithProperties(asked.Properties)))
	}))
	const one = "/catalog/v1/namespaces/{namespace}/tables/{table}"
	routes.HandleFunc("GET "+one, s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		return describe(s.behind.LoadTable(r.Context(), name))
	}))
	routes.HandleFunc("DELETE "+one, s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		return nil, s.behind.DropTable(r.Context(), name)
	}))
	routes.HandleFunc("POST "+one, s.answer(func(r *http.Request, name table.Identifier) (any, error) {
		s.commits.Add(1)
		var asked struct {
			Requirements table.Requirements
			Updates      table.Updates
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			return nil, err
		}
		_, _, err := s.behind.CommitTable(r.Context(), name, asked.Requirements, asked.Updates)
		if err != nil {
			return nil, err
		}
		return describe(s.behind.LoadTable(r.Context(), name))
	}))
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); s.accepts != nil && !s.accepts(given) {
			restError(w, http.StatusUnauthorized, "NotAuthorizedException", "the token is unknown or expired")
			return
		}
		if token := s.token.Load(); token != nil && r.Header.Get("Authorization") != "Bearer "+*token {
			restError(w, http.StatusUnauthorized, "NotAuthorizedException", "the token is unknown or expired")
			return
		}
		routes.ServeHTTP(w, r)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if change := s.change.Load(); change != nil {
			(*change)(w, r, checked)
			return
		}
		checked.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		_ = s.behind.close()
	})
	s.address = "rest:" + server.URL + "/catalog"
	return s
}

// answer makes a handler of a function that gets the name of a namespace, or of a table.
func (s *restServer) answer(do func(*http.Request, table.Identifier) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, _, err := openObjects(r.Context(), s.y.options)
		if err != nil {
			s.t.Error(err)
			return
		}
		name := table.Identifier{r.PathValue("namespace")}
		if of := r.PathValue("table"); of != "" {
			name = append(name, of)
		}
		of, err := do(r.WithContext(ctx), name)
		switch {
		case errors.Is(err, catalog.ErrNoSuchTable), errors.Is(err, catalog.ErrNoSuchNamespace):
			restError(w, http.StatusNotFound, "NotFoundException", err.Error())
		case err != nil:
			restError(w, http.StatusConflict, "CommitFailedException", err.Error())
		case of == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			restAnswer(w, of)
		}
	}
}

func describe(t *table.Table, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"metadata-location": t.MetadataLocation(), "metadata": t.Metadata()}, nil
}

func restAnswer(w http.ResponseWriter, of any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(of) // the reader may be gone
}

func restError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	restAnswer(w, map[string]any{"error": map[string]any{"message": message, "type": kind, "code": status}})
}

// tryCatalog has nights, a dropped and a rolled back table, an older head and an erasure, with the catalog that a yard has.
func tryCatalog(t *testing.T, y *yard) {
	t.Helper()
	y.options.Store, y.options.Epoch = "s3://lake/w", 5
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}}
	if y.dir.Current() == "" {
		y.publish(first)
	}
	y.mirror()
	y.expectEqual(every...)
	reader := newFollower(y)
	for _, statements := range []string{night, "ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 9; DROP VIEW contact_counts", "UPDATE contacts SET score = 5 WHERE age = 8; CREATE TABLE later AS FROM tags"} {
		y.publish(statements)
		if r := y.mirror(); r.Changed == 0 {
			t.Errorf("after %s: %+v", statements, r)
		}
		y.expectEqual("contacts", "tags", "nothing")
		reader.follow(statements)
		if r := y.mirror(); r.Changed != 0 {
			t.Errorf("the same file: %+v", r)
		}
	}
	ctx, c, of := y.library("contacts")
	must(t, c.DropTable(ctx, table.Identifier{"ws_ws1", "tags"}))
	tx := of.NewTransaction()
	must(t, tx.RollbackToSnapshot(of.Metadata().Snapshots()[0].SnapshotID))
	_, err := tx.Commit(ctx)
	must(t, err)
	r := y.mirror()
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "was rolled back") || !strings.Contains(notes, "was gone") {
		t.Errorf("%+v", r)
	}
	y.expectEqual("contacts", "tags", "nothing", "later")
	reader.follow("rolled back")
	late := newYardAt(t, y)
	late.options.Epoch = 4
	late.publish(first)
	_, err = MirrorTables(t.Context(), late.options)
	expectProblem(t, err, "busy", "later head")
	must(t, os.WriteFile(y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n"), 0o600))
	y.publish("UPDATE contacts SET name = NULL WHERE age = 500")
	if y.find([]string{"person number 500"}) == 0 {
		t.Fatal("the test finds nothing: it proves nothing")
	}
	y.mirror()
	if found := y.find([]string{"person number 500"}); found != 0 {
		t.Errorf("%d objects have the name", found)
	}
	v, err := VerifyTables(t.Context(), y.options)
	must(t, err)
	if len(v.Differing()) > 0 || len(v.Tables) != 4 {
		t.Errorf("%+v", v)
	}
	reader.follow("after an erasure")
}

// TestACatalogByREST: nights with a catalog by REST, and its errors: no server, no catalog at the address, no such warehouse, a token that is wrong, expires, and is
// replaced in its file; tokens are in no object and no error.
// Holds: P3, P10.
func TestACatalogByREST(t *testing.T) {
	y := newYard(t)
	s := newRestServer(t, y)
	y.options.Catalog = s.address + "?warehouse=lake"
	token := "hidden-token"
	s.token.Store(&token)
	file := filepath.Join(t.TempDir(), "token")
	y.publish(first)
	fails := func(class, words string) { t.Helper(); y.requireRefused(t, class, words) }
	fails("auth", "ICEBERG_TOKEN or ICEBERG_CREDENTIAL")
	t.Setenv("ICEBERG_TOKEN", "hidden-but-wrong")
	fails("auth", "there: ICEBERG_TOKEN (")
	t.Setenv("ICEBERG_TOKEN_FILE", file)
	fails("config", "ICEBERG_TOKEN_FILE cannot be used")
	must(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	tryCatalog(t, y)

	// The token expires in the middle of a mirror, which is not repeated; and its successor is read from the file.
	y.publish(night)
	commits := s.commits.Load()
	rotates, next := false, "hidden-successor"
	expires := func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if s.commits.Load() == commits+2 && *s.token.Load() != next {
			now := next
			if s.token.Store(&now); rotates {
				must(t, os.WriteFile(file, []byte(now), 0o600))
				r.Header.Set("Authorization", "Bearer "+now) // this request was sent before
			}
		}
		server.ServeHTTP(w, r)
	}
	s.change.Store(&expires)
	fails("auth", "ICEBERG_TOKEN_FILE (")
	must(t, os.WriteFile(file, []byte("hidden-successor"), 0o600))
	y.mirror()
	y.expectEqual("contacts", "tags")
	y.publish(night + "; UPDATE contacts SET score = 7 WHERE age = 20")
	commits, rotates, next = s.commits.Load(), true, "hidden-third"
	y.mirror()
	if *s.token.Load() != next {
		t.Error("no token was replaced in the mirror: the test proves nothing")
	}
	y.expectEqual("contacts", "tags")
	if y.find([]string{"hidden"}) > 0 {
		t.Error("a token is in an object")
	}
	for address, class := range map[string]string{s.address + "?warehouse=other": "config", strings.Replace(s.address, "/catalog", "/elsewhere", 1): "config", "rest:http://127.0.0.1:1/catalog": "transient",
		strings.Replace(s.address, "http://", "http://hidden@", 1): "config", "rest:ftp://127.0.0.1/": "config"} {
		y.options.Catalog = address
		fails(class, "catalog")
	}
}

// TestALostAnswerByRESTIsNoSecondCommit has a catalog by REST do a commit and then answer with an error, another error, or a conflict, and answer with a conflict without
// doing it, for each commit of a mirror.
// Holds: P4.
func TestALostAnswerByRESTIsNoSecondCommit(t *testing.T) {
	y := newYard(t)
	s := newRestServer(t, y)
	y.options.Catalog = s.address
	y.publish(first)
	y.mirror()
	for n := int64(1); n < 9; n++ {
		y.publish(night + "; INSERT INTO tags (id) VALUES ('again')")
		at, lost := s.commits.Load()+n, false
		change := func(w http.ResponseWriter, r *http.Request, server http.Handler) {
			if lost || r.Method != http.MethodPost || s.commits.Load() != at-1 {
				server.ServeHTTP(w, r)
				return
			}
			lost = true
			if n%4 != 3 {
				server.ServeHTTP(httptest.NewRecorder(), r)
			}
			switch n % 4 {
			case 0:
				panic(http.ErrAbortHandler)
			case 1:
				restError(w, http.StatusServiceUnavailable, "ServiceUnavailableException", "later")
			default:
				restError(w, http.StatusConflict, "CommitFailedException", "it was changed")
			}
		}
		s.change.Store(&change)
		if _, err := MirrorTables(t.Context(), y.options); err != nil {
			t.Errorf("commit %d: %v", n, err)
		}
		s.change.Store(nil)
		y.expectEqual(every...)
		if r := y.mirror(); r.Changed != 0 {
			t.Errorf("commit %d: the next mirror: %+v", n, r)
		}
	}
}

// startRESTServer starts the catalog server of Apache Iceberg's own tests, on an SQLite file, and returns its address. The store has to be there.
func startRESTServer(t *testing.T) string {
	t.Helper()
	classes := os.Getenv("AQUEDUCK_REST_SERVER")
	if classes == "" {
		t.Skip("make mirror-rest runs it")
	}
	text, err := os.ReadFile(classes)
	must(t, err)
	port := freePort(t)
	c := exec.CommandContext(t.Context(), "java", "-cp", strings.TrimSpace(string(text)), "org.apache.iceberg.rest.RESTCatalogServer")
	c.Env = append(os.Environ(), "CATALOG_URI=jdbc:sqlite:"+filepath.Join(t.TempDir(), "server.db"), "CATALOG_WAREHOUSE=s3://lake/mirror", "CATALOG_IO__IMPL=org.apache.iceberg.aws.s3.S3FileIO",
		"CATALOG_S3_ENDPOINT="+os.Getenv("AWS_ENDPOINT_URL_S3"), "CATALOG_S3_PATH__STYLE__ACCESS=true", "CATALOG_CLIENT_REGION=us-east-1", "CATALOG_REST_PORT="+port,
		"AWS_REQUEST_CHECKSUM_CALCULATION=when_required")
	startServer(t, c)
	address := "rest:http://127.0.0.1:" + port
	waitForCatalog(t, address)
	return address
}

// requireRefused mirrors, and wants a problem of a class with some words, and without a secret: those of tests have "hidden" in them.
func (y *yard) requireRefused(t *testing.T, class, words string) {
	t.Helper()
	_, err := MirrorTables(t.Context(), y.options)
	expectProblem(t, err, class, words)
	if strings.Contains(fmt.Sprint(err), "hidden") {
		t.Errorf("a secret is in %v", err)
	}
}

// startServer runs a server until the test ends. A failed test shows what it printed.
func startServer(t *testing.T, c *exec.Cmd) {
	t.Helper()
	said := new(strings.Builder)
	c.Stdout, c.Stderr = said, said
	must(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
		if t.Failed() {
			t.Log(said.String())
		}
	})
}

// TestApachesCatalogByREST: the nights with a server that others wrote.
func TestApachesCatalogByREST(t *testing.T) {
	y := newYard(t)
	y.options.Catalog = startRESTServer(t)
	began := time.Now()
	tryCatalog(t, y)
	t.Logf("in %s", time.Since(began))
}
