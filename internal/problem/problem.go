package problem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/extract/export"
	"aqueduck/internal/grammar"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// Exit codes of the program, one meaning each but for ExitChanges (docs/monitor.md).
const (
	ExitOK          = 0
	ExitFailed      = 1 // a stream failed, or the audit found something exact; the rest is loaded and safe
	ExitUsage       = 2
	ExitChanges     = 2 // of plan --detailed-exitcode alone, as such flags have it: tables or columns would come
	ExitConfig      = 3
	ExitRefused     = 4 // the API refuses the token
	ExitBusy        = 5 // another run holds the warehouse
	ExitBreached    = 6 // freshness is breached, a publish is held back, or what is published differs from its source
	ExitInternal    = 70
	ExitHungUp      = 129
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// Problem is an error as its reader needs it: what kind, what happened where, and what to do next.
type Problem struct {
	Class string // config, auth, plan, scope, version, not_found, transient, data, source, busy, disk, bug
	What  string
	Next  string
	Err   error
	Exit  int // 0: by class
}

// Error says what happened and why, without the next step, in no more than two kilobytes.
func (p *Problem) Error() string {
	if p.Err == nil {
		return Shorten(p.What)
	}
	return Shorten(p.What + ": " + p.Err.Error())
}

// mostText is how many bytes of an error are told: what an answer or a statement holds may be in it, of any length.
const mostText = 2000

// Shorten cuts the text of an error to what is told of one, two kilobytes at most, and says how much it has left out.
func Shorten(text string) string {
	if len(text) <= mostText {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes more)", strings.ToValidUTF8(text[:mostText], ""), len(text)-mostText)
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Err }

// NextFor is the step that heals the problem, for the pipeline it happened in.
func (p *Problem) NextFor(pipeline string) string {
	if p.Next != "" {
		return p.Next
	}
	return "aqueduck sync " + pipeline + " --failed"
}

// Text is the whole message: error[class] what, and the next step on a line of its own.
func (p *Problem) Text() string {
	text := fmt.Sprintf("error[%s] %s", p.Class, p.Error())
	if p.Next != "" {
		text += "\n     next: " + p.Next
	}
	return text
}

// ExitCode is what the program ends with when this problem ends it.
func (p *Problem) ExitCode() int {
	if p.Exit != 0 {
		return p.Exit
	}
	switch p.Class {
	case "config":
		return ExitConfig
	case "auth":
		return ExitRefused
	case "busy":
		return ExitBusy
	case "bug":
		return ExitInternal
	}
	return ExitFailed
}

// AsProblem gives every error of this program its class and its next step. Problems keep theirs.
func AsProblem(err error) *Problem { return Classify(err) }

// Classify makes a Problem of an error of a run: its class, and what helps.
func Classify(err error) *Problem {
	var problem *Problem
	if errors.As(err, &problem) {
		if problem.Error() == err.Error() {
			return problem
		}
		return &Problem{Class: problem.Class, What: FirstLine(err), Next: problem.Next, Exit: problem.Exit}
	}
	var busy *layout.BusyError
	var api *api.Error
	var mistakes grammar.Mistakes
	var held *failure.PublishBlocked
	switch {
	case errors.As(err, &held):
		return ClassifyHeldBack(held)
	case errors.As(err, &mistakes):
		return &Problem{Class: "config", What: err.Error(), Next: "correct the marked lines, then run aqueduck check"}
	case errors.Is(err, failure.ErrNothingPublished):
		return &Problem{Class: "data", What: "nothing is published yet", Next: "aqueduck sync"}
	case errors.Is(err, failure.ErrUnreadable):
		return &Problem{Class: "data", What: FirstLine(err),
			Next: "publish a new one: aqueduck sync; until then, open an older file in .aqueduck/published"}
	case errors.Is(err, failure.ErrNoWholeFile):
		return &Problem{Class: "data", What: FirstLine(err), Exit: ExitConfig,
			Next: "copy a backup of a published file as warehouse.duckdb into an empty directory, and give that directory: --dir DIR"}
	case errors.Is(err, failure.ErrDamaged):
		return &Problem{Class: "data", What: FirstLine(err), Next: "run the same command again: it sets the damaged file aside and goes on from the published file"}
	case errors.As(err, &busy):
		return &Problem{Class: "busy", What: err.Error(), Next: "run the same command again after that run; see its state: aqueduck status"}
	case errors.Is(err, failure.ErrFormat):
		return &Problem{Class: "config", What: FirstLine(err), Next: "use at least the program version that last wrote this warehouse"}
	case errors.Is(err, tombstone.ErrErasures):
		return &Problem{Class: "data", What: FirstLine(err), Exit: ExitConfig,
			Next: "restore the file from a backup, or move it away: it is rewritten from the published file, with all erasures that this warehouse knows"}
	case errors.Is(err, failure.ErrNarrower):
		return &Problem{Class: "config", What: FirstLine(err), Next: "restore the old type of the column, or rename it"}
	case errors.Is(err, failure.ErrQueryMemory) || errors.Is(err, failure.ErrQueryRow):
		return &Problem{Class: "query", What: FirstLine(err), Next: "query fewer rows, or use aqueduck query, which has --memory"}
	case errors.Is(err, failure.ErrWorkMemory):
		return &Problem{Class: "data", What: FirstLine(err),
			Next: "the batch needs more memory than DuckDB may use: set warehouse: {memory: 1GB} in pipelines.yaml (default 200MB), then run the same command again; committed data is intact"}
	case errors.Is(err, failure.ErrQueryFault):
		return &Problem{Class: "query", What: FirstLine(err), Next: "correct the model in the message; the warehouse is unchanged"}
	case errors.Is(err, failure.ErrDiskFull):
		return classifyFile(err)
	case errors.Is(err, export.ErrLost):
		return &Problem{Class: "transient", What: FirstLine(err)}
	case errors.Is(err, export.ErrFormat):
		return &Problem{Class: "data", What: FirstLine(err), Next: "nothing of the file was stored; the next run requests a new file"}
	case errors.As(err, &api):
		return classifyAnswer(api, err)
	case errors.Is(err, context.Canceled):
		return &Problem{Class: "interrupted", What: "interrupted", Exit: ExitInterrupted}
	}
	return classifyFile(err)
}

// classifyFile tells what the operating system says of files from faults of the program, which are what nothing else explains.
func classifyFile(err error) *Problem {
	switch {
	case errors.Is(layout.Dir("").Explain(err), failure.ErrDiskFull): // also where nobody has said so
		return &Problem{Class: "disk", What: err.Error(), Next: "free some space, then run the same command again; committed data is intact"}
	case failure.DiskFailed(err):
		return &Problem{Class: "disk", What: "the system cannot read or write a file: " + FirstLine(err),
			Next: "check the disk (dmesg) and the limit of open files (ulimit -n), then run the same command again; committed data is intact"}
	case failure.Forbidden(err):
		return &Problem{Class: "config", What: "this user has no permission to open a file: " + FirstLine(err), Next: "run it as the owner of the warehouse, or give another directory: --dir DIR"}
	}
	return &Problem{Class: "bug", What: FirstLine(err), Next: "rerun with -vv for a stack trace, and report it; committed data is intact"}
}

// Trace says where a fault of the program is, for whoever mends it: the stack of a panic, or each error in which another one was told, and
// its type.
func Trace(err error) string {
	var p *extract.PanicError
	if errors.As(err, &p) {
		return strings.TrimRight(string(p.Stack), "\n")
	}
	line := fmt.Sprintf("%T: %s", err, FirstLine(err))
	var within []error
	switch x := err.(type) {
	case interface{ Unwrap() []error }:
		within = x.Unwrap()
	case interface{ Unwrap() error }:
		if one := x.Unwrap(); one != nil {
			within = []error{one}
		}
	}
	for _, one := range within {
		line += "\n" + Trace(one)
	}
	return line
}

// ClassifyHeldBack names what a publish would take from the readers, and the command that lets it.
func ClassifyHeldBack(held *failure.PublishBlocked) *Problem {
	var tables []string
	for _, loss := range held.Losses {
		if !slices.Contains(tables, loss.Table) {
			tables = append(tables, loss.Table)
		}
	}
	return &Problem{Class: "data", Exit: ExitBreached, What: held.Error() + "; readers keep the previous file; committed data is intact",
		Next: "check the source; if the rows are really gone: aqueduck sync --accept-drop " + strings.Join(tables, ",")}
}

// classifyAnswer maps what the API answered to who has to act.
func classifyAnswer(failure *api.Error, err error) *Problem {
	p := &Problem{Class: "transient", What: FirstLine(err)}
	switch failure.Class {
	case api.ClassAuth:
		p.Class, p.Next = "auth", "set a token that is valid for this workspace, and the address of its region, then run the same command again; no watermark moved"
	case api.ClassPlan:
		p.Class, p.Next = "plan", "request the feature for the workspace; until then the stream is unavailable, and each run checks again"
	case api.ClassScope:
		p.Class, p.Next = "scope", "give the token the right to read this"
	case api.ClassNotFound:
		p.Class, p.Next = "not_found", "see which API version has it: aqueduck check --online; until then the stream is unavailable, and each run checks again"
	case api.ClassContract:
		p.Class, p.Next = "data", "the answer is not as documented; nothing of it was stored, the watermark did not move"
	case api.ClassSource:
		p.Class, p.Next = "source", SourceNext
	}
	return p
}

// SourceNext is the next step where answers of the source contradict each other: only they can change.
const SourceNext = "ask the API's support, with the request and its time; received records are stored, the watermark stays, and each run reads again until the answers agree"

// IsUnavailable says that the workspace, its API version or its token does not have what was asked for.
func IsUnavailable(err error) bool {
	switch api.ClassOf(err) {
	case api.ClassPlan, api.ClassScope, api.ClassNotFound:
		return true
	}
	return false
}

// FirstLine keeps a message on one line, as the last lines of a run and of a log need it.
func FirstLine(err error) string {
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
