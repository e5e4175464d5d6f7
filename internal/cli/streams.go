package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/preview"
	"aqueduck/internal/problem"
	"aqueduck/internal/sandbox"
	"aqueduck/schemas"
)

func newStreams(env *Env) *cobra.Command {
	var markdown, html bool
	c := &cobra.Command{
		Use:   "streams [NAME]",
		Short: "List the streams, or describe one",
		Long: `List every stream that a pipeline can name, built-in and your own. With NAME, describe how the stream is read, its tables, keys
and columns. Needs neither token nor network.

--markdown and --html print the data dictionary of all streams: every table, column and model with types, comments and personal
data, the provenance and lineage of each column, and references. The HTML page is self-contained.`,
		Example: `  aqueduck streams
  aqueduck streams contacts
  aqueduck streams -o json
  aqueduck streams --html > dictionary.html`,
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: shellCompletion{env}.completeStreams,
		Args:              usage.AtMostOne("the name of a stream"),
		RunE: func(c *cobra.Command, args []string) error {
			if markdown || html {
				if len(args) > 0 || markdown && html || c.Flags().Changed("output") {
					return usage.Errorf(c, "--markdown and --html print one page of all streams: use one of them, without NAME and without --output")
				}
				return writeDictionary(c.Context(), env, html)
			}
			catalogue, err := readCatalogue(env)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return printStream(env, catalogue, args[0])
			}
			all := dictionary.DescribeCatalogue(catalogue)
			if env.output == "json" {
				return env.printJSON(all)
			}
			if env.output == "csv" {
				var rows [][]any
				for _, d := range all {
					rows = append(rows, []any{d.Stream, d.Request, d.Since, d.File, d.Doc})
				}
				return env.printRows([]string{"stream", "request", "since", "file", "doc"}, rows)
			}
			render.PrintCatalogue(all, env.Stdout)
			return nil
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "print the data dictionary as Markdown")
	c.Flags().BoolVar(&html, "html", false, "print the data dictionary as one HTML page")
	c.AddCommand(newStreamsTry(env), newStreamsNew(env))
	return c
}

// writeDictionary writes the dictionary of all streams, of the built-in models and of those that the configuration names.
func writeDictionary(ctx context.Context, env *Env, html bool) error {
	var config *config.Config
	catalogue, err := schemas.Builtin()
	if env.hasConfig() {
		config, catalogue, err = env.loadConfig()
	}
	if err != nil {
		return err
	}
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	d, err := dictionary.NewDictionary(ctx, catalogue, config, program)
	if err != nil {
		return err
	}
	if html {
		return render.DictionaryHTML(d, env.Stdout)
	}
	return render.DictionaryMarkdown(d, env.Stdout)
}

// readCatalogue returns the catalogue of the configuration; the built-in one if there is no configuration and none was named.
func readCatalogue(env *Env) (*schemas.Catalogue, error) {
	if !env.hasConfig() {
		return schemas.Builtin()
	}
	_, catalogue, err := env.loadConfig()
	return catalogue, err
}

func printStream(env *Env, catalogue *schemas.Catalogue, name string) error {
	described, err := dictionary.DescribeStream(catalogue, name)
	if err != nil {
		return err
	}
	if env.output == "json" {
		return env.printJSON(described)
	}
	if env.output == "csv" {
		var rows [][]any
		for _, t := range described.Tables {
			for _, c := range t.Columns {
				rows = append(rows, []any{t.Table, c.Column, c.Type, c.From, c.PII, c.References, c.Doc})
			}
		}
		return env.printRows([]string{"table", "column", "type", "from", "pii", "references", "doc"}, rows)
	}
	render.PrintStream(described, env.Stdout)
	return nil
}

func newStreamsTry(env *Env) *cobra.Command {
	var workspace, id string
	c := &cobra.Command{
		Use:   "try FILE",
		Short: "Read one page of a stream and preview its rows",
		Long: `Read one page of a stream with the workspace's token. Shows the form of the answer, the first ten rows, columns without a value,
and how the next page is found. For fields without a column it prints lines to paste: columns, and one ignore: for all constants.
FILE is a stream file or the name of a stream. Nothing is written. Exit code 1 means that a run would store no record of the page.`,
		Example: `  aqueduck streams try streams/states.yaml
  aqueduck streams try contacts
  aqueduck streams try contacts_by_id --id 6762f23e4b2b8e36b0f2a4d1 -o json`,
		Args:              usage.OneArgument("a stream file or the name of a stream"),
		Annotations:       map[string]string{forms: "json"},
		ValidArgsFunction: shellCompletion{env}.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			runner, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			s, err := dictionary.FindStream(runner.Catalogue, args[0])
			if err != nil {
				return err
			}
			if workspace, err = runner.Config.ResolveWorkspace(workspace); err != nil {
				return err
			}
			trial, err := preview.Try(c.Context(), runner, workspace, s, args[0], id)
			if err != nil {
				return err
			}
			if !trial.Fits() {
				env.exit = problem.ExitFailed
			}
			if env.output == "json" {
				return env.printJSON(trial)
			}
			render.PrintTrial(trial, env.Stdout)
			return nil
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "workspace to read from (default: the first of the configuration)")
	c.Flags().StringVar(&id, "id", "", "for a stream that is read by id: the id to read")
	return c
}

func newStreamsNew(env *Env) *cobra.Command {
	var workspace, list, name string
	c := &cobra.Command{
		Use:   "new GET /path",
		Short: "Create a stream file from a list endpoint of the API",
		Long: `Read the beginning of a list endpoint with the workspace's token and print a stream file for it: columns from the fields of the
records, key and paging. Save it under a name that stream_files matches, review it, and test it with streams try. Sends a few
requests: the first page, the second one, and pages of other sizes. Nothing is written.`,
		Example: `  aqueduck streams new GET /contacts --name contact_list > streams/contact_list.yaml
  aqueduck streams new GET /ticket_states --name states --records data`,
		Args: aListOfTheAPI,
		RunE: func(c *cobra.Command, args []string) error {
			if name != "" {
				if err := schemas.CheckName(name); err != nil {
					return usage.Errorf(c, "--name: %w", err)
				}
			}
			runner, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			if workspace, err = runner.Config.ResolveWorkspace(workspace); err != nil {
				return err
			}
			made, text, err := preview.Propose(c.Context(), runner, workspace, args[1], list, name)
			if err != nil {
				return err
			}
			if taken := strings.TrimPrefix(made, "own_"); made != name && taken != made {
				env.printNotice(fmt.Sprintf("the name %s is taken, so the stream is called %s", taken, made))
			}
			env.printNotice(env.given.Append(fmt.Sprintf("stream %[1]s: save it in a file that stream_files names; then: aqueduck streams try streams/%[1]s.yaml", made)))
			_, err = env.Stdout.Write(text)
			return err
		},
	}
	c.Flags().StringVar(&workspace, "workspace", "", "the workspace to ask (default: the first of the configuration)")
	c.Flags().StringVar(&list, "records", "", "key of the list in the answer, if the answer has several lists")
	c.Flags().StringVar(&name, "name", "", "name of the stream (default: the last part of the path, with own_ in front if a stream has that name)")
	return c
}

// aListOfTheAPI accepts a request as the API's documentation writes it: GET /news/newsfeeds.
func aListOfTheAPI(c *cobra.Command, args []string) error {
	if len(args) != 2 || args[0] != "GET" || args[1] == "" || args[1][0] != '/' {
		return usage.Errorf(c, "%s takes GET and a path that begins with /, e.g. GET /ticket_states; found %q", c.CommandPath(), strings.Join(args, " "))
	}
	return nil
}
