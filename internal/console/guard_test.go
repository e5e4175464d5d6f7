package console

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/fleet"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// newDir returns a separate directory of a warehouse with the published file of another one.
func newDir(t *testing.T, of layout.Dir) layout.Dir {
	t.Helper()
	dir := layout.Dir(filepath.Join(t.TempDir(), "data"))
	if err := load.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	if of != "" {
		if err := os.Symlink(of.Current(), dir.Link()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestS28OnlyThisMachineCanConnect(t *testing.T) {
	t.Parallel()
	sock := filepath.Join(t.TempDir(), "c.sock")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		name  string
		place Place
		want  string // in the refusal; "": it listens
	}{
		{"loopback", Place{Address: "127.0.0.1:0"}, ""},
		{"by name", Place{Address: "localhost:0"}, ""},
		{"socket", Place{Address: "unix:" + sock}, ""},
		{"everywhere", Place{Address: "0.0.0.0:0"}, "needs TLS and a password"},
		{"everywhere, in short", Place{Address: ":0"}, "needs TLS and a password"},
		{"everywhere, version 6", Place{Address: "[::]:0"}, "needs TLS and a password"},
		{"another address", Place{Address: "192.168.1.7:8321"}, "needs TLS and a password"},
		{"a name", Place{Address: "host.example:8321"}, "--console host.example:8321"}, // by the resolver: no machine has it, or others reach it
		{"TLS alone", Place{Address: "0.0.0.0:0", Cert: "c", Key: "k"}, "needs TLS and a password"},
		{"a password alone", Place{Address: "0.0.0.0:0", Password: "p"}, "needs TLS and a password"},
		{"half of TLS", Place{Address: "127.0.0.1:0", Cert: "c"}, "a certificate and its key"},
		{"both", Place{Address: "0.0.0.0:0", Cert: "c", Key: "k", Password: "p"}, ""},
		{"no address", Place{Address: "8321"}, "--console 8321: expected an address with a port"},
		{"no address of metrics", Place{Address: "9321", flag: "--metrics"}, "--metrics 9321: expected an address with a port"},
		{"a name that nothing has", Place{Address: "no-such-host.invalid:8321"}, "no machine has the name no-such-host.invalid"},
		{"no port", Place{Address: "127.0.0.1:99999"}, "--console 127.0.0.1:99999: expected a port up to 65535"},
		{"used metrics", Place{Address: taken.Addr().String(), flag: "--metrics"}, "--metrics " + taken.Addr().String() + ": another process listens there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.place.Listen()
			if err == nil {
				defer l.Close()
			}
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
			if test.place.Address == "unix:"+sock {
				if info, err := os.Stat(sock); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("the socket is %v: %v", info, err)
				}
				if other, err := test.place.Listen(); err == nil {
					t.Error("two listen at one socket")
					_ = other.Close()
				}
			}
		})
	}
}

