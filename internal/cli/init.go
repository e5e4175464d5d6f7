package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/starter"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
)

func newInit(env *Env) *cobra.Command {
	var emulated, force bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Create a pipelines.yaml",
		Long: `Create pipelines.yaml with comments and all streams, except handling_events and side_conversations, which cost a request per
conversation. hitl_events costs one, too: remove it if you do not need it. The office hours are 9 to 17 on weekdays, or
those of the emulated team: change them to yours. Also create its JSON Schema for editors, and .env.example with the variables that it names. Lines for the data
and for .env are added to .gitignore. --dir becomes warehouse.dir.

--emulator configures the embedded workspace: no account, no token, no network. Existing files are overwritten only with
--force.`,
		Example: "  aqueduck init\n  aqueduck init --emulator\n  aqueduck init -f /srv/aqueduck/pipelines.yaml",
		Args:    usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if len(env.file) != 1 {
				return usage.Errorf(c, "--file %s: init creates exactly one file", env.fileNames())
			}
			schema, err := configSchema()
			if err != nil {
				return err
			}
			files := starter.Files{Config: env.file[0], Dir: env.dir, Schema: schema, Emulated: emulated, Force: force}
			if err := files.Write(env.Stdout); err != nil {
				return err
			}
			next := "copy .env.example to .env, set its values, then: " + env.Name + " check --online"
			if emulated || env.variableOr("WORKSPACE_URL", "") == config.Emulator {
				next = env.Name + " sync nightly"
			}
			_, err = fmt.Fprintf(env.Stdout, "next: %s\n", next)
			return err
		},
	}
	c.Flags().BoolVar(&emulated, "emulator", false, "configure the embedded workspace")
	c.Flags().BoolVar(&force, "force", false, "overwrite existing files")
	return c
}
