//go:build mirror

package mirror

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const oauthSecret = "hidden-secret"

// startOAuth2 starts an OAuth2 server that others wrote, which `make mirror-oauth` installs, and returns its address. Its tokens live for twelve seconds.
func startOAuth2(t *testing.T) (address string, stop func()) {
	t.Helper()
	home := os.Getenv("AQUEDUCK_OAUTH")
	if home == "" {
		t.Skip("make mirror-oauth runs it")
	}
	port := freePort(t)
	c := exec.CommandContext(t.Context(), "node", filepath.Join(home, "server.mjs"))
	c.Env = append(os.Environ(), "PORT="+port, "SECRET="+oauthSecret)
	said, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	stop = sync.OnceFunc(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	t.Cleanup(stop)
	for lines := bufio.NewScanner(said); ; {
		if !lines.Scan() {
			t.Fatalf("the server ended: %v", lines.Err())
		}
		if lines.Text() == "serving" {
			return "http://127.0.0.1:" + port, stop
		}
	}
}

// TestTokensOfAnOAuth2Server: nights with a catalog that asks an OAuth2 server about the token of each request. The mirror gets its tokens there, and new ones in the middle of a
// mirror; a wrong secret, a token without the scope, and a server that is gone are clear errors without the secret.
func TestTokensOfAnOAuth2Server(t *testing.T) {
	server, stop := startOAuth2(t)
	y := newYard(t)
	s := newRestServer(t, y)
	seen := map[string]bool{}
	var guard sync.Mutex
	s.accepts = func(token string) bool {
		answer, err := http.PostForm(server+"/token/introspection", url.Values{"client_id": {"catalog"}, "client_secret": {oauthSecret}, "token": {token}})
		if err != nil {
			t.Error(err)
			return false
		}
		defer answer.Body.Close()
		var is struct {
			Active          bool
			Scope, ClientID string
		}
		if err := json.NewDecoder(answer.Body).Decode(&is); err != nil {
			t.Error(err)
		}
		guard.Lock()
		defer guard.Unlock()
		seen[token] = true
		return is.Active && is.Scope == "catalog"
	}
	y.options.Catalog = s.address
	y.publish(first)
	fails := func(class, words string) { t.Helper(); y.requireRefused(t, class, words) }
	t.Setenv("ICEBERG_OAUTH2_SERVER_URI", server+"/token")
	fails("auth", "ICEBERG_TOKEN or ICEBERG_CREDENTIAL")
	t.Setenv("ICEBERG_CREDENTIAL", "mirror:hidden-but-wrong")
	fails("auth", "there: ICEBERG_CREDENTIAL (")
	t.Setenv("ICEBERG_CREDENTIAL", "mirror:"+oauthSecret)
	t.Setenv("ICEBERG_SCOPE", "other")
	fails("auth", "ICEBERG_CREDENTIAL")
	t.Setenv("ICEBERG_SCOPE", "")
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("mirror:"+oauthSecret+"\n"), 0o600))
	t.Setenv("ICEBERG_CREDENTIAL", "")
	t.Setenv("ICEBERG_CREDENTIAL_FILE", secret)
	tryCatalog(t, y)

	// Each request of a mirror waits until the token of the one before has expired.
	y.publish(night)
	guard.Lock()
	clear(seen)
	guard.Unlock()
	waits := 2
	slowly := func(w http.ResponseWriter, r *http.Request, catalog http.Handler) {
		if token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); waits > 0 && r.Method == http.MethodPost {
			waits--
			catalog.ServeHTTP(w, r)
			for s.accepts(token) {
			}
			return
		}
		catalog.ServeHTTP(w, r)
	}
	s.change.Store(&slowly)
	y.mirror()
	s.change.Store(nil)
	if len(seen) < 3 {
		t.Errorf("the mirror had %d tokens: the test proves nothing", len(seen))
	}
	y.expectEqual("contacts", "tags", "nothing")
	if y.find([]string{"hidden", oauthSecret}) > 0 {
		t.Error("a secret is in an object")
	}
	stop()
	fails("auth", "refuses the access")
}

// TestNoSecretToAServerWithoutTLS: ID and secret do not leave this machine unencrypted.
func TestNoSecretToAServerWithoutTLS(t *testing.T) {
	y := newYard(t)
	y.publish(first)
	y.options.Catalog = newRestServer(t, y).address
	t.Setenv("ICEBERG_CREDENTIAL", "mirror:"+oauthSecret)
	for address, words := range map[string]string{"http://login.example.com/token": "ICEBERG_CREDENTIAL unencrypted", "http://127.0.0.1.example.com/token": "ICEBERG_CREDENTIAL unencrypted",
		"login.example.com": "is not an address", "ftp://login.example.com/token": "is not an address"} {
		t.Setenv("ICEBERG_OAUTH2_SERVER_URI", address)
		_, err := MirrorTables(t.Context(), y.options)
		expectProblem(t, err, "config", words)
	}
}
