package console

import (
	"context"
	"log/slog"
	"time"

	"aqueduck/internal/fleet"
	"aqueduck/load/layout"
	"aqueduck/load/read"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/schemas"
)

// Serving has the functions of the process that serves the console. The console itself runs nothing.
type Serving struct {
	Dir     layout.Dir
	Log     *slog.Logger // of the server's errors; nil: the default log
	Config  func() (*config.Config, *schemas.Catalogue)
	Trouble func() string // why the present pipelines.yaml is not in use; "": it is
	Run     func(pipeline string, failed bool) error
	Cancel  func(pipeline string) error
	Reload  func() error

	Workspaces func(context.Context) ([]fleet.Row, error) // the state of all workspaces, whichever machine ran them last

	Isolation read.Isolation // runs queries of what users have defined in a child process
}

// Options are the options of a console. Only IsPassword, ReadOnly, TLS and Version may be empty.
type Options struct {
	Serving
	Address    string   // where it listens, in the form of --console
	Hosts      []string // every Host that a request may name, with its port
	Secret     string   // the bearer token, and the password of the login page
	IsPassword bool     // a person chose the secret, so it can be guessed
	TLS        bool
	ReadOnly   bool
	Version    string
	Given      problem.CLIFlags // flags that commands in next steps repeat
	Now        func() time.Time // clock of sessions and limits
}
