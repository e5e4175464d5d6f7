package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/grammar"
	"aqueduck/internal/mirror"
	"aqueduck/internal/plan"
	"aqueduck/internal/preview"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
	"aqueduck/schemas"
)

func newCheck(env *Env) *cobra.Command {
	var online, lenient bool
	var format string
	c := &cobra.Command{
		Use:   "check",
		Short: "Validate pipelines.yaml and the stream files",
		Long: `Validate the configuration and all stream files. All mistakes in the files are reported at once, each with line, column and
correction. Needs neither token nor network. Exit code 3 means that there are mistakes. Once the files have none, your own models are
made on empty tables, in a separate process: DuckDB's mistakes come then. A model of streams that no pipeline reads is a warning.

Messages about a private file give the line and kind of each mistake, and none of the file's text. Private are .env, files that
only their owner can read, files outside the configuration's directory, and files that have no key of a configuration or stream file.

Warnings name what is valid but may be unintended, and stored rows that are still masked after hash or drop was removed. Once the
files have no mistake, the first warnings say why a run on this machine would be refused, and so does the line below the
warnings. Reasons are a token file that others can read, or a damaged file of the warehouse. A .env that
others can read ends the check with exit code 3.

A variable that is not set is a mistake, for example in warehouse.dir. In an address, a token or an alert it is only listed. A
run without an address or a token fails; a run without the address of an alert warns.

JSON and CSV have the mistakes and warnings alone, so [] stands for a configuration without any. What the configuration contains
(files, readers, pipelines, streams) and variables that are not set are for people: only the text has them.

--format github writes annotations for the lines of a pull request. --skip-env-check is for machines without the variables and
files that the configuration names: values that need one are not checked.

--online requests the smallest page of each stream from each workspace. It reports which streams the token can read and why
others are refused: subscription plan, scope, API version or 404. It also reports the clock difference, the free disk space, the
process that writes the warehouse, and whether the addresses of alerts can be reached. No alert is sent and nothing is written.
The check stops when a workspace cannot be reached. At the end it looks at store, catalog and tables of warehouse.mirror.`,
		Example: "  aqueduck check\n  aqueduck check -f base.yaml -f teams/\n  aqueduck check --format json\n" +
			"  aqueduck check --format github --skip-env-check\n  aqueduck check --online",
		Args:        usage.NoArguments,
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("format") && env.output != "table" {
				format = env.output
			}
			if !slices.Contains(mistakeForms, format) {
				return usage.Errorf(c, "--format %s: expected text, json, csv or github", format)
			}
			if online && format == "github" {
				return usage.Errorf(c, "--format github goes without --online: what a token can read has no line in a file")
			}
			if online {
				return checkOnline(c.Context(), env, format)
			}
			return printMistakes(c.Context(), env, format, lenient)
		},
	}
	c.Flags().StringVar(&format, "format", "text", "output format of mistakes: text, which is -o table, json or csv, as with -o, or github")
	c.Flags().BoolVar(&lenient, "skip-env-check", false, "skip values whose variable or file does not exist")
	c.Flags().BoolVar(&online, "online", false, "request one page of each stream to see what the token can read (needs the token)")
	return c
}

// mistakeForms are the output formats of mistakes.
var mistakeForms = []string{"text", "json", "csv", "github"}

