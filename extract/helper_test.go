package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// noon is where the tests' clocks stand.
var noon = apitest.Noon

// fakeAPI is a server that answers as a test says.
type fakeAPI struct{ *apitest.Server }

func serveAPI(t testing.TB, handle func(w http.ResponseWriter, r *http.Request, body string)) *fakeAPI {
	return &fakeAPI{apitest.Serve(t, handle)}
}

func (a *fakeAPI) newClient(t testing.TB, change ...func(*api.Options)) *api.Client {
	t.Helper()
	o := api.Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.Clock.Now, Wait: a.Clock.Wait}
	for _, f := range change {
		f(&o)
	}
	c, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

const (
	errClient   = `400 {"type":"error.list","request_id":"r1","errors":[{"code":"client_error","message":"bad cursor"}]}`
	errNotFound = `404 {"type":"error.list","request_id":"r1","errors":[{"code":"not_found","message":"none"}]}`
)

var paramX = schemas.Param{Name: "x", Value: "1"}

func searchStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contacts", Table: "contacts", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "POST", Path: "/contacts/search", Records: []string{"data"},
			Page:  schemas.Page{By: "cursor", In: "body", Size: 150},
			Since: schemas.Since{By: "search", Field: "updated_at", Lag: 15 * time.Minute, Overlap: 48 * time.Hour},
		},
	}
}

func sweepStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "deleted_contacts", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/deleted", Records: []string{"data"},
			Page: schemas.Page{By: "number", In: "query", Size: 150}, Since: schemas.Since{By: "full"},
		},
	}
}

func feedStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contact_activities", Key: []string{"id"},
		Columns: []schemas.Column{{Name: "id", From: []string{"id"}}},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/activities", Records: []string{"data"},
			Page: schemas.Page{By: "cursor", In: "query", Size: 150}, Since: schemas.Since{By: "bookmark"},
		},
	}
}

func overStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "contacts_by_id", Key: []string{"id"},
		Read: schemas.Read{
			Method: "GET", Path: "/contacts/{id}", Page: schemas.Page{By: "none"},
			Since: schemas.Since{By: "full"}, Over: &schemas.Over{View: "contacts_to_read"},
		},
	}
}

// drainPhase reads to the end of a phase.
func drainPhase(t testing.TB, r *Reader) (ids []string, pages []Page) {
	t.Helper()
	ids, pages, err := tryDrain(r)
	if err != nil {
		t.Fatal(err)
	}
	return ids, pages
}

func tryDrain(r *Reader) (ids []string, pages []Page, err error) {
	for range 10_000 {
		p, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return ids, pages, nil
		}
		if err != nil {
			return ids, pages, err
		}
		pages = append(pages, p)
		for _, rec := range p.Records {
			id, _ := scan.Text(scan.Field(rec.Raw, "id"))
			if rec.Gone {
				id = "gone:" + rec.Over
			}
			ids = append(ids, id)
		}
	}
	return ids, pages, errors.New("10,000 pages and no end")
}

func lastState(pages []Page) State { return pages[len(pages)-1].State }

// contactJSON is a contact's JSON.
func contactJSON(id string, updatedAt int64) string {
	return fmt.Sprintf(`{"type":"contact","id":%q,"updated_at":%d}`, id, updatedAt)
}

// envelopeOf is a list's page.
func envelopeOf(records []string, total int, next any) string {
	pages, err := json.Marshal(map[string]any{"type": "pages", "next": next})
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"type":"list","data":[%s],"total_count":%d,"pages":%s}`, strings.Join(records, ","), total, pages)
}

// mustURL is the address of a page.
func mustURL(page, size int) *url.URL {
	return &url.URL{RawQuery: fmt.Sprintf("page=%d&per_page=%d", page, size)}
}
