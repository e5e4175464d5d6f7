package cli

import (
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/runner"
)

// oneRun is one run that `serve` requests from a child process: the command line of `serve`, which decides about output, the texts of its
// configuration files as it read them, and what to run.
type oneRun struct {
	Name     string         `json:"name"`
	Args     []string       `json:"args"`
	Texts    config.Texts   `json:"texts"`
	Pipeline string         `json:"pipeline"`
	Options  runner.Options `json:"options"`
	Budgets  learnedBudgets `json:"budgets"`
}

// learnedBudgets are the request rates that were learned for each workspace. A run returns its own.
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

// stopRequest tells a run why it has to end.
type stopRequest struct {
	Cancelled bool `json:"called_off"` // a person cancelled the run
	Code      int  `json:"code"`       // exit code that is recorded for an interrupted run
}
