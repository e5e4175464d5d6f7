package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/mirror"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

func newVerify(env *Env) *cobra.Command {
	var o verify.VerifyOptions
	lake := false
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
different rows. A terminal that has no room for HOW has it below the table.

--lake compares the Iceberg tables of warehouse.mirror with the published file instead: DuckDB reads their files, and digests over all
columns must be equal. Where python3 has PyIceberg, that reads the tables, too. It asks the object store and the catalog, not the workspace, and holds the lock meanwhile.

Otherwise, verify takes no lock and writes nothing into the database. It exits with 6 when it finds a difference that was not accepted. A
last line that begins with NOTHING says that nothing was compared. Run it right after a sync: deletions since then, and changes in
lists without times, look like differences.`,
		Example: `  aqueduck verify
  aqueduck verify nightly --requests 1000 --select 'contact*'
  aqueduck verify --deep
  aqueduck verify --lake
  aqueduck verify --accept 1f2e3d4c5b6a
  aqueduck verify -o json`,
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completePipelines,
		RunE: func(c *cobra.Command, args []string) error {
			if lake {
				return verifyMirror(c, env, args)
			}
			return compareWithSource(c, env, args, o, accept)
		},
	}
	c.Flags().StringSliceVar(&o.Select, "select", nil, "only these streams: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "all streams except these: stream or pipeline.stream, names or patterns such as 'reporting_*'")
	c.Flags().Int64Var(&o.Requests, "requests", 200, "request budget of the verification")
	c.Flags().BoolVar(&o.Deep, "deep", false, "read everything again, without a request budget; prints the number of requests first")
	c.Flags().StringSliceVar(&accept, "accept", nil, "ids of known differences: later verifications report them, but do not fail")
	c.Flags().BoolVar(&lake, "lake", false, "compare the Iceberg tables of warehouse.mirror with the published file, and nothing else")
	return c
}

// verifyMirror compares the tables of the mirror with the published file.
func verifyMirror(c *cobra.Command, env *Env, args []string) error {
	for _, name := range []string{"select", "exclude", "requests", "deep", "accept"} {
		if len(args) > 0 || c.Flags().Changed(name) {
			return usage.Errorf(c, "--lake compares all tables: omit pipelines and other flags")
		}
	}
	setup, err := newReadOnlyRunner(env)
	if err != nil {
		return err
	}
	v, err := mirror.VerifyAlone(c.Context(), setup)
	if err != nil {
		return err
	}
	l := render.List{Columns: []string{"workspace", "table", "rows", "differs"}}
	for _, t := range v.Tables {
		l.Rows = append(l.Rows, []any{t.Workspace, t.Table, t.Rows, t.Differs})
	}
	if env.output == "json" {
		err = env.printJSON(v)
	} else {
		if v.Engine != "" {
			env.printNotice(v.Engine + " read the tables, too")
		} else {
			env.printNotice("DuckDB alone read the tables, no other engine: " + v.NoEngine)
		}
		err = env.printRows(l.Columns, l.Rows)
	}
	if n := len(v.Differing()); err == nil && n > 0 {
		return &problem.Problem{Class: "data", Exit: problem.ExitBreached, What: fmt.Sprintf("%d of %d tables in %s are not equal to %s", n, len(v.Tables), v.Place, v.File), Next: "aqueduck mirror"}
	}
	return err
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
	}
	if err := usage.RefuseBelow(c, 1, "requests"); err != nil {
		return err
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
