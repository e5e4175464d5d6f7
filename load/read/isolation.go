package read

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
)

// Isolation runs statements of users on a published file in a process of its own, which can read that file and nothing
// else. A statement that crashes DuckDB, or takes all memory, is only an error here.
type Isolation struct {
	Program sandbox.Program
	Memory  int64         // bytes that the process may use; 0: DefaultMemory
	CPU     time.Duration // CPU time until the first row, without the start of the process; 0: no limit

	Now func() time.Time // what now() and the like return in statements; nil, or zero: they follow this machine's clock
}

// DefaultMemory is the default memory of such a process in bytes. DuckDB gets half of it; the other half is for what
// DuckDB does not count, such as the answer.
const DefaultMemory = 2 << 30

// LeastMemory is the memory in bytes that a process needs to start.
const LeastMemory = 256 << 20

// queryRequest is the request to a process.
type queryRequest struct {
	Path      string `json:"path"`
	Statement string `json:"statement"`
	Memory    int64  `json:"memory"` // of DuckDB

	Now time.Time `json:"now,omitzero"` // for duck.Options
}

// answerHead is the first message of an answer.
type answerHead struct {
	Names []string `json:"names"`
	Types []string `json:"types"`
}

// The kinds of messages from a process.
const (
	columnsKind = 2 // names and types, as JSON; rows follow
	rowKind     = 3
	readyKind   = 4 // the Parquet file follows
	fileKind    = 5 // a piece of a Parquet file
	wrongKind   = 6 // an error, as JSON
)

// Query is the function Query in a process of its own.
func (i Isolation) Query(ctx context.Context, path, statement string, visit func(columns []string, row []any) error) error {
	return i.QueryTyped(ctx, path, statement, func(columns, _ []string, row []any) error { return visit(columns, row) })
}

// QueryTyped is Query whose visits also get the columns' types, as DuckDB names them.
func (i Isolation) QueryTyped(ctx context.Context, path, statement string, visit func(columns, types []string, row []any) error) error {
	var head answerHead
	var row []any
	return i.runTask(ctx, "query", path, statement, func(kind byte, payload []byte) (err error) {
		if kind == columnsKind {
			if err := json.Unmarshal(payload, &head); err != nil {
				return fmt.Errorf("read the names of the columns: %w", err)
			}
			return visit(head.Names, head.Types, nil)
		}
		if row, err = readRow(row[:0], payload, len(head.Names)); err != nil {
			return fmt.Errorf("read a row: %w", err)
		}
		return visit(head.Names, head.Types, row)
	})
}

// Parquet is the function Parquet in a process of its own.
func (i Isolation) Parquet(ctx context.Context, path, statement string, ready func(), to io.Writer) error {
	return i.runTask(ctx, "parquet", path, statement, func(kind byte, payload []byte) error {
		if kind == readyKind {
			ready()
			return nil
		}
		_, err := to.Write(payload)
		return err
	})
}

func (i Isolation) runTask(ctx context.Context, task, path, statement string, take func(kind byte, payload []byte) error) error {
	if path == "" {
		return failure.ErrNothingPublished
	}
	memory := i.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	request := queryRequest{Path: path, Statement: statement, Memory: memory / 2}
	if i.Now != nil {
		request.Now = i.Now()
	}
	var wrong error
	err := i.Program.Run(ctx, task, sandbox.Limits{Memory: memory, CPU: i.CPU}, request, func(kind byte, payload []byte) error {
		if kind != wrongKind {
			return take(kind, payload)
		}
		var f sentError
		if err := json.Unmarshal(payload, &f); err != nil {
			return fmt.Errorf("read an error: %w", err)
		}
		wrong = f.originalError()
		return nil
	})
	var died *sandbox.ProcessDied
	switch {
	case wrong != nil:
		return wrong
	case errors.Is(err, sandbox.ErrTooLarge):
		return failure.ErrQueryRow
	case errors.As(err, &died) && died.OutOfMemory():
		return failure.ErrQueryMemory
	case errors.As(err, &died):
		return fmt.Errorf("%w: %w", failure.ErrQueryFault, died)
	}
	return err
}

