package console

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	idle         = 8 * time.Hour // without a request, a session ends
	mostSessions = 64            // the one that was idle longest makes room
)

// sessions are those who have logged in. They live in memory: another start of the program knows none of them. Only hashes are kept.
type sessions struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	seen map[[sha256.Size]byte]time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, seen: map[[sha256.Size]byte]time.Time{}}
}

// cookie is what the session's is called: that of another console on this machine has another name, since browsers do not tell ports apart.
func (c *Console) cookie() string {
	name := "aqueduck"
	if i := strings.LastIndexByte(c.o.Address, ':'); i >= 0 {
		name += "_" + strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, c.o.Address[i:])
	}
	if c.o.TLS {
		return "__Host-" + name
	}
	return name
}

// begin makes a session, with a name that nobody has chosen.
func (s *sessions) begin() string {
	name := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) >= mostSessions {
		var oldest [sha256.Size]byte
		at := s.now().Add(time.Hour)
		for key, seen := range s.seen {
			if seen.Before(at) {
				oldest, at = key, seen
			}
		}
		delete(s.seen, oldest)
	}
	s.seen[sha256.Sum256([]byte(name))] = s.now()
	return name
}

// known says whether a request has the cookie of a session, which lives on then.
func (s *sessions) known(r *http.Request, cookie string) bool {
	found, err := r.Cookie(cookie)
	if err != nil {
		return false
	}
	key := sha256.Sum256([]byte(found.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.seen[key]
	if !ok || s.now().Sub(seen) > idle {
		delete(s.seen, key)
		return false
	}
	s.seen[key] = s.now()
	return true
}

func (s *sessions) end(r *http.Request, cookie string) {
	if found, err := r.Cookie(cookie); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.seen, sha256.Sum256([]byte(found.Value)))
	}
}

// loginView is what the login page shows.
type loginView struct {
	view
	Next, Error string
}

func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	c.show(w, r, http.StatusOK, "login", &loginView{view: view{Title: "Log in"}, Next: within(r.URL.Query().Get("next"))})
}

// login makes a session of the token. Whatever session the browser had before is not gone on with.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.wrong(w, r, errForm)
		return
	}
	next := within(r.PostForm.Get("next"))
	switch c.admits(strings.TrimSpace(r.PostForm.Get("token"))) {
	case tooMany:
		c.wait(w)
		return
	case refused:
		c.show(w, r, http.StatusUnauthorized, "login", &loginView{view: view{Title: "Log in"}, Next: next, Error: "That is not this console's token."})
		return
	}
	c.sessions.end(r, c.cookie())
	c.set(w, c.sessions.begin(), 0)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	c.sessions.end(r, c.cookie())
	c.set(w, "", -1)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

func (c *Console) set(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: c.cookie(), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: c.o.TLS, SameSite: http.SameSiteStrictMode})
}

// within is a place of this console, and no other site's, whatever was asked for.
func within(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, "/login") {
		return "/"
	}
	return next
}
