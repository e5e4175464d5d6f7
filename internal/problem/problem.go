package problem

import (
	"context"
	"errors"
	"fmt"
	"regexp"
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
	ExitFailed      = 1 // a stream failed, or the audit found an exact error; everything else is loaded
	ExitUsage       = 2
	ExitChanges     = 2 // only of plan --detailed-exitcode: tables or columns would be added, or columns widened
	ExitConfig      = 3
	ExitRefused     = 4 // the API refuses the token
	ExitBusy        = 5 // another run holds the warehouse
	ExitBreached    = 6 // a freshness SLA is breached, a publish is held back, or published data differs from the source
	ExitInternal    = 70
	ExitHungUp      = 129
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// Problem is an error in the form that users need: its class, what happened where, and what to do next.
type Problem struct {
	Class string // usage, config, auth, plan, scope, version, not_found, transient, data, source, busy, disk, bug
	What  string
	Next  string
	Err   error
	Exit  int // 0: by the class
}

// Error says what happened and why, without the next step, in at most two kilobytes.
func (p *Problem) Error() string {
	if p.Err == nil {
		return Shorten(p.What)
	}
	return Shorten(namePathOnce(p.What + ": " + p.Err.Error()))
}

// Shorten cuts an error text to two kilobytes, and says how much it removed. An error may quote an answer or a statement of any length.
func Shorten(text string) string { return grammar.Shorten(text) }

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// NextFor returns the next step, with the name of the pipeline in which the problem happened.
func (p *Problem) NextFor(pipeline string) string {
	if p.Next != "" {
		return p.Next
	}
	return "aqueduck sync " + pipeline + " --failed"
}

// Text is the whole message: error[class], what happened, and the next step on a line of its own.
func (p *Problem) Text() string {
	text := fmt.Sprintf("error[%s] %s", p.Class, p.Error())
	if p.Next != "" {
		text += "\n     next: " + p.Next
	}
	return text
}

// ExitCode is the exit code of the program when this problem ends it.
func (p *Problem) ExitCode() int {
	if p.Exit != 0 {
		return p.Exit
	}
	switch p.Class {
	case "usage":
		return ExitUsage
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

// AsProblem gives any error of the program its class and next step. A Problem stays as it is.
func AsProblem(err error) *Problem { return Classify(err) }

// Classify returns the Problem of an error of a run: its class and next step.
func Classify(err error) *Problem {
	var problem *Problem
	if errors.As(err, &problem) {
		if problem.Error() == err.Error() {
			return problem
		}
		return &Problem{Class: problem.Class, What: FirstLine(err), Next: problem.Next, Exit: problem.Exit}
	}
	if file := classifyDatabase(err); file != nil {
		return file
	}
	var busy *layout.BusyError
	var answer *api.Error
	var mistakes grammar.Mistakes
	var held *failure.PublishBlocked
	switch {
	case errors.As(err, &held):
		return ClassifyHeldBack(held)
	case errors.As(err, &mistakes):
		return &Problem{Class: "config", What: err.Error(), Next: "correct the marked lines, then run aqueduck check"}
	case errors.As(err, &busy):
		return &Problem{Class: "busy", What: err.Error(), Next: BusyNext}
	case errors.Is(err, tombstone.ErrErasures):
		return &Problem{Class: "data", What: FirstLine(err), Exit: ExitConfig,
			Next: "restore the file from a backup, or move it away: it is then written again from the published file, with all erasures that this warehouse knows"}
	case errors.Is(err, failure.ErrNarrower):
		return &Problem{Class: "config", What: FirstLine(err), Next: "restore the old type of the column, or rename it"}
	case errors.Is(err, failure.ErrReshaped):
		return &Problem{Class: "config", What: FirstLine(err), Next: "undo the change in the stream file, or give the stream another name (stream and table names): its rows are then read again"}
	case errors.Is(err, failure.ErrQueryMemory):
		return &Problem{Class: "query", What: FirstLine(err), Next: "query fewer rows, or raise the limit on the command line: aqueduck query --memory 8GB"}
	case errors.Is(err, failure.ErrQueryRow):
		return &Problem{Class: "query", What: FirstLine(err), Next: "select a part of the value: left(text, 1000)"}
	case errors.Is(err, failure.ErrWorkMemory):
		return &Problem{Class: "data", What: FirstLine(err),
			Next: "the batch needs more memory than DuckDB may use: set warehouse: {memory: 1GB} in pipelines.yaml (default 200MB), then run the same command again; committed data is intact"}
	case errors.Is(err, failure.ErrQueryFault):
		return &Problem{Class: "query", What: FirstLine(err), Next: "rewrite or remove the SQL file that the message names; the warehouse is unchanged"}
	case errors.Is(err, failure.ErrDiskFull):
		return classifyFile(err)
	case errors.Is(err, export.ErrLost):
		return &Problem{Class: "transient", What: FirstLine(err)}
	case errors.Is(err, export.ErrFormat):
		return &Problem{Class: "data", What: FirstLine(err), Next: "nothing of the file was stored; the next run requests a new file"}
	case errors.Is(err, api.ErrRedirect):
		return &Problem{Class: "config", What: FirstLine(err), Next: "set base_url to the final address of the API; nothing was stored, the watermark did not move"}
	case errors.As(err, &answer):
		return classifyAnswer(answer, err)
	case errors.Is(err, context.Canceled):
		return &Problem{Class: "interrupted", What: "interrupted", Exit: ExitInterrupted}
	}
	return classifyFile(err)
}

// classifyDatabase returns the Problem of a work database or published file that is missing, damaged or of another version; nil for other errors.
func classifyDatabase(err error) *Problem {
	var replaced *layout.LinkReplacedError
	switch {
	case errors.Is(err, failure.ErrNothingPublished):
		return &Problem{Class: "data", What: "nothing is published yet", Next: "aqueduck sync"}
	case errors.Is(err, failure.ErrUnreadable):
		return &Problem{Class: "data", What: FirstLine(err), Next: "aqueduck sync, which publishes a new one"}
	case errors.As(err, &replaced):
		return &Problem{Class: "config", What: FirstLine(err), Next: "move this file away, then run aqueduck sync, which makes the link again; nothing is lost"}
	case errors.Is(err, layout.ErrNoSum):
		return &Problem{Class: "data", What: beginWith(failure.ErrNoWholeFile, err), Exit: ExitConfig,
			Next: "restore the missing .sha256 file, or make it again for a file that you trust (docs/recover.md), then run the same command again"}
	case errors.Is(err, failure.ErrNoWholeFile):
		return &Problem{Class: "data", What: beginWith(failure.ErrNoWholeFile, err), Exit: ExitConfig,
			Next: "restore a backup into an empty directory, with its erasures.log and hash.key, and give that directory: --dir DIR. If the file is intact, make its .sha256 again (docs/recover.md)"}
	case errors.Is(err, failure.ErrDamaged):
		return &Problem{Class: "data", What: FirstLine(err), Next: "run the same command again: it sets the damaged file aside and goes on from the published file"}
	case errors.Is(err, failure.ErrFormat):
		return &Problem{Class: "config", What: FirstLine(err), Next: "use at least the program version that last wrote this warehouse"}
	}
	return nil
}

// beginWith is the text of an error from a cause on, where it has that: whatever was being done, such as the read of a stream, is not at fault.
func beginWith(cause, err error) string {
	text := FirstLine(err)
	if at := strings.Index(text, cause.Error()); at > 0 {
		return text[at:]
	}
	return text
}

// nameDiskFirst is the text of an error about a full disk. It begins with the disk; what was being done comes last.
func nameDiskFirst(err error) string {
	full, text := failure.ErrDiskFull.Error(), err.Error()
	if errors.Is(err, failure.ErrNoRoom) {
		full = failure.ErrNoRoom.Error()
	}
	doing, why, found := strings.Cut(text, full)
	if !found {
		return full + ": " + text
	}
	if doing = strings.TrimSuffix(doing, ": "); doing == "" {
		return text
	}
	return full + why + " (" + doing + ")"
}

// classifyFile separates errors of the operating system about files from bugs of the program, which are what no other class explains.
func classifyFile(err error) *Problem {
	switch {
	case errors.Is(layout.Dir("").Explain(err), failure.ErrDiskFull): // also where the error was not wrapped yet
		return &Problem{Class: "disk", What: nameDiskFirst(err), Next: "free some space, then run the same command again; committed data is intact"}
	case failure.DiskFailed(err):
		return &Problem{Class: "disk", What: "the system cannot read or write a file: " + FirstLine(err),
			Next: "check the disk (dmesg) and the limit of open files (ulimit -n), then run the same command again; committed data is intact"}
	case failure.Forbidden(err):
		return &Problem{Class: "config", What: "this user has no permission to open a file: " + FirstLine(err), Next: "run it as the owner of the warehouse, or give that user the file with chown, or give another directory: --dir DIR"}
	}
	return &Problem{Class: "bug", What: FirstLine(err), Next: "run it again with -vv, and send the stack trace to the maintainers of the repository that you got aqueduck from; committed data is intact"}
}

// Trace describes where in the program an error comes from, for developers: the stack of a panic, or the chain of wrapped errors with their types.
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

// ClassifyHeldBack describes the rows that a blocked publish would take from readers, and the command that accepts the loss.
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

// ClassifyNotReread is ClassifyHeldBack for a work database that began from an older file: another run reads the rows again.
func ClassifyNotReread(held *failure.PublishBlocked) *Problem {
	p := ClassifyHeldBack(held)
	p.What = "the work database began from an older published file, and has not read the rest again: " + p.What
	p.Next = "aqueduck sync, which reads the rest again; only if the error stays, " + p.Next
	return p
}

// classifyAnswer maps an answer of the API to a class: who has to act.
func classifyAnswer(failure *api.Error, err error) *Problem {
	p := &Problem{Class: "transient", What: FirstLine(err)}
	switch failure.Class {
	case api.ClassAuth:
		p.Class, p.Next = "auth", "set a token that is valid for this workspace, and the address of its region, then run the same command again; no watermark moved"
	case api.ClassPlan:
		p.Class, p.Next = "plan", "request the feature for the workspace, or remove the stream from the pipeline; until then the stream is unavailable, and each run checks again"
	case api.ClassScope:
		p.Class, p.Next = "scope", "give the token the right to read this; until then the stream is unavailable, and each run checks again"
	case api.ClassNotFound:
		p.Class, p.Next = "not_found", "see which API version has it: aqueduck check --online; until then the stream is unavailable, and each run checks again"
	case api.ClassContract:
		p.Class, p.Next = "data", "run the same command again; if the error stays, correct your stream file, or send the request id to the API's support; nothing was stored, the watermark did not move"
	case api.ClassConfig:
		p.Class, p.Next = "config", "see which `page:` reads the whole list: aqueduck streams new "+failure.Method+" "+failure.Path+"; write it in the stream file; nothing was stored and no row was deleted"
	case api.ClassSource:
		p.Class, p.Next = "source", SourceNext
	}
	return p
}

// NothingStored are the words of an error of a stream that stored no row of this run.
const NothingStored = "nothing was stored"

// BusyNext is the next step when another run holds the lock of the warehouse.
const BusyNext = "wait until that run ends, or send SIGTERM to its process, then run the same command again; see its state: aqueduck status"

// SourceNext is the next step when answers of the source contradict each other. Only its support can correct that.
const SourceNext = "wait for the next run; if the error stays, send it, with its time and any request_id, to the API's support; stored data is safe, and the watermark stays"

// IsUnavailable reports whether the workspace, its API version or its token does not have what was asked for.
func IsUnavailable(err error) bool {
	switch api.ClassOf(err) {
	case api.ClassPlan, api.ClassScope, api.ClassNotFound:
		return true
	}
	return false
}

// FirstLine returns an error's text in one line, for the last line of a run and for the log. An empty line and DuckDB's marker below a line of SQL are left out.
func FirstLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && line != "^" {
			lines = append(lines, line)
		}
	}
	return namePathOnce(strings.Join(lines, "; "))
}

// pathError is how Go begins the text of an error about a file.
var pathError = regexp.MustCompile(`: (?:open|stat|lstat|mkdir|read|write|readlink|unlinkat|remove|chmod) ([^ :]+): `)

// namePathOnce removes a path from the text of an error that has named it before: "write a.yaml: open a.yaml: permission denied".
func namePathOnce(text string) string {
	found := pathError.FindStringSubmatchIndex(text)
	if found == nil {
		return text
	}
	before, path := text[:found[0]], text[found[2]:found[3]]
	if before != path && !strings.HasSuffix(before, " "+path) {
		return text
	}
	return before + ": " + text[found[1]:]
}
