package alert

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Sender sends alerts to targets. A failure is only logged, so that a run does not depend on it. It is safe for concurrent use.
type Sender struct {
	Targets []Target
	State   string           // file with the alerts that were posted, so that none is repeated within its cooldown; "": none
	Now     func() time.Time // this machine's clock, for cooldowns
	Wait    func(context.Context, time.Duration) error
	Log     *slog.Logger

	Emulated func() bool // reports whether the times of messages are those of an emulated workspace; nil: they are not

	once   sync.Once
	client *http.Client
	mu     sync.Mutex // guards the State file
}

// WithoutHistory returns a sender to the same targets that writes no file, for a run in the directory of another user.
func (s *Sender) WithoutHistory() *Sender {
	return &Sender{Targets: s.Targets, Now: s.Now, Wait: s.Wait, Log: s.Log, Emulated: s.Emulated}
}
