package api

import (
	"sync"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state"
)

// Options says how a workspace is served.
type Options struct {
	DefaultVersion string
	VersionHeader  string
	Elsewhere      string
	RatePerMinute  int  // requests a minute; 0: none is refused
	NoLog          bool // the control page has no log of requests
	Watch          func(control.Request)
}

// Handlers answer the routes. They have the state of a workspace and the options of serving it.
type Handlers struct {
	*state.World
	Options     Options
	Controlling sync.Mutex // serialises control requests and writing requests
	scroll      companyScroll

	OnOperation func(name string, with []byte) ([]byte, error) // carries out an operation
}
