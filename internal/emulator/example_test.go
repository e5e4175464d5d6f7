package emulator_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"aqueduck/internal/emulator"
)

// An emulated workspace is an http.Handler. Here a user signs up, and an HTTP request finds the user.
func Example() {
	start := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	workspace := emulator.New(emulator.Config{Contacts: 100, Start: start})
	server := httptest.NewServer(workspace)
	defer server.Close()

	answer, err := workspace.RunOperation("contacts.create", json.RawMessage(`{"role": "user", "set": {"name": "Zoë"}}`))
	if err != nil {
		log.Fatal(err)
	}
	var created struct{ ID string }
	if err := json.Unmarshal(answer, &created); err != nil {
		log.Fatal(err)
	}

	request, err := http.NewRequest(http.MethodGet, server.URL+"/contacts/"+created.ID, http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+workspace.AccessToken())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var contact struct{ Role, Name string }
	if err := json.NewDecoder(response.Body).Decode(&contact); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, contact.Role, contact.Name)
	// Output:
	// 200 OK user Zoë
}
