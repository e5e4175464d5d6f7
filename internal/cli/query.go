package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

func newQuery(env *Env) *cobra.Command {
	var s savedOptions
	bounds := queryLimits{memory: read.DefaultMemory}
	c := &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Ask the published file",
		Long: `Run one reading statement on the published file. It sees one instant, works while a sync runs, can reach neither
other files nor the network, and calls no function that acts. A single - reads the statement from standard input. Numbers keep all their
digits, in JSON too; of columns of one name JSON numbers the later ones: a, a_1. In CSV a ' stands before a text that a
spreadsheet would take for a formula; JSON has every text as it is. Parquet has the types of the columns.

A process of its own runs the statement. One that gives no row within --timeout, or needs more than --memory, is given up
with code 1; Ctrl-C ends it before. The answer is held in memory before its first row is written; a table of it has a million
values at most.

--saved NAME asks one of the questions that come with the program, --list tells them. Their SQL is in docs/queries.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.freshness"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"
  aqueduck query -o parquet "FROM conversations" > conversations.parquet
  aqueduck query --list
  aqueduck query --saved conversations_by_team -o csv
  aqueduck query - < question.sql`,
		Args:        s.checkArguments,
		Annotations: map[string]string{forms: "json csv parquet"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkParquet(env, c, s.list); err != nil {
				return err
			}
			if s.list {
				return printSaved(env)
			}
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			if s.name != "" {
				return answerSaved(c.Context(), env, dir, s, bounds)
			}
			statement, err := readStatement(env, args[0])
			if err != nil {
				return err
			}
			if err := writeAnswer(c.Context(), env, dir, statement, bounds); err != nil {
				return explainUnanswered(env, err)
			}
			return nil
		},
	}
	c.Flags().DurationVar(&bounds.time, "timeout", 5*time.Minute, "how long a statement may take until its first row; 0 for ever")
	c.Flags().Var(&bounds.memory, "memory", "how much memory a statement may take, its answer included")
	c.Flags().StringVar(&s.name, "saved", "", "ask this question of those that come with the program")
	c.Flags().BoolVar(&s.list, "list", false, "list the saved questions")
	c.Flags().StringVar(&s.workspace, "workspace", "", "of a saved question: the workspace that is meant (default: the first of the configuration)")
	return c
}

// checkParquet refuses to write a Parquet file where none is of use.
func checkParquet(env *Env, c *cobra.Command, list bool) error {
	switch f, ok := env.written.to.(*os.File); {
	case env.output != parquet:
		return nil
	case list:
		return usage.Errorf(c, "--output parquet: --list writes table or json or csv only")
	case ok && isTerminal(f):
		return usage.Errorf(c, "--output parquet writes a file: say where, by > answer.parquet")
	}
	return nil
}

// errTooLong is why a statement was given up.
var errTooLong = errors.New("it took too long and was given up")

// queryLimits are what a statement may take.
type queryLimits struct {
	time   time.Duration // until its first row; 0: for ever
	memory usage.Memory
}

// writeAnswer writes the rows that a statement gives, the first within a time: they are all worked out then, and writing them takes as long
// as whoever reads them.
func writeAnswer(ctx context.Context, env *Env, dir layout.Dir, statement string, b queryLimits) error {
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	isolation := read.Isolation{Program: program, Memory: int64(b.memory)}
	if b.time <= 0 {
		b.time = math.MaxInt64
	} else {
		isolation.CPU = 2*b.time + time.Minute // that of its two threads: the clock comes first, as long as this process is there
	}
	clock := time.AfterFunc(b.time, func() { end(errTooLong) })
	defer clock.Stop()
	write := writeRows
	if env.output == parquet {
		write = writeParquet
	}
	err = write(ctx, env, isolation, dir.Readable(), statement, func() { clock.Stop() })
	if err != nil && context.Cause(ctx) == errTooLong {
		return errTooLong
	}
	return err
}

func writeRows(ctx context.Context, env *Env, in read.Isolation, file, statement string, ready func()) error {
	out := render.NewRows(env.output, env.Stdout)
	err := in.Query(ctx, file, statement, func(columns []string, row []any) error {
		if row == nil {
			ready()
			return out.WriteHeader(columns)
		}
		return out.WriteRow(row)
	})
	if err != nil {
		return err
	}
	return out.FinishTable()
}

func writeParquet(ctx context.Context, env *Env, in read.Isolation, file, statement string, ready func()) error {
	return in.Parquet(ctx, file, statement, ready, env.Stdout)
}

// longest is how much of a statement is read from standard input: more is no question that a person wrote.
const longest = 1 << 20

func readStatement(env *Env, argument string) (string, error) {
	if argument != "-" {
		return strings.TrimSpace(argument), nil
	}
	text, err := io.ReadAll(io.LimitReader(env.Stdin, longest+1))
	if err != nil {
		return "", fmt.Errorf("read the statement from standard input: %w", err)
	}
	if len(text) > longest {
		return "", &problem.Problem{Class: "query", What: "the statement on standard input is longer than 1 MiB", Next: "give a shorter one"}
	}
	return strings.TrimSpace(string(text)), nil
}

// explainUnanswered says why a statement was not answered, and what helps.
func explainUnanswered(env *Env, err error) error {
	if errors.Is(err, failure.ErrNothingPublished) || errors.Is(err, failure.ErrUnreadable) {
		return err
	}
	if env.written.writeError() != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	p := &problem.Problem{Class: "query", What: "the statement was not answered", Err: err, Next: "FROM _sync.dictionary lists tables and columns"}
	var refused *read.Refused
	switch {
	case errors.Is(err, errTooLong):
		p.Next = "ask for less, or give it longer: --timeout 1h"
	case errors.Is(err, failure.ErrQueryMemory):
		p.Next = "ask for less, or give it more: --memory 8GB"
	case errors.Is(err, render.ErrTable):
		p.Next = "-o csv writes any number of rows; or ask for fewer: LIMIT 1000"
	case errors.Is(err, failure.ErrQueryRow):
		p.Next = "ask for a part of it: left(text, 1000)"
	case errors.Is(err, failure.ErrQueryFault):
		p.Next = "ask in another way; the warehouse is as it was"
	case errors.As(err, &refused):
		p.Next = "ask without it, or attach the published file in a DuckDB session of your own"
	case errors.Is(err, read.ErrReadOnly):
		p.Next = "to keep an answer, attach the published file in a DuckDB session of your own"
	}
	return p
}
