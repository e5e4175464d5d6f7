package api

import (
	"sync"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state"
)

// Options is how a workspace is served.
type Options struct {
	DefaultVersion string
	VersionHeader  string
	Elsewhere      string
	RatePerMinute  int  // requests a minute; 0: none is refused
	NoLog          bool // requests are not kept for the control page
	Watch          func(control.Request)
}

// Handlers are what the routes answer with: all that is kept of a workspace, and how it is served.
type Handlers struct {
	*state.World
	Options     Options
	Controlling sync.Mutex // one control or writing request at a time
	scroll      companyScroll

	OnOperation func(name string, with []byte) ([]byte, error) // carries out an operation
}
