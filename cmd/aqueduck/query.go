package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
	"aqueduck/load"
)

func (a *app) query() *cobra.Command {
	var s saved
	c := &cobra.Command{
		Use:   `query "SQL"`,
		Short: "Ask the published file",
		Long: `Run one reading statement on the published file. It sees one instant, works while a sync runs, and can reach
neither other files nor the network. A single - reads the statement from standard input. Numbers keep all their
digits, in JSON too. In CSV a ' stands before a text that a spreadsheet would take for a formula; JSON has every text as
it is.

--saved NAME asks one of the questions that come with the program, --list tells them. Their SQL is in docs/queries.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.freshness"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"
  aqueduck query --list
  aqueduck query --saved conversations_by_team -o csv
  aqueduck query - < question.sql`,
		Args:        s.arguments,
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, args []string) error {
			if s.list {
				return a.listSaved()
			}
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			if s.name != "" {
				return a.ask(c.Context(), dir, s)
			}
			statement, err := a.statement(args[0])
			if err != nil {
				return err
			}
			if err := a.answer(c.Context(), dir, statement); err != nil {
				return a.unanswered(err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&s.name, "saved", "", "ask this question of those that come with the program")
	c.Flags().BoolVar(&s.list, "list", false, "list the saved questions")
	c.Flags().StringVar(&s.workspace, "workspace", "", "of a saved question: the workspace that is meant (default: the first of the configuration)")
	_ = c.RegisterFlagCompletionFunc("saved", completeSaved) // it errs only where there is no such flag
	return c
}

// answer writes the rows that a statement gives.
func (a *app) answer(ctx context.Context, dir load.Dir, statement string) error {
	out := newRows(a.output, a.stdout)
	err := load.Query(ctx, dir.Readable(), statement, func(columns []string, row []any) error {
		if row == nil {
			return out.columns(columns)
		}
		return out.row(row)
	})
	if err != nil {
		return err
	}
	return out.end()
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
