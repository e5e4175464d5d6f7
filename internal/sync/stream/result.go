package stream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// RecordOutcome turns the error that ended a stream into its status, class and next step. A nil error changes nothing.
func (t *Task) RecordOutcome(ctx context.Context, err error) {
	switch {
	case err == nil:
		return
	case ctx.Err() != nil:
		t.Result.Status, t.Result.Next = runlog.StatusInterrupted, t.Run.ResumeCommand()
		return
	case errors.Is(err, api.ErrBudget):
		t.Result.Cut = true
		return
	}
	found := problem.Classify(err)
	if found.Class == "auth" || errors.Is(err, t.Workspace.Lost) {
		t.Run.adviseOneWorkspace(t.Workspace, found)
	}
	if explainRequirement(t, found); found.Class == "bug" {
		t.Result.Fault = err
	}
	tellStoredRows(t, found)
	t.Result.Status = runlog.StatusFailed
	if problem.IsUnavailable(err) {
		t.Result.Status = runlog.StatusUnavailable
		t.Result.Lost = t.Workspace.Answers[t.Stream.Name] == string(runlog.StatusOK)
	}
	t.Result.Class, t.Result.Error, t.Result.Next = found.Class, found.Error(), t.Run.Runner.Given.Append(found.NextFor(t.Run.Pipeline.Name))
}

// explainRequirement replaces the next step of a refusal by the stream's requirement, where its file states one.
func explainRequirement(t *Task, p *problem.Problem) {
	needs, asked := t.Stream.Requirements, t.Workspace.Config.APIVersion
	switch {
	case p.Class == "scope" && needs.Scope != "":
		p.Next = "give the token the scope " + needs.Scope + "; until then the stream is unavailable, and each run checks again"
	case p.Class == "not_found" && config.OlderVersion(asked, needs.Version):
		p.Class = "version"
		p.Next = fmt.Sprintf("set api_version to %s or later, which has it; the workspace uses %s", needs.Version, asked)
	case p.Class == "not_found" && !t.Stream.BuiltIn:
		p.Next = "compare endpoint: in " + t.Stream.File + " with the API's documentation; until then the stream is unavailable, and each run checks again"
	case p.Class == "source" && !t.Stream.BuiltIn: // its paging may be declared wrong
		p.Next = "compare page:, endpoint: and key: in " + t.Stream.File + " with the API's documentation: aqueduck streams new proposes them; if they are right, " + p.Next
	}
}

// tellStoredRows replaces the words of an error that nothing was stored, where the stream stored rows of earlier pages in this run.
func tellStoredRows(t *Task, p *problem.Problem) {
	if t.Result.Rows == 0 {
		return
	}
	stored := term.Count(int(t.Result.Rows), "row") + " were stored"
	if t.Result.Rows == 1 {
		stored = "1 row was stored"
	}
	words := strings.NewReplacer(problem.NothingStored+", the watermark did not move", stored+" before and stay", problem.NothingStored, stored)
	p.What, p.Next = words.Replace(p.What), words.Replace(p.Next)
}