// sentError is an error on its way between processes, with the kind that callers tell it by.
type sentError struct {
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Refused *Refused `json:"refused,omitempty"`
}

// knownErrors are the errors that callers tell apart, by their kinds between processes.
var knownErrors = map[string]error{"unreadable": failure.ErrUnreadable, "nothing": failure.ErrNothingPublished, "readonly": ErrReadOnly, "memory": failure.ErrQueryMemory, "row": failure.ErrQueryRow}

func sentErrorOf(err error) sentError {
	f := sentError{Text: err.Error()}
	if errors.As(err, &f.Refused) {
		return f
	}
	if duck.OutOfMemory(err) {
		err = failure.ErrQueryMemory
	}
	if errors.Is(err, sandbox.ErrTooLarge) {
		err = failure.ErrQueryRow
	}
	for kind, known := range knownErrors {
		if errors.Is(err, known) {
			f.Kind = kind
		}
	}
	return f
}

func (f sentError) originalError() error {
	switch known := knownErrors[f.Kind]; {
	case f.Refused != nil:
		return f.Refused
	case f.Kind == "memory" || f.Kind == "row":
		return known
	case known != nil:
		return &relayedError{f.Text, known}
	}
	return errors.New(f.Text)
}

// relayedError is an error with the text that it had in the other process.
type relayedError struct {
	text string
	kind error
}

func (t *relayedError) Error() string { return t.text }

func (t *relayedError) Unwrap() error { return t.kind }

// Tasks are the tasks that a process of Isolation or Rehearsal does.
func Tasks() map[string]sandbox.Task {
	return map[string]sandbox.Task{"query": sendErrors(answerQuery), "parquet": sendErrors(answerParquet), "rehearse": answerRehearsal}
}

// sendErrors sends the error of a task as a message, so that the caller can tell its kind.
func sendErrors(answer func(context.Context, queryRequest, *sandbox.Answer) error) sandbox.Task {
	return func(ctx context.Context, request json.RawMessage, to *sandbox.Answer) error {
		var q queryRequest
		if err := json.Unmarshal(request, &q); err != nil {
			return fmt.Errorf("read the statement: %w", err)
		}
		err := answer(ctx, q, to)
		if err == nil {
			return nil
		}
		text, err := json.Marshal(sentErrorOf(err))
		if err != nil {
			return fmt.Errorf("write an error: %w", err)
		}
		return to.Send(wrongKind, text)
	}
}

func answerQuery(ctx context.Context, q queryRequest, to *sandbox.Answer) error {
	r, err := openReader(ctx, q.Path, duck.Options{Memory: q.Memory, Now: q.Now})
	if err != nil {
		return err
	}
	var payload []byte
	err = r.queryTyped(ctx, q.Statement, func(columns, types []string, row []any) error {
		if row == nil {
			head, err := json.Marshal(answerHead{columns, types})
			return errors.Join(err, to.Send(columnsKind, head), to.Flush(), sandbox.LiftCPU())
		}
		payload = appendRow(payload[:0], row)
		return to.Send(rowKind, payload)
	})
	return errors.Join(err, r.Close())
}

func answerParquet(ctx context.Context, q queryRequest, to *sandbox.Answer) error {
	r, err := openReader(ctx, q.Path, duck.Options{Memory: q.Memory, Now: q.Now})
	if err != nil {
		return err
	}
	var unready error
	ready := func() { unready = errors.Join(to.Send(readyKind, nil), to.Flush(), sandbox.LiftCPU()) }
	err = r.exportParquet(ctx, q.Statement, ready, pieceWriter{to})
	return errors.Join(unready, err, r.Close())
}

// pieceWriter sends what is written to it as pieces of a file.
type pieceWriter struct{ to *sandbox.Answer }

func (p pieceWriter) Write(text []byte) (int, error) {
	if err := p.to.Send(fileKind, text); err != nil {
		return 0, err
	}
	return len(text), nil
}
