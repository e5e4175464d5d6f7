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
		Short: "Compare the published data with the source",
		Long: `Read part of the source again and compare it with the published file. It finds missing rows, stale rows, ghosts (rows deleted at
the source, but still here) and doubled rows (stored twice), and states how certain that is. Changes after a stream was last
read are not counted.

It also compares all Parquet files with their manifest (missing, changed and foreign files) and their rows with the published file,
unless --select or --exclude is given.

Small lists are read completely. For others, pages and single records are sampled at random, so each verification checks
different rows.

verify takes no lock and writes nothing into the database. It exits with 6 when it finds a difference that was not accepted. Run
it right after a sync: deletions since then, and changes in lists without times, look like differences.`,
		Example: `  aqueduck verify
  aqueduck verify nightly --requests 1000 --select 'contact*'
  aqueduck verify --deep
  aqueduck verify --accept 1f2e3d4c5b6a
  aqueduck verify -o json`,
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			return compareWithSource(c, env, args, o, accept)
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or globs")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all streams except these: stream or pipeline.stream, names or globs")
	c.Flags().Int64Var(&o.Requests, "requests", 200, "request budget of the verification")
	c.Flags().BoolVar(&o.Deep, "deep", false, "read everything again, without a request budget; prints the number of requests first")
	c.Flags().StringSliceVar(&accept, "accept", nil, "ids of known differences: later verifications report them, but do not fail")
	return c
}

// compareWithSource verifies the pipelines and prints the result, or accepts known differences.
func compareWithSource(c *cobra.Command, env *Env, args []string, o verify.VerifyOptions, accept []string) error {
	setup, err := newReadOnlyRunner(env)
	if err != nil {
		return err
	}
	switch {
	case len(accept) > 0 && (o.Deep || c.Flags().Changed("requests")):
		return usage.Errorf(c, "--accept reads nothing: omit --deep and --requests")
	case len(accept) > 0:
		return verify.Accept(setup, accept)
	case o.Requests < 1:
		return usage.Errorf(c, "--requests: expected at least 1")
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
	switch {
	case env.output == "json":
		return env.printJSON(verified)
	case env.output == "csv":
		return render.ListVerified(verified).WriteCSV(env.Stdout)
	case env.quiet:
		_, err := fmt.Fprintln(env.Stdout, verified.LastLine())
		return err
	}
	render.PrintVerification(verified, env.Stdout)
	return nil
}