func TestS29NobodyLogsInWithoutTheToken(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	for _, path := range []string{"/", "/p/nightly", "/runs", "/search", "/data"} {
		if a, _ := b.sendRequest(http.MethodGet, path, nil, nil); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), "/login?next=") {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	for method, path := range map[string]string{http.MethodGet: "/api/v1/overview", http.MethodPost: "/p/nightly/run"} {
		if a, text := b.sendRequest(method, path, nil, nil); a.StatusCode != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") == "" || !strings.Contains(text, `"next": "`) {
			t.Errorf("%s: %s %s", path, a.Status, text)
		}
	}
	with := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	if a, _ := b.sendRequest(http.MethodGet, "/api/v1/overview", nil, with(secret)); a.StatusCode != http.StatusOK {
		t.Errorf("with the token: %s", a.Status)
	}
	if a, text := b.sendRequest(http.MethodGet, "/api/v1/overview", nil, with(secret[1:])); a.StatusCode != http.StatusUnauthorized || !strings.Contains(text, `"next": "`) {
		t.Errorf("with another: %s %s", a.Status, text)
	}
	// A cookie that somebody else chose never becomes a session.
	fixed := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: b.console.guard.cookieName(), Value: "chosen"}) }
	a, _ := b.sendRequest(http.MethodPost, "/login", url.Values{"token": {secret}, "next": {"//evil.test"}}, fixed)
	made := a.Cookies()
	if len(made) != 1 || made[0].Value == "chosen" || len(made[0].Value) < 20 || !made[0].HttpOnly || made[0].SameSite != http.SameSiteStrictMode || made[0].Path != "/" || a.Header.Get("Location") != "/" {
		t.Fatalf("the login gives %v, and leads to %s", made, a.Header.Get("Location"))
	}
	b.client.Jar = nil
	own := func(r *http.Request) { r.AddCookie(made[0]) }
	if a, _ := b.sendRequest(http.MethodGet, "/", nil, fixed); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the chosen cookie: %s", a.Status)
	}
	for range 3 { // each request has it live on
		if a, _ := b.sendRequest(http.MethodGet, "/", nil, own); a.StatusCode != http.StatusOK {
			t.Errorf("the session: %s", a.Status)
		}
		b.advanceClock(idle - time.Minute)
	}
	b.advanceClock(2 * time.Minute)
	if a, _ := b.sendRequest(http.MethodGet, "/", nil, own); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a session that was idle for too long: %s", a.Status)
	}
	b.loginWithSecret()
	a, _ = b.sendRequest(http.MethodPost, "/login", url.Values{"token": {secret}}, nil)
	own = func(r *http.Request) { r.AddCookie(a.Cookies()[0]) }
	b.sendRequest(http.MethodPost, "/logout", nil, own)
	if a, _ := b.sendRequest(http.MethodGet, "/", nil, own); a.StatusCode != http.StatusSeeOther {
		t.Errorf("after the logout: %s", a.Status)
	}
}

