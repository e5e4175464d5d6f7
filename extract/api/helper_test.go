package api

import (
	"context"
	"encoding/json"
	"io"
	stdlog "log"
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

const day = 24 * time.Hour

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

func (a *fakeAPI) newClient(t testing.TB, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{BaseURL: a.URL, Token: "secret-token-of-the-tests", Version: "2.17", Now: a.Clock.Now, Wait: a.Clock.Wait}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// sweepStream is a stream with the simplest list.
func sweepStream() *schemas.Stream { return &schemas.Stream{Name: "deleted_contacts"} }

// askFirst asks for the list of deleted contacts, and gives its first record.
func askFirst(c *Client) ([]byte, error) { return askOnce(context.Background(), c) }

func askOnce(ctx context.Context, c *Client) ([]byte, error) {
	reply, err := c.Ask(ctx, Question{Stream: sweepStream(), Method: http.MethodGet, Path: "/contacts/deleted"})
	if err != nil {
		return nil, err
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(reply.Body, &list); err != nil || len(list.Data) == 0 {
		return nil, err
	}
	return list.Data[0], nil
}

// quietLogger swallows what a test's server has to say.
func quietLogger() *stdlog.Logger { return stdlog.New(io.Discard, "", 0) }
