package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
)

func newErase(env *Env) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "erase CONTACT_ID",
		Short: "Erase a contact from every table and file, permanently",
		Long: `Erase the personal data of a contact, under every id that was merged into it. Personal columns become null. Its rows
of tags, notes, companies and profiles are deleted. The row of the contact keeps only id, role, lifecycle, inactive_since and
merged_into_id. All files are rewritten, also the older ones that are kept for a rollback.

A salted hash in erasures.log keeps the contact from being imported again, even if the source still has it. A summary is
printed, with -v every table and file; the certificate is stored in _sync.erasures. Shows what changes and asks for confirmation.

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
				render.PrintTouched(found, env.Stderr)
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
			switch {
			case env.output == "json":
				return env.printJSON(render.ErasureCertificates(done))
			case env.output == "table" && env.verbose == 0:
				render.PrintErased(done, env.Stdout)
				return nil
			}
			l := render.ListErased(done)
			return env.printRows(l.Columns, l.Rows)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}