func TestS29TheTokenIsForItsOwner(t *testing.T) {
	t.Parallel()
	dir := newDir(t, "")
	first, made, err := Place{}.Secret(dir)
	if err != nil || len(first) < 20 || !made {
		t.Fatalf("%q, made %v: %v", first, made, err)
	}
	if info, err := os.Stat(TokenFile(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("it lies in %v: %v", info, err)
	}
	again, made, err := Place{}.Secret(dir)
	if err != nil || again != first || made {
		t.Errorf("the second start has %q, made %v: %v", again, made, err)
	}
	if err := os.Chmod(TokenFile(dir), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (Place{}).Secret(dir); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("one that others can read: %v", err)
	}
	password := filepath.Join(t.TempDir(), "password")
	for text, want := range map[string]string{"short": "fewer than 12", "long enough, this": ""} {
		if err := os.WriteFile(password, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := Place{Password: password}.Secret(dir)
		if want == "" && (err != nil || got != text) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestS30OnlyKnownHostsAreAnswered(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	_, port, _ := net.SplitHostPort(b.server.Listener.Addr().String())
	for _, host := range []string{"evil.test", "evil.test:" + port, "127.0.0.1", "127.1:" + port, "0x7f000001:" + port, "[::ffff:127.0.0.1]:" + port, "127.0.0.1.:" + port, "localhost:1"} {
		for _, path := range []string{"/", "/login", "/healthz", "/assets/console.css"} {
			if a, _ := b.sendRequest(http.MethodGet, path, nil, func(r *http.Request) { r.Host = host }); a.StatusCode != http.StatusMisdirectedRequest {
				t.Errorf("%s at %s: %s", path, host, a.Status)
			}
		}
	}
	c, err := net.Dial("tcp", b.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.0\r\n\r\n")
	if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 421") {
		t.Errorf("without a host: %.60s, %v", answer, err)
	}
	l, err := Place{Address: "localhost:0", Hosts: []string{"console.example"}}.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	got := strings.Join(Place{Address: "localhost:0", Hosts: []string{"console.example"}}.Names(l), " ")
	if want := strings.ReplaceAll("console.example console.example:P 127.0.0.1:P localhost:P [::1]:P", "P", port); got != want {
		t.Errorf("it goes by %s, want %s", got, want)
	}
}

// TestConsoleIsReachableThroughAProxy, which has its own TLS and passes on the host name of the browser.
func TestConsoleIsReachableThroughAProxy(t *testing.T) {
	t.Parallel()
	place := Place{Address: "127.0.0.1:0", Hosts: []string{"reports.example", "intranet.example:8443"}}
	l, err := place.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b := newBed(t, func(o *Options) { o.Hosts = append(o.Hosts, place.Names(l)...) })
	for host, want := range map[string]int{"reports.example": http.StatusOK, "intranet.example:8443": http.StatusOK, "reports.example:8443": http.StatusMisdirectedRequest} {
		for _, path := range []string{"/login", "/healthz", "/assets/console.css"} {
			if a, _ := b.sendRequest(http.MethodGet, path, nil, func(r *http.Request) { r.Host = host }); a.StatusCode != want {
				t.Errorf("%s at %s: %s", path, host, a.Status)
			}
		}
	}
	for site, want := range map[string]int{"https://reports.example": http.StatusAccepted, "https://evil.example": http.StatusForbidden} {
		a, _ := b.sendRequest(http.MethodPost, "/api/v1/reload", nil, func(r *http.Request) {
			r.Host = "reports.example"
			r.Header.Set("Origin", site)
			r.Header.Set("Authorization", "Bearer "+secret)
		})
		if a.StatusCode != want {
			t.Errorf("a button of %s: %s", site, a.Status)
		}
	}
}

func TestS31NoOtherSiteChangesAnything(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.loginWithSecret()
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"}, {"Origin": "https://evil.test"}, {"Origin": "http://127.0.0.1:1"},
	} {
		for _, path := range []string{"/p/nightly/run", "/api/v1/reload", "/login", "/logout"} {
			a, _ := b.sendRequest(http.MethodPost, path, url.Values{"token": {secret}}, func(r *http.Request) {
				for k, v := range header {
					r.Header.Set(k, v)
				}
			})
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %v: %s", path, header, a.Status)
			}
		}
	}
	for _, path := range []string{"/p/nightly/run", "/p/nightly/cancel", "/p/nightly/retry", "/reload", "/logout", "/api/v1/reload", "/api/v1/pipelines/nightly/run"} {
		if a, _ := b.sendRequest(http.MethodGet, path, nil, nil); a.StatusCode < 400 {
			t.Errorf("GET %s: %s", path, a.Status)
		}
	}
	if len(b.done) > 0 {
		t.Errorf("done: %v", b.done)
	}
	a, _ := b.sendRequest(http.MethodPost, "/p/nightly/run", nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") })
	if a.StatusCode != http.StatusSeeOther || len(b.done) != 1 {
		t.Errorf("its own: %s, %v", a.Status, b.done)
	}
}

// TestReadOnlyHasNoButtons: neither on a page nor behind one.
// Holds: S31.
func TestReadOnlyHasNoButtons(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.ReadOnly = true })
	b.loginWithSecret()
	w, _ := warehouse()
	for _, path := range []string{"/", "/p/nightly", "/runs/" + w.failed} {
		if page := b.fetchPage(path); strings.Contains(page, "formaction") || !strings.Contains(page, "read-only") {
			t.Errorf("%s has buttons", path)
		}
	}
	for _, path := range []string{"/p/nightly/run", "/p/nightly/retry", "/p/nightly/cancel", "/reload", "/api/v1/reload"} {
		if a, text := b.sendRequest(http.MethodPost, path, nil, nil); a.StatusCode != http.StatusForbidden || !strings.Contains(text, "read-only") {
			t.Errorf("%s: %s %s", path, a.Status, text)
		}
	}
	if len(b.done) > 0 {
		t.Errorf("done: %v", b.done)
	}
}

func TestS32EachAnswerHasTheHeaders(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	check := func(path string) {
		t.Helper()
		a, text := b.sendRequest(http.MethodGet, path, nil, nil)
		csp := a.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy has no %s: %s", path, part, csp)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || strings.Contains(csp, "http") {
			t.Errorf("%s: the policy lets in what it should not: %s", path, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		for _, foreign := range []string{"http://", "https://", `src="//`, "<style", " style=", " onclick", "javascript:"} {
			if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), foreign) {
				t.Errorf("%s holds %s", path, foreign)
			}
		}
	}
	check("/login")
	check("/none")
	w, _ := warehouse()
	for _, path := range []string{"/", "/none", "/p/nightly", "/runs/" + w.failed, "/freshness", "/workspaces", "/search?q=a", "/data", "/api/v1/overview", "/assets/console.js", "/assets/icon.svg", "/healthz"} {
		check(path)
	}
}

