package cli

import (
	"net/http"
	"testing"

	"aqueduck/load/layout"

	"aqueduck/internal/cli/emulate"
)

// TestS55EmulatorAnswersOnlyThisMachine sends requests to the emulator of a run and to emulate, under host names that resolve to them.
func TestS55EmulatorAnswersOnlyThisMachine(t *testing.T) {
	t.Parallel()
	inside, err := emulate.EmbedStill(lookupIn([]string{"EMULATOR_CONTACTS=10"}), layout.Dir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inside.Close(); err != nil {
			t.Error(err)
		}
	})
	_, served := startEmulator(t)
	for _, url := range []string{inside.BaseURL, served} {
		for host, foreign := range map[string]bool{"": false, "localhost": false, "LOCALHOST:8080": false, "127.0.0.1": false, "[::1]:80": false, "[::1]": false,
			"rebound.example": true, "rebound.example:80": true, "localhost.example": true, "127.0.0.1.example": true, "192.0.2.1": true, "localhost.": true} {
			for _, path := range []string{"/contacts", "/_emulator/now", "/_oracle/contacts", "/"} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Host = host
				a, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				if err := a.Body.Close(); err != nil {
					t.Error(err)
				}
				if (a.StatusCode == http.StatusMisdirectedRequest) != foreign {
					t.Errorf("%s%s under the name %q is answered %s", url, path, host, a.Status)
				}
			}
		}
	}
}
