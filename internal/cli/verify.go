package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

func newVerify(env *Env) *cobra.Command {
	var o verify.VerifyOptions
	var accept []string
	c := &cobra.Command{
		Use:   "verify [pipeline…]",
		Short: "Read the source again and compare it with what is published",
		Long: `Read part of the source again and hold it against the published file: rows that are missing, stale, ghosts (here, and
gone at the source) or doubled, and how sure that is. What changed after a stream was last read is no difference. Small lists are
read whole; of others pages and single records are chosen by chance, so that every verification looks at other rows.

It takes no lock, writes nothing into the database, and ends with 6 when it finds a difference that nobody has accepted. It is
told best right after a sync: a record of a list without times, or one that was deleted since, cannot be told from a difference.`,
		Example: `  aqueduck verify
  aqueduck verify nightly --requests 1000 --select 'contact*'
  aqueduck verify --deep
  aqueduck verify --accept 1f2e3d4c5b6a
  aqueduck verify -o json`,
		Annotations:       map[string]string{forms: "json"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			setup, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			switch {
			case len(accept) > 0 && (o.Deep || c.Flags().Changed("requests")):
				return usage.Errorf(c, "--accept reads nothing: it goes without --deep and --requests")
			case len(accept) > 0:
				return verify.Accept(setup, accept)
			case o.Requests < 1:
				return usage.Errorf(c, "--requests is at least 1")
			}
			pipelines, err := setup.ChoosePipelines(args, runner.Options{Select: o.Select, Exclude: o.Exclude})
			if err != nil {
				return err
			}
			verified, err := verify.Verify(c.Context(), setup, pipelines, o, env.printNotice)
			if err != nil {
				return err
			}
			env.exit = verified.Exit()
			if env.output == "json" {
				return env.printJSON(verified)
			}
			if env.quiet {
				fmt.Fprintln(env.Stdout, verified.LastLine())
				return nil
			}
			render.PrintVerification(verified, env.Stdout)
			return nil
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or globs")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all but these streams: stream or pipeline.stream, names or globs")
	c.Flags().Int64Var(&o.Requests, "requests", 200, "ask at most so often")
	c.Flags().BoolVar(&o.Deep, "deep", false, "read everything again, however many requests that takes; says first how many")
	c.Flags().StringSliceVar(&accept, "accept", nil, "ids of differences that are explained: they fail no later verification")
	return c
}
