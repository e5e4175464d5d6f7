package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/querying"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
	"aqueduck/load/read"
)

func newQuery(env *Env) *cobra.Command {
	var s savedOptions
	limits := querying.Limits{Time: 5 * time.Minute, Memory: read.DefaultMemory}
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

--saved NAME runs a saved query that comes with the program; --list lists them. With --sql its SQL is printed instead of its answer.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.dictionary"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"
  aqueduck query -o parquet "FROM conversations" > conversations.parquet
  aqueduck query --list
  aqueduck query --saved conversations_by_team -o csv
  aqueduck query --saved conversations_by_team --sql
  aqueduck query - < question.sql`,
		Args:        s.checkArguments,
		Annotations: map[string]string{forms: "json csv parquet"},
		RunE:        func(c *cobra.Command, args []string) error { return answerQuery(c, env, args, s, limits) },
	}
	usage.DurationVar(c.Flags(), &limits.Time, "timeout", "`duration` until the first row of a statement; 0 is no limit (default 5m)")
	c.Flags().Var(&limits.Memory, "memory", "memory limit of a statement, including its answer")
	c.Flags().BoolVar(&limits.All, "all", false, "show all rows, columns and digits on a terminal, too")
	c.Flags().StringVar(&s.name, "saved", "", "run this saved query")
	c.Flags().BoolVar(&s.list, "list", false, "list the saved queries")
	c.Flags().BoolVar(&s.sql, "sql", false, "print the SQL of the saved query, and do not run it")
	c.Flags().StringVar(&s.workspace, "workspace", "", "workspace for a saved query (default: the first of the configuration)")
	return c
}

// fileOfSQL is an argument that is one word, and can only be meant as a file.
var fileOfSQL = regexp.MustCompile(`^[\w./-]+\.sql$`)

// answerQuery answers the statement, the saved query or --list.
func answerQuery(c *cobra.Command, env *Env, args []string, s savedOptions, limits querying.Limits) error {
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
	asker := querying.Asker{Limits: limits, Dir: dir, Output: env.output, Stdout: env.Stdout, WriteError: env.written.writeError, Now: env.clock.Load().OfSQL}
	if s.name != "" {
		schema, err := schemaOf(env, s.workspace)
		if err != nil {
			return err
		}
		if s.sql {
			return asker.PrintSaved(s.name, schema)
		}
		return asker.AnswerSaved(c.Context(), s.name, schema)
	}
	if fileOfSQL.MatchString(args[0]) {
		return usage.Errorf(c, "%[1]s is a file and no statement: aqueduck query - < %[1]s", args[0])
	}
	statement, err := readStatement(env, args[0])
	if err != nil {
		return err
	}
	return asker.Answer(c.Context(), statement)
}

// checkParquet refuses Parquet output to a terminal and for a list of queries.
func checkParquet(env *Env, c *cobra.Command, list bool) error {
	switch f, ok := env.written.to.(*os.File); {
	case env.output != querying.Parquet:
		return nil
	case list:
		return usage.Errorf(c, "--output parquet: --list supports only table, json and csv")
	case ok && isTerminal(f):
		return usage.Errorf(c, "--output parquet writes a file: redirect it, e.g. > answer.parquet")
	}
	return nil
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
