package console

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

const (
	idle         = 8 * time.Hour // without a request, a session ends
	mostSessions = 64            // one more ends the session that was idle longest
)

// sessionStore has the sessions of users who have logged in, as hashes. They are in memory only: a restart ends them all.
type sessionStore struct {
	now func() time.Time

	mu   sync.Mutex // guards what follows
	seen map[[sha256.Size]byte]time.Time
}

func newSessions(now func() time.Time) *sessionStore {
	return &sessionStore{now: now, seen: map[[sha256.Size]byte]time.Time{}}
}

// startSession starts a session and returns its random id.
func (s *sessionStore) startSession() string {
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

// hasSession reports whether a request has the cookie of a session, and extends that session.
func (s *sessionStore) hasSession(r *http.Request, cookie string) bool {
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

func (s *sessionStore) dropSession(r *http.Request, cookie string) {
	if found, err := r.Cookie(cookie); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.seen, sha256.Sum256([]byte(found.Value)))
	}
}
