package main

import (
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
neither files nor the network. A single - reads the statement from standard input.`,
		Example: `  aqueduck query "SELECT lifecycle, count(*) FROM contacts_all GROUP BY ALL"
  aqueduck query -o csv "FROM _sync.freshness"
  aqueduck query --dir demo -o json "SELECT count(*) AS contacts FROM contacts"`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			sql := args[0]
			if sql == "-" {
				text, err := io.ReadAll(io.LimitReader(a.stdin, 1<<20))
				if err != nil {
					return fmt.Errorf("read the statement from standard input: %w", err)
				}
				sql = string(text)
			}
			out := newRows(a.output, a.stdout)
			err = load.Query(c.Context(), dir.Current(), strings.TrimSpace(sql), func(columns []string, row []any) error {
				if row == nil {
					return out.columns(columns)
				}
				return out.row(row)
			})
			if err != nil {
				return &pipeline.Problem{Class: "query", What: "the statement was not answered", Err: err, Next: "FROM _sync.dictionary lists tables and columns"}
			}
			return out.end()
		},
	}
}