// printMistakes prints the mistakes of the configuration, or its content if it has none.
func printMistakes(ctx context.Context, env *Env, format string, lenient bool) error {
	read := config.CheckGroup(runner.GroupHint)
	if lenient {
		read = config.CheckConfig
	}
	config, catalogue, err := env.loadWith(read)
	if err == nil {
		err = findFailedModels(ctx, config, catalogue)
	}
	var found grammar.Mistakes
	refused := 0 // the first of them, which a run on this machine would be refused for
	if err != nil && (format == "text" || !errors.As(err, &found)) {
		return err
	}
	if err != nil {
		env.exit = problem.ExitConfig
	} else {
		var r *runner.Runner
		if !lenient {
			r, _ = newReadOnlyRunner(env) // without one the configuration is checked all the same
		}
		refusals, warnings := plan.FindDoubts(ctx, config, catalogue, r)
		if file := (*problem.Problem)(nil); !lenient && errors.As(env.refuseFile(config.Warehouse.Dir), &file) {
			refusals = append(refusals, file.Line(env.given))
		}
		for _, text := range refusals {
			found = append(found, grammar.Mistake{File: config.File, Message: text, Warning: true})
		}
		found = append(found, mirrorDoubts(config)...)
		refused = len(found)
		found = append(found, config.Warnings...)
		for _, o := range dictionary.FindOmitted(catalogue, config) {
			found = append(found, grammar.Mistake{File: o.Model.File, Line: o.Model.Line, Column: 1, Message: o.String(), Hint: o.NextStep(), Warning: true})
		}
		for _, text := range warnings {
			found = append(found, grammar.Mistake{File: config.File, Message: text, Warning: true})
		}
	}
	switch format {
	case "json":
		text, err := found.JSON()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.Stdout, "%s\n", text)
		return err
	case "csv":
		return render.ListMistakes(found).WriteCSV(env.Stdout)
	case "github":
		_, err := io.WriteString(env.Stdout, found.Annotations())
		return err
	}
	if text := found.Format(); text != "" {
		env.printNotice(text)
	}
	if err := render.PrintContents(env.Stdout, env.fileNames(), len(found), refused, config, config.Read(catalogue, true), config.Read(catalogue, false)); err != nil || lenient {
		return err
	}
	return printUnset(env, config)
}

// findFailedModels returns the warnings of a configuration and the mistakes in its models that only DuckDB finds; nil without such a mistake.
func findFailedModels(ctx context.Context, config *config.Config, catalogue *schemas.Catalogue) error {
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	found, err := dictionary.FindFailedModels(ctx, catalogue, config, program)
	if err != nil || len(found) == 0 {
		return err
	}
	return append(slices.Clone(config.Warnings), found...)
}

// printUnset lists the variables of the configuration that are not set here. That is no mistake: another machine may do the runs. The
// emulator needs no token.
func printUnset(env *Env, config *config.Config) error {
	named, err := mentionedVariables(env)
	if err != nil {
		return err
	}
	needless, ofAlerts := config.NeedlessVariables(env.Lookup), config.AlertVariables()
	var needed, warned []string
	for _, o := range named {
		switch {
		case o.From != notSet || slices.Contains(needless, o.Setting):
		case slices.Contains(ofAlerts, o.Setting):
			warned = append(warned, o.Setting)
		default:
			needed = append(needed, o.Setting)
		}
	}
	if len(needed) > 0 {
		_, err = fmt.Fprintf(env.Stdout, "  not set     %s: a run that needs one fails\n", strings.Join(needed, ", "))
	}
	if len(warned) > 0 && err == nil {
		_, err = fmt.Fprintf(env.Stdout, "  not set     %s: runs warn, and send no message to this address\n", strings.Join(warned, ", "))
	}
	return err
}

// checkOnline prints which streams the tokens can read.
func checkOnline(ctx context.Context, env *Env, format string) error {
	runner, err := newReadOnlyRunner(env)
	if err != nil {
		return err
	}
	runner.Alerts = sync.NewSender(runner, runner.Config.Lookup)
	answers, err := preview.CheckOnline(ctx, runner)
	if answers == nil {
		return err
	}
	if answers.Failed() {
		env.exit = problem.ExitFailed
	}
	switch format {
	case "json":
		err = errors.Join(err, env.printJSON(answers))
	case "csv":
		err = errors.Join(err, render.ListOnline(answers).WriteCSV(env.Stdout))
	default:
		render.PrintOnline(answers, env.Stdout)
	}
	if err != nil {
		return err
	}
	return mirror.CheckOnline(ctx, runner)
}
