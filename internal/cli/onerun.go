package cli

import (
	"aqueduck/extract/api"
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
	Budgets  learnedBudgets `json:"budgets"`
}

// learnedBudgets are what is known of how fast each workspace may be asked. A run gives back what it has learned.
type learnedBudgets map[string]api.LearnedPace

func budgetsOf(c *config.Config) learnedBudgets {
	all := learnedBudgets{}
	for name, w := range c.Workspaces {
		all[name] = w.Budget.LearnedPace()
	}
	return all
}

func (b learnedBudgets) restoreBudgets(c *config.Config) {
	for name, w := range c.Workspaces {
		w.Budget.ResumePace(b[name])
	}
}

// stopRequest is why a run is to end.
type stopRequest struct {
	Cancelled bool `json:"called_off"` // somebody did not want it
	Code      int  `json:"code"`       // what an interrupted run is noted with
}