func TestS34GuessingAndFloodingAreLimited(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.IsPassword = true })
	guess := func(token string) int {
		a, _ := b.sendRequest(http.MethodPost, "/login", url.Values{"token": {token}}, nil)
		return a.StatusCode
	}
	for i := range freeTries {
		if got := guess("wrong"); got != http.StatusUnauthorized {
			t.Errorf("guess %d: %d", i, got)
		}
	}
	if got := guess(secret); got != http.StatusTooManyRequests {
		t.Errorf("after them even the right one waits: %d", got)
	}
	if got := bearerStatus(b, secret); got != http.StatusOK {
		t.Errorf("after wrong logins a program with the right token gets %d", got)
	}
	for range freeTries {
		bearerStatus(b, "wrong")
	}
	a, text := b.sendRequest(http.MethodGet, "/api/v1/overview", nil, func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") })
	if a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") != "30" || !strings.Contains(text, `"next": "wait 30 seconds"`) {
		t.Errorf("a bearer meanwhile: %s %s", a.Status, text)
	}
	b.advanceClock(pause)
	if got := guess("wrong"); got != http.StatusUnauthorized {
		t.Errorf("a guess after the pause: %d", got)
	}
	if got := guess(secret); got != http.StatusTooManyRequests {
		t.Errorf("right behind it: %d", got)
	}
	b.advanceClock(pause)
	b.loginWithSecret()
	if a, text := b.sendRequest(http.MethodPost, "/p/nightly/run", url.Values{"back": {strings.Repeat("x", longestBody)}}, nil); a.StatusCode != http.StatusBadRequest || len(b.done) > 0 {
		t.Errorf("a long body: %s %s", a.Status, text)
	}
}

// bearerStatus returns the status that a program with a token gets.
func bearerStatus(b *consoleBed, token string) int {
	a, _ := b.sendRequest(http.MethodGet, "/api/v1/overview", nil, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
	return a.StatusCode
}

// TestS34NoOneLocksOutTheRandomToken sends many wrong tokens by both ways.
func TestS34NoOneLocksOutTheRandomToken(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	for i := range 2 * freeTries {
		want := http.StatusUnauthorized
		if i >= freeTries {
			want = http.StatusTooManyRequests
		}
		if a, _ := b.sendRequest(http.MethodPost, "/login", url.Values{"token": {"wrong"}}, nil); a.StatusCode != want {
			t.Errorf("wrong login %d: %s", i, a.Status)
		}
		if got := bearerStatus(b, "wrong"); got != want {
			t.Errorf("wrong bearer %d: %d", i, got)
		}
	}
	if got := bearerStatus(b, secret); got != http.StatusOK {
		t.Errorf("the right bearer gets %d", got)
	}
	b.loginWithSecret()
}

// TestS34TheServerEndsAndIsReachedByTLS starts the server as the program does, with TLS, and ends it while a live page is open.
func TestS34TheServerEndsAndIsReachedByTLS(t *testing.T) {
	t.Parallel()
	cert, key := makeCertificate(t)
	place := Place{Address: "127.0.0.1:0", Cert: cert, Key: key}
	l, err := place.Listen()
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t, func(o *Options) { o.TLS, o.Address, o.Hosts = true, l.Addr().String(), place.Names(l) })
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.console.Serve(ctx, l, cert, key) }()
	pool := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Addr().String()+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.Header.Get("Strict-Transport-Security") == "" || !strings.HasPrefix(b.console.guard.cookieName(), "__Host-") {
		t.Errorf("headers %v, cookie %s", a.Header, b.console.guard.cookieName())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestS54NumberOfLivePagesIsLimited opens the highest allowed number: one more is refused, and succeeds after another has ended.
func TestS54NumberOfLivePagesIsLimited(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.loginWithSecret()
	open := func() (*http.Response, context.CancelFunc) {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.URL+"/api/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := b.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { leave(); _ = a.Body.Close() })
		return a, leave
	}
	a, leave := open()
	if a.StatusCode != http.StatusOK {
		t.Fatalf("the first is answered %s", a.Status)
	}
	for range mostLive - 1 {
		if a, _ := open(); a.StatusCode != http.StatusOK {
			t.Fatalf("one is answered %s", a.Status)
		}
	}
	refused, text := b.sendRequest(http.MethodGet, "/api/v1/events", nil, nil)
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") != "60" || !strings.Contains(text, `"next": "close other pages of the console"`) {
		t.Errorf("one more is answered %s: %s", refused.Status, text)
	}
	leave()
	for len(b.console.live) == mostLive {
		runtime.Gosched()
	}
	if a, _ := open(); a.StatusCode != http.StatusOK {
		t.Errorf("after one has gone, one is answered %s", a.Status)
	}
}

