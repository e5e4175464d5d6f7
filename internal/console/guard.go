package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// policy lets a page load what comes from here, and be shown nowhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// longestBody is more than any form of ours has.
const longestBody = 16 << 10

// guarded puts before the pages all that a request has to pass: each answer has the headers, whatever it is.
func (c *Console) guarded(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this request comes from another site", http.StatusForbidden)
	}))
	inner := origin.Handler(c.authenticated(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if c.o.TLS {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !slices.Contains(c.o.Hosts, r.Host) {
			http.Error(w, "this console does not go by that name: see --console-host", http.StatusMisdirectedRequest)
			return
		}
		// A writer that cannot have a deadline is one of a test.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerIn))
		r.Body = http.MaxBytesReader(w, r.Body, longestBody)
		inner.ServeHTTP(w, r)
	})
}

// open says what is shown to whoever asks: the way in, and whether the program is alive.
func open(path string) bool {
	return path == "/login" || path == "/healthz" || path == "/readyz" || strings.HasPrefix(path, "/assets/")
}

// authenticated lets through who has the token, as a bearer or by a session.
func (c *Console) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open(r.URL.Path) || c.sessions.known(r, c.cookie()) {
			next.ServeHTTP(w, r)
			return
		}
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			switch c.admits(bearer) {
			case admitted:
				next.ServeHTTP(w, r)
			case tooMany:
				w.Header().Set("Retry-After", "30")
				problem(w, http.StatusTooManyRequests, "auth", "too many wrong tokens", "wait half a minute")
			case refused:
				w.Header().Set("WWW-Authenticate", "Bearer")
				problem(w, http.StatusUnauthorized, "auth", "the token is not this console's", "send the one of .aqueduck/console.token in the warehouse's directory, or the password that it was started with")
			}
			return
		}
		if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") {
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		problem(w, http.StatusUnauthorized, "auth", "the console's token is missing", "log in, or send it as Authorization: Bearer TOKEN")
	})
}

// admission is the answer to a token.
type admission int

const (
	refused admission = iota
	admitted
	tooMany
)

// admits compares a token with the console's in a time that tells nothing. After a few wrong ones it looks at none for a while.
func (c *Console) admits(token string) admission {
	if !c.tries.allowed() {
		return tooMany
	}
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(c.o.Secret))
	if subtle.ConstantTimeCompare(a[:], b[:]) == 1 {
		c.tries.right()
		return admitted
	}
	c.tries.wrong()
	return refused
}

func (c *Console) wait(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "too many wrong tokens: wait half a minute", http.StatusTooManyRequests)
}

const (
	freeTries = 5                // wrong tokens in a row that cost nothing
	pause     = 30 * time.Second // between each two after those
)

// tries counts wrong tokens, whoever sends them: on one machine there is no telling who asks.
type tries struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	count int
	last  time.Time
}

func (t *tries) allowed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count < freeTries || t.now().Sub(t.last) >= pause
}

func (t *tries) wrong() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count, t.last = t.count+1, t.now()
}

func (t *tries) right() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count = 0
}
