package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
	"aqueduck/load"
)

func (a *app) query() *cobra.Command {
	return &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Ask the published file",
		Long: `Run one reading statement on the published file. It sees one instant, works while a sync runs, and can reach
neither other files nor the network. A single - reads the statement from standard input. Numbers keep all their
digits, in JSON too. In CSV a ' stands before a text that a spreadsheet would take for a formula; JSON has every text as
it is.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.freshness"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"
  aqueduck query - < question.sql`,
		Args:        oneArgument("an SQL statement in quotes"),
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			statement, err := a.statement(args[0])
			if err != nil {
				return err
			}
			out := newRows(a.output, a.stdout)
			err = load.Query(c.Context(), dir.Current(), statement, func(columns []string, row []any) error {
				if row == nil {
					return out.columns(columns)
				}
				return out.row(row)
			})
			if err != nil {
				return a.unanswered(err)
			}
			return out.end()
		},
	}
}

// longest is how much of a statement is read from standard input: more is no question that a person wrote.
const longest = 1 << 20

func (a *app) statement(argument string) (string, error) {
	if argument != "-" {
		return strings.TrimSpace(argument), nil
	}
	text, err := io.ReadAll(io.LimitReader(a.stdin, longest+1))
	if err != nil {
		return "", fmt.Errorf("read the statement from standard input: %w", err)
	}
	if len(text) > longest {
		return "", &pipeline.Problem{Class: "query", What: "the statement on standard input is longer than 1 MiB", Next: "give a shorter one"}
	}
	return strings.TrimSpace(string(text)), nil
}

// unanswered says why a statement was not answered, and what helps.
func (a *app) unanswered(err error) error {
	if errors.Is(err, load.ErrNothingPublished) || errors.Is(err, load.ErrUnreadable) {
		return err
	}
	p := &pipeline.Problem{Class: "query", What: "the statement was not answered", Err: err, Next: "FROM _sync.dictionary lists tables and columns"}
	if errors.Is(err, load.ErrReadOnly) {
		p.Next = "to keep an answer, attach the published file in a DuckDB session of your own"
	}
	return p
}
