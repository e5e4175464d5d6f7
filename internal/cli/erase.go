package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/usage"
)

func newErase(env *Env) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "erase CONTACT_ID",
		Short: "Erase a contact from every table and file, permanently",
		Long: `Erase the personal data of a contact, under every id that was merged into it. Personal columns become null. Tags, notes,
companies and profiles are deleted. The row of the contact keeps only id, role, lifecycle, inactive_since and merged_into_id.
All files are rewritten and the older ones are deleted.

A salted hash in erasures.log keeps the contact from being imported again, even if the source still has it. The certificate is
printed and stored in _sync.erasures. Shows what changes and asks for confirmation.

The next sync also erases each contact that the workspace itself has permanently deleted. erase itself needs neither token nor network.`,
		Example:           "  aqueduck erase 6453768afa5743cf87080fdb\n  aqueduck erase 6453768afa5743cf87080fdb --yes -o json",
		Args:              usage.OneArgument("a contact's id"),
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			runner, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			done, err := admin.Erase(c.Context(), runner, args[0], func(found []admin.Erased) (bool, error) {
				printTouched(env, found)
				if yes {
					return true, nil
				}
				return askConfirmation(env, "erase the contact? [y/N] ")
			})
			if err != nil {
				return err
			}
			if len(done) == 0 {
				fmt.Fprintln(env.Stderr, "nothing was erased")
				return nil
			}
			return printCertificates(env, done)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// printTouched prints what an erasure would do.
func printTouched(env *Env, found []admin.Erased) {
	for _, e := range found {
		fmt.Fprintf(env.Stderr, "workspace %s: %s\n", e.Workspace, strings.Join(e.IDs, ", "))
		if e.Rows == 0 {
			fmt.Fprintln(env.Stderr, "  no personal data is left in the tables; all files are rewritten")
		}
		for _, table := range slices.Sorted(maps.Keys(e.Tables)) {
			fmt.Fprintf(env.Stderr, "  - %s: %d rows\n", table, e.Tables[table])
		}
		fmt.Fprintf(env.Stderr, "  - %d files are rewritten or removed\n", len(e.Files))
		for _, column := range e.NotCovered {
			fmt.Fprintf(env.Stderr, "  ! %s\n", column)
		}
	}
}

// erasureCertificate is a row of _sync.erasures as JSON.
type erasureCertificate struct {
	Workspace  string           `json:"workspace"`
	Reason     string           `json:"reason"`
	Persons    []string         `json:"persons"`
	Rows       int64            `json:"rows"`
	Tables     map[string]int64 `json:"tables"`
	Files      []string         `json:"files"`
	NotCovered []string         `json:"not_covered"`
}

func printCertificates(env *Env, done []admin.Erased) error {
	if env.output == "json" {
		all := make([]erasureCertificate, len(done))
		for i, e := range done {
			all[i] = erasureCertificate{e.Workspace, e.Reason, e.Persons, e.Certificate.Rows, e.Tables, e.Files, e.NotCovered}
		}
		return env.printJSON(all)
	}
	var rows [][]any
	for _, e := range done {
		for _, table := range slices.Sorted(maps.Keys(e.Tables)) {
			rows = append(rows, []any{e.Workspace, "table", table, e.Tables[table]})
		}
		for _, name := range e.Files {
			rows = append(rows, []any{e.Workspace, "file", name, nil})
		}
		for _, name := range e.NotCovered {
			rows = append(rows, []any{e.Workspace, "not covered", name, nil})
		}
	}
	return env.printRows([]string{"workspace", "what", "name", "rows"}, rows)
}
