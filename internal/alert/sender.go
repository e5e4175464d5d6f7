package alert

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Sender tells. Whatever fails is logged and no more: a run does not depend on it.
type Sender struct {
	Targets []Target
	State   string // a file of what was told, so that it is told once
	Now     func() time.Time
	Wait    func(context.Context, time.Duration) error
	Log     *slog.Logger

	once   sync.Once
	client *http.Client
	mu     sync.Mutex // guards the file of what was told
}
