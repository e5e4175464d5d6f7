package extract_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/schemas"
)

// Two pages of contacts are read from an emulated workspace, over HTTP.
func Example() {
	start := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	workspace := emulator.New(emulator.Config{Contacts: 400, Start: start})
	server := httptest.NewServer(workspace)
	defer server.Close()

	client, err := api.New(api.Options{BaseURL: server.URL, Token: api.Secret(workspace.AccessToken()), Version: "2.17", Now: workspace.CurrentTime})
	if err != nil {
		log.Fatal(err)
	}
	catalogue, err := schemas.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	contacts, _ := catalogue.Stream("contacts")

	// A run leaves out Since: it gives the State that is stored, and stores that of each page together with its records.
	reader := extract.NewReader(client, extract.Request{Stream: contacts, Since: start.AddDate(-1, 0, 0)})
	for {
		page, err := reader.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d of %d contacts, the first is %.36s…\n", len(page.Records), page.Total, page.Records[0].Raw)
	}
	// Output:
	// 150 of 233 contacts, the first is {"type":"contact","id":"67d20f3c560f…
	// 83 of 233 contacts, the first is {"type":"contact","id":"691d3a876253…
}
