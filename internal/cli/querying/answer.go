// Package querying answers statements and saved queries from a published file, within limits, and says why one has no answer.
package querying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// Parquet is the output format that a terminal cannot show.
const Parquet = "parquet"

// errTooLong is the reason why a statement was stopped.
var errTooLong = errors.New("it gave no row within")

// Limits are the limits of a statement, and how much of its answer a terminal shows.
type Limits struct {
	Time   time.Duration // until its first row; 0: without a limit
	Memory usage.Memory
	All    bool // also a terminal shows everything
}

// Asker answers statements about a warehouse, in a separate process.
type Asker struct {
	Limits
	Dir        layout.Dir
	Output     string           // table, json, csv or parquet
	Stdout     io.Writer        // gets the rows
	WriteError func() error     // the first error of Stdout; nil if it has none
	Now        func() time.Time // what now() is in SQL
}

// Answer writes the rows of a statement. An error has a cause and a next step.
func (a Asker) Answer(ctx context.Context, statement string) error {
	if err := a.writeAnswer(ctx, statement); err != nil {
		return a.explainUnanswered(ctx, err)
	}
	return nil
}

// writeAnswer writes the rows of a statement. The time limit ends with the first row: from then on the reader of the output sets the pace.
func (a Asker) writeAnswer(ctx context.Context, statement string) error {
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	isolation := read.Isolation{Program: program, Memory: int64(a.Memory), Now: a.Now}
	if a.Time <= 0 {
		a.Time = math.MaxInt64
	} else {
		isolation.CPU = 2*a.Time + time.Minute // for its two threads; the time limit comes first unless this process ends
	}
	clock := time.AfterFunc(a.Time, func() { end(errTooLong) })
	defer clock.Stop()
	ready := func() { clock.Stop() }
	if a.Output == Parquet {
		err = isolation.Parquet(ctx, a.Dir.Readable(), statement, ready, a.Stdout)
	} else {
		err = writeRows(ctx, isolation, a.Dir.Readable(), statement, ready, render.NewAnswer(a.Output, a.Stdout, a.All))
	}
	if err != nil && context.Cause(ctx) == errTooLong {
		return fmt.Errorf("%w %s (--timeout) and was stopped", errTooLong, a.Time)
	}
	return err
}

func writeRows(ctx context.Context, in read.Isolation, file, statement string, ready func(), out render.Rows) error {
	err := in.QueryTyped(ctx, file, statement, func(columns, types []string, row []any) error {
		if row == nil {
			ready()
			return out.WriteHeader(columns, types)
		}
		return out.WriteRow(row)
	})
	if err != nil {
		return err
	}
	return out.FinishTable()
}

// namesRelation is in DuckDB's errors about a table or a column that does not exist. The dictionary helps with these.
var namesRelation = regexp.MustCompile(`Table with name|Referenced (table|column)|does not have a column named|Schema with name`)

// unknownTable finds the name in DuckDB's error about a table that does not exist.
var unknownTable = regexp.MustCompile(`Table with name (\w+) does not exist`)

// explainMissing gives the next step for a table that the program knows and the warehouse lacks: a model that failed, or the table of a built-in stream
// that no run has read; "" for others.
func (a Asker) explainMissing(ctx context.Context, text string) string {
	found := unknownTable.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	name := found[1]
	if missing, err := runlog.FindMissingModels(ctx, a.Dir); err == nil && (strings.Contains(missing, "."+name+": ") || strings.Contains(missing, `model "`+name+`" reads `)) {
		return "the last publish left this model out; see why: aqueduck status"
	}
	var elsewhere string
	if err := read.Query(ctx, a.Dir.Readable(), "SELECT min(table_schema) FROM information_schema.tables WHERE table_schema NOT LIKE '\\_%' ESCAPE '\\' AND table_name = '"+name+"'",
		func(_ []string, row []any) error {
			if len(row) > 0 && row[0] != nil {
				elsewhere = fmt.Sprint(row[0])
			}
			return nil
		}); err == nil && elsewhere != "" {
		return "with several workspaces a table needs the name of its workspace: FROM " + elsewhere + "." + name
	}
	catalogue, err := schemas.Builtin()
	if err != nil {
		return ""
	}
	if streams, err := dictionary.StreamsForRelations(catalogue, []string{name}); err == nil && len(streams) > 0 {
		return "add " + strings.Join(streams, ", ") + " to the streams of a pipeline, then: aqueduck sync"
	}
	return ""
}

// explainUnanswered adds the cause and the next step to the error of a statement.
func (a Asker) explainUnanswered(ctx context.Context, err error) error {
	if errors.Is(err, failure.ErrNothingPublished) || errors.Is(err, failure.ErrUnreadable) {
		return err
	}
	if a.WriteError() != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	p := &problem.Problem{Class: "query", What: "the statement failed", Err: err, Next: "see the tables and columns: aqueduck query \"FROM _sync.dictionary\""}
	var refused *read.Refused
	switch {
	case errors.Is(err, errTooLong):
		p.Next = "query fewer rows, or raise the limit: --timeout 1h"
	case errors.Is(err, failure.ErrQueryMemory):
		p.Next = "query fewer rows, or raise the limit: --memory 8GB"
	case errors.Is(err, render.ErrTable):
		p.Next = "use -o csv, which has no limit, or query fewer rows: LIMIT 1000"
	case errors.Is(err, failure.ErrQueryRow):
		p.Next = "select a part of the value: left(text, 1000)"
	case errors.Is(err, failure.ErrQueryFault):
		p.Next = "rewrite the statement; the warehouse is unchanged"
	case errors.As(err, &refused):
		p.Next = "remove it from the statement, or attach the published file in your own DuckDB session"
	case strings.Contains(err.Error(), "file system operations are disabled"):
		p.Next = "a query reads the published file alone: attach that file in your own DuckDB session to read others, too"
	case namesRelation.MatchString(err.Error()):
		p.Next = cmp.Or(a.explainMissing(ctx, err.Error()), p.Next)
	case strings.Contains(err.Error(), "\nLINE "):
		p.Next = "correct the statement at the marked place"
	case strings.Contains(err.Error(), "Could not convert"):
		p.Next = "correct the value in the statement"
	case errors.Is(err, read.ErrReadOnly), err.Error() == "empty query":
		p.Next = "give one statement that reads; to store a result, attach the published file in your own DuckDB session"
	}
	return p
}
