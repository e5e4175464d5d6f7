package console

import (
	"log/slog"
	"time"

	"aqueduck/load/layout"
	"aqueduck/load/read"

	"aqueduck/internal/config"
	"aqueduck/schemas"
)

// Serving is what the process that serves the console can tell, and do. The console itself runs nothing.
type Serving struct {
	Dir     layout.Dir
	Log     *slog.Logger // of what the server meets; nil: the process's own
	Config  func() (*config.Config, *schemas.Catalogue)
	Trouble func() string // why pipelines.yaml as it is now is not what is served; "" when it is
	Run     func(pipeline string, failed bool) error
	Cancel  func(pipeline string) error
	Reload  func() error

	Isolation read.Isolation // how what users have defined is asked
}

// Options are what a console needs. All but ReadOnly, TLS and Version are needed.
type Options struct {
	Serving
	Address  string   // where it listens, as people write it
	Hosts    []string // every Host that a request may name, with its port
	Secret   string   // the bearer token, and the password of the login page
	TLS      bool
	ReadOnly bool
	Version  string
	Now      func() time.Time // the clock of sessions and limits
}
