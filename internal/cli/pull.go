package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/remote"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

func newPull(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "pull [s3://BUCKET/PREFIX]",
		Short: "Copy the published file from an object store",
		Long: `Copy the published file that another machine sent to an object store: that of warehouse.remote, or the given one, which needs no
configuration. Only what the local copy lacks is transferred, and all of it is verified. Readers keep their file until then.

The directory becomes a warehouse: query, status and the console read it. The copy has no Parquet files. docs/remote.md says where
endpoint and credentials come from.`,
		Annotations: map[string]string{forms: "json"},
		Example:     "  aqueduck pull\n  aqueduck pull s3://company-data/workspace --dir copy",
		Args:        usage.AtMostOne("a place in an object store"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg := &config.Config{Warehouse: config.Warehouse{Dir: cmp.Or(env.dir, "data")}}
			if len(args) > 0 {
				if _, err := remote.ParsePlace(args[0]); err != nil {
					return usage.Errorf(c, "%w: %s", err, remote.PlaceForm)
				}
				cfg.Warehouse.Remote = args[0]
			} else if loaded, _, err := env.loadConfig(); err != nil {
				return err
			} else {
				cfg = loaded
			}
			r := &runner.Runner{Config: cfg, Dir: layout.Dir(cfg.Warehouse.Dir), Now: env.Now, Wait: env.Wait, Log: env.newLogger()}
			pulled, err := admin.Pull(c.Context(), r)
			if err != nil {
				return err
			}
			if env.output == "json" {
				return env.printJSON(pulled)
			}
			_, err = fmt.Fprintln(env.Stdout, pulled)
			return err
		},
	}
}