// makeCertificate makes a certificate for 127.0.0.1.
func makeCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestS33NoPageAcceptsSQL: the only inputs of pages are the token, a word to search, and the name of a time zone, which no SQL contains.
func TestS33NoPageAcceptsSQL(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	fields := regexp.MustCompile(`<(?:input|textarea|select)[^>]*name="(\w+)"`)
	asked := map[string]bool{}
	w, _ := warehouse()
	for _, path := range []string{"/login", "/", "/p/nightly", "/runs/" + w.failed, "/search?q=x", "/data", "/data/q/contacts_by_country"} {
		page := b.fetchPage(path)
		if strings.Contains(page, "<textarea") || strings.Contains(page, "contenteditable") {
			t.Errorf("%s has a box", path)
		}
		for _, m := range fields.FindAllStringSubmatch(page, -1) {
			asked[m[1]] = true
		}
		if path == "/login" {
			b.loginWithSecret()
		}
	}
	for name := range asked {
		if name != "token" && name != "next" && name != "q" && name != "back" && name != "zone" {
			t.Errorf("a page asks for %s", name)
		}
	}
	for _, path := range []string{"/search?q=", "/api/v1/query?sql=", "/runs/"} {
		if a, text := b.sendRequest(http.MethodGet, path+url.PathEscape("x' UNION SELECT email FROM contacts_all --"), nil, nil); strings.Contains(text, "@") {
			t.Errorf("%s: %s %s", path, a.Status, text)
		}
	}
}

// TestS35OverviewsHaveNoPersonalData: pages about pipelines and runs have no name, address or number of a person in the warehouse.
func TestS35OverviewsHaveNoPersonalData(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	persons := personTexts(t, w)
	for _, path := range []string{"/", "/p/nightly", "/runs", "/runs/" + w.failed, "/freshness", "/workspaces", "/search?q=a", "/api/v1/overview", "/api/v1/workspaces", "/api/v1/pipelines/nightly", "/api/v1/runs/" + w.failed} {
		page := b.fetchPage(path)
		for _, text := range persons {
			if strings.Contains(page, text) {
				t.Errorf("%s has %q of a person", path, text)
			}
		}
	}
}

// personTexts returns the names, addresses and numbers of all persons in the warehouse.
func personTexts(t *testing.T, w *sharedWarehouse) (all []string) {
	t.Helper()
	const query = `SELECT DISTINCT v FROM (SELECT unnest([name, email, phone, external_id]) AS v FROM contacts_all) WHERE length(v) > 4`
	err := read.Query(t.Context(), w.runner.Dir.Current(), query, func(_ []string, row []any) error {
		if row != nil {
			all = append(all, row[0].(string))
		}
		return nil
	})
	if err != nil || len(all) < 50 {
		t.Fatalf("%d texts of persons: %v", len(all), err)
	}
	return all
}

