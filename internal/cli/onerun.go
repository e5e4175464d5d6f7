package cli

import (
	"aqueduck/internal/config"
	"aqueduck/internal/runner"
)

// oneRun is a run that a process of its own is asked for by `serve`: the command line of that, which says how all is told, the files that
// its configuration was read from, whatever they hold by now, and what to run.
type oneRun struct {
	Name     string         `json:"name"`
	Args     []string       `json:"args"`
	Texts    config.Texts   `json:"texts"`
	Pipeline string         `json:"pipeline"`
	Options  runner.Options `json:"options"`
}

// stopped is why a run is to end.
type stopped struct {
	CalledOff bool `json:"called_off"` // somebody did not want it
	Code      int  `json:"code"`       // what an interrupted run is noted with
}
