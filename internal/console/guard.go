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

// answerIn limits the time to write an answer that is not live.
const answerIn = 2 * time.Minute

// policy lets a page load only from this server, and forbids frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// longestBody limits request bodies; it is larger than any form of the console.
const longestBody = 16 << 10

// accessGuard lets through requests with the secret, and those of sessions that began with it.
type accessGuard struct {
	o        Options
	sessions *sessionStore
	logins   *tokenAttempts // of the login page
	bearers  *tokenAttempts // of programs
}

func newGuard(o Options) *accessGuard {
	return &accessGuard{o: o, sessions: newSessions(o.Now), logins: &tokenAttempts{now: o.Now}, bearers: &tokenAttempts{now: o.Now}}
}

// protectPages sets the security headers of every answer and checks host, origin, size and login of a request.
func (g *accessGuard) protectPages(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "this request comes from another site", http.StatusForbidden)
	}))
	inner := origin.Handler(g.requireLogin(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if g.o.TLS {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !slices.Contains(g.o.Hosts, r.Host) {
			http.Error(w, "the console does not accept this host name: see --console-host", http.StatusMisdirectedRequest)
			return
		}
		// Only writers of tests have no deadline.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerIn))
		r.Body = http.MaxBytesReader(w, r.Body, longestBody)
		inner.ServeHTTP(w, r)
	})
}

// isPublicPath reports whether a path needs no login: the login page with its assets, and health.
func isPublicPath(path string) bool {
	return path == "/login" || path == "/healthz" || path == "/readyz" || strings.HasPrefix(path, "/assets/")
}

// requireLogin lets through requests with the token, as a bearer token or by a session.
func (g *accessGuard) requireLogin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPublicPath(r.URL.Path) || g.sessions.hasSession(r, g.cookieName()) {
			next.ServeHTTP(w, r)
			return
		}
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			switch g.checkToken(bearer, g.bearers) {
			case admitted:
				next.ServeHTTP(w, r)
			case tooMany:
				w.Header().Set("Retry-After", "30")
				writeProblem(w, http.StatusTooManyRequests, "auth", "too many wrong tokens", "wait 30 seconds")
			case refused:
				w.Header().Set("WWW-Authenticate", "Bearer")
				writeProblem(w, http.StatusUnauthorized, "auth", "the token is wrong", "use the token in .aqueduck/console.token of the warehouse's directory, or the password that serve was started with")
			}
			return
		}
		if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") {
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeProblem(w, http.StatusUnauthorized, "auth", "the console's token is missing", "log in, or send it as Authorization: Bearer TOKEN")
	})
}

// tokenVerdict is the result of a token's check.
type tokenVerdict int

const (
	refused tokenVerdict = iota
	admitted
	tooMany
)

// checkToken compares a token with the secret in constant time. After several wrong tokens it refuses more for a while. Then a
// password must wait too, because it could be guessed. The random token has 128 bits, and is always admitted.
func (g *accessGuard) checkToken(token string, tries *tokenAttempts) tokenVerdict {
	mayTry := tries.mayTry()
	if !mayTry && g.o.IsPassword {
		return tooMany
	}
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(g.o.Secret))
	switch {
	case subtle.ConstantTimeCompare(a[:], b[:]) == 1:
		tries.resetFailures()
		return admitted
	case !mayTry:
		return tooMany
	}
	tries.recordFailure()
	return refused
}

// beginSession starts a session and ends an earlier one of the browser: an id that somebody else set must not become valid.
func (g *accessGuard) beginSession(w http.ResponseWriter, r *http.Request) {
	g.sessions.dropSession(r, g.cookieName())
	g.setCookie(w, g.sessions.startSession(), 0)
}

// endSession ends the session of a browser.
func (g *accessGuard) endSession(w http.ResponseWriter, r *http.Request) {
	g.sessions.dropSession(r, g.cookieName())
	g.setCookie(w, "", -1)
}

func (g *accessGuard) setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: g.cookieName(), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: g.o.TLS, SameSite: http.SameSiteStrictMode})
}

// cookieName returns the name of the session's cookie. It contains the port, because browsers share cookies between ports of a host.
func (g *accessGuard) cookieName() string {
	name := "aqueduck"
	if i := strings.LastIndexByte(g.o.Address, ':'); i >= 0 {
		name += "_" + strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, g.o.Address[i:])
	}
	if g.o.TLS {
		return "__Host-" + name
	}
	return name
}

func askToWait(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "30")
	http.Error(w, "too many wrong tokens: wait 30 seconds", http.StatusTooManyRequests)
}

const (
	freeTries = 5                // wrong tokens in a row without a pause
	pause     = 30 * time.Second // between any two tries after that
)

// tokenAttempts counts wrong tokens of all senders together: on one machine they cannot be told apart. The login page and
// programs are counted apart, so that nobody at the page can keep a program out.
type tokenAttempts struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	count int
	last  time.Time
}

func (t *tokenAttempts) mayTry() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count < freeTries || t.now().Sub(t.last) >= pause
}

func (t *tokenAttempts) recordFailure() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count, t.last = t.count+1, t.now()
}

func (t *tokenAttempts) resetFailures() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count = 0
}