func TestS36PagesRevealNoInternals(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/vars"} {
		if a, _ := b.sendRequest(http.MethodGet, path, nil, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	b.client.Jar = nil
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ok\n"} {
		if text := b.fetchPage(path); text != want {
			t.Errorf("%s says %q", path, text)
		}
	}
	b = newBed(t, func(o *Options) { o.Dir = newDir(t, "") })
	if a, _ := b.sendRequest(http.MethodGet, "/readyz", nil, nil); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("before the first publish: %s", a.Status)
	}
	b.loginWithSecret()
	requireTexts(t, b.fetchPage("/"), "○</i> new")
}

// TestS36MetricsHaveASeparateAddress, which only this machine can reach.
func TestS36MetricsHaveASeparateAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "10.0.0.1:9321", "9321"} {
		if l, _, err := ListenMetrics(address, nil); err == nil {
			t.Errorf("%s is listened at: %v", address, l.Close())
		}
	}
	l, hosts, err := ListenMetrics("127.0.0.1:0", []string{"metrics.example"})
	if err != nil {
		t.Fatal(err)
	}
	b := loginToShared(t)
	h, err := Metrics(b.console.o.Serving, hosts, b.readClock)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ServeMetrics(ctx, l, h, nil) }()
	b.server = &httptest.Server{URL: "http://" + l.Addr().String()}
	text := b.fetchPage("/metrics")
	for _, want := range []string{"\naqueduck_configuration_ok 1\n", "\naqueduck_emulated 1\n", `aqueduck_needs{who="you"} 1`, `aqueduck_last_run_ok{pipeline="nightly"} 0`, `aqueduck_next_run_timestamp_seconds{pipeline="weekly"} 1.`,
		`aqueduck_stream_late{stream="contacts",workspace="main"} 0`, `aqueduck_stream_backfill_ratio{stream="contacts",workspace="main"} 1`, "process_open_fds ", "go_goroutines ",
		"\naqueduck_workspaces_ok 1\n", `aqueduck_workspace_seen{workspace="main"} 1`, `aqueduck_workspace_last_run_ok{workspace="main"} 0`, `aqueduck_workspace_last_run_timestamp_seconds{workspace="main"} 1.`,
		`aqueduck_workspace_last_success_timestamp_seconds{workspace="main"} 1.`, `aqueduck_workspace_data_as_of_timestamp_seconds{workspace="main"} 1.`, `aqueduck_workspace_next_run_timestamp_seconds{workspace="main"} 1.`,
		`aqueduck_workspace_running{workspace="main"} 0`, `aqueduck_workspace_needs{workspace="main"} 1`, `aqueduck_workspace_breached{workspace="main"} 0`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	unread := b.console.o.Serving
	unread.Workspaces = func(context.Context) ([]fleet.Row, error) { return nil, errors.New("no configuration") }
	lacking, err := Metrics(unread, []string{"example.com"}, b.readClock)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	lacking.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://example.com/metrics", nil))
	if said := answer.Body.String(); !strings.Contains(said, "\naqueduck_workspaces_ok 0\n") || strings.Contains(said, "aqueduck_workspace_") || !strings.Contains(said, `aqueduck_needs{who="you"} 1`) {
		t.Errorf("workspaces that cannot be read: %s", said)
	}
	w, _ := warehouse()
	for _, person := range personTexts(t, w) {
		if strings.Contains(text, person) {
			t.Errorf("the metrics have %q of a person", person)
		}
	}
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusOK, "/": http.StatusNotFound, "/debug/pprof/": http.StatusNotFound} {
		if a, _ := b.sendRequest(http.MethodGet, path, nil, nil); a.StatusCode != want {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	for host, want := range map[string]int{"evil.test": http.StatusMisdirectedRequest, "metrics.example": http.StatusOK, "metrics.example:8443": http.StatusMisdirectedRequest} {
		for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
			if a, _ := b.sendRequest(http.MethodGet, path, nil, func(r *http.Request) { r.Host = host }); a.StatusCode != want {
				t.Errorf("%s at %s: %s", path, host, a.Status)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
