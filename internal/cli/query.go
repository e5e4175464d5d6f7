package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
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
	bounds := answerOptions{time: 5 * time.Minute, memory: read.DefaultMemory}
	c := &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Query the published file with SQL",
		Long: `Run one read-only SQL statement on the published file. The statement reads one consistent snapshot, even while a sync runs. It
cannot reach other files or the network, and cannot call functions with side effects. With - the statement is read from standard
input.

JSON keeps all digits of numbers. Duplicate column names get a numeric suffix in JSON: a, a_1. CSV puts a ' before text that a
spreadsheet would evaluate as a formula; JSON leaves text unchanged. Parquet keeps the types of the columns.

On a terminal, a table shows the first 40 rows, as many columns as fit, and how many there are; long values end in …, and
doubles are rounded. --all shows everything, as does a table that is redirected. COLUMNS sets another width.

A separate process runs the statement. The statement is stopped with exit code 1 if it gives no row within --timeout or needs
more than --memory; Ctrl-C stops it too. The answer is held in memory before its first row is written. With --all, or
redirected, a table (-o table) may have at most a million values; CSV and JSON may have more.

--saved NAME runs a saved query that comes with the program; --list lists them. Their SQL is in docs/queries.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.dictionary"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"
  aqueduck query -o parquet "FROM conversations" > conversations.parquet
  aqueduck query --list
  aqueduck query --saved conversations_by_team -o csv
  aqueduck query - < question.sql`,
		Args:        s.checkArguments,
		Annotations: map[string]string{forms: "json csv parquet"},
		RunE:        func(c *cobra.Command, args []string) error { return answerQuery(c, env, args, s, bounds) },
	}
	usage.DurationVar(c.Flags(), &bounds.time, "timeout", "`duration` until the first row of a statement; 0 is no limit (default 5m)")
	c.Flags().Var(&bounds.memory, "memory", "memory limit of a statement, including its answer")
	c.Flags().BoolVar(&bounds.all, "all", false, "show all rows, columns and digits on a terminal, too")
	c.Flags().StringVar(&s.name, "saved", "", "run this saved query")
	c.Flags().BoolVar(&s.list, "list", false, "list the saved queries")
	c.Flags().StringVar(&s.workspace, "workspace", "", "workspace for a saved query (default: the first of the configuration)")
	return c
}

// fileOfSQL is an argument that is one word, and can only be meant as a file.
var fileOfSQL = regexp.MustCompile(`^[\w./-]+\.sql$`)

// answerQuery answers the statement, the saved query or --list.
func answerQuery(c *cobra.Command, env *Env, args []string, s savedOptions, o answerOptions) error {
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
		return answerSaved(c.Context(), env, dir, s, o)
	}
	if fileOfSQL.MatchString(args[0]) {
		return usage.Errorf(c, "%[1]s is a file and no statement: aqueduck query - < %[1]s", args[0])
	}
	statement, err := readStatement(env, args[0])
	if err != nil {
		return err
	}
	if err := writeAnswer(c.Context(), env, dir, statement, o); err != nil {
		return explainUnanswered(env, err)
	}
	return nil
}

// checkParquet refuses Parquet output to a terminal and for a list of queries.
func checkParquet(env *Env, c *cobra.Command, list bool) error {
	switch f, ok := env.written.to.(*os.File); {
	case env.output != parquet:
		return nil
	case list:
		return usage.Errorf(c, "--output parquet: --list supports only table, json and csv")
	case ok && isTerminal(f):
		return usage.Errorf(c, "--output parquet writes a file: redirect it, e.g. > answer.parquet")
	}
	return nil
}

// errTooLong is the reason why a statement was stopped.
var errTooLong = errors.New("it gave no row within")

// answerOptions are the limits of a statement, and how much of its answer a terminal shows.
type answerOptions struct {
	time   time.Duration // until its first row; 0: without a limit
	memory usage.Memory
	all    bool // also a terminal shows everything
}

// writeAnswer writes the rows of a statement. The time limit ends with the first row: from then on the reader of the output sets the pace.
func writeAnswer(ctx context.Context, env *Env, dir layout.Dir, statement string, b answerOptions) error {
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	isolation := read.Isolation{Program: program, Memory: int64(b.memory), Now: env.clock.Load().OfSQL}
	if b.time <= 0 {
		b.time = math.MaxInt64
	} else {
		isolation.CPU = 2*b.time + time.Minute // for its two threads; the time limit comes first unless this process ends
	}
	clock := time.AfterFunc(b.time, func() { end(errTooLong) })
	defer clock.Stop()
	ready := func() { clock.Stop() }
	if env.output == parquet {
		err = isolation.Parquet(ctx, dir.Readable(), statement, ready, env.Stdout)
	} else {
		err = writeRows(ctx, isolation, dir.Readable(), statement, ready, render.NewAnswer(env.output, env.Stdout, b.all))
	}
	if err != nil && context.Cause(ctx) == errTooLong {
		return fmt.Errorf("%w %s (--timeout) and was stopped", errTooLong, b.time)
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

// longest is the size of the longest statement that is read from standard input.
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
		return "", &problem.Problem{Class: "query", What: "the statement on standard input is longer than 1 MiB", Next: "give a shorter statement"}
	}
	return strings.TrimSpace(string(text)), nil
}

// explainUnanswered adds the cause and the next step to the error of a statement.
func explainUnanswered(env *Env, err error) error {
	if errors.Is(err, failure.ErrNothingPublished) || errors.Is(err, failure.ErrUnreadable) {
		return err
	}
	if env.written.writeError() != nil {
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
	case strings.Contains(err.Error(), "Parser Error"), strings.Contains(err.Error(), "No function matches"):
		p.Next = "correct the statement at the marked place"
	case errors.Is(err, read.ErrReadOnly), err.Error() == "empty query":
		p.Next = "give one statement that reads; to store a result, attach the published file in your own DuckDB session"
	}
	return p
}
