package apart

import (
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/runner"
	"aqueduck/internal/worker"
)

// Request is one run that a command requests from a child process: the command line of the command, which decides about output, the texts of its
// configuration files as it read them, and what to run.
type Request struct {
	Name      string         `json:"name"`
	Args      []string       `json:"args"`
	Texts     config.Texts   `json:"texts"`
	Workspace string         `json:"workspace,omitempty"` // the value of AQUEDUCK_WORKSPACE; "": that of the environment
	Pipeline  string         `json:"pipeline"`
	Options   runner.Options `json:"options"`
	Budgets   LearnedBudgets `json:"budgets"`

	Ended worker.Outcome `json:"-"` // how the run ended; the zero value: it did not begin
}

// LearnedBudgets are the request rates that were learned for each workspace. A run returns its own.
type LearnedBudgets map[string]api.LearnedPace

// BudgetsOf are the learned request rates of a configuration.
func BudgetsOf(c *config.Config) LearnedBudgets {
	all := LearnedBudgets{}
	for name, w := range c.Workspaces {
		all[name] = w.Budget.LearnedPace()
	}
	return all
}

// RestoreBudgets gives a configuration the learned request rates.
func (b LearnedBudgets) RestoreBudgets(c *config.Config) {
	for name, w := range c.Workspaces {
		w.Budget.ResumePace(b[name])
	}
}

// StopRequest tells a run why it has to end.
type StopRequest struct {
	Cancelled bool `json:"called_off"` // a person cancelled the run
	Code      int  `json:"code"`       // exit code that is recorded for an interrupted run
}
