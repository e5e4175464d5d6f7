package cli

import (
	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/schemas"
)

func newSchema(env *Env) *cobra.Command {
	stream := false
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of pipelines.yaml for editors",
		Long: `Print the JSON Schema (draft-07) of pipelines.yaml, or of a stream file: keys, values and what they mean. Editors with the YAML
language server complete and check by it, when the file begins with the line

    # yaml-language-server: $schema=./pipelines.schema.json

It knows the form of the file. What check knows besides (names of streams, schedules, tokens) it does not.`,
		Example: "  aqueduck schema > pipelines.schema.json\n  aqueduck schema --stream > stream.schema.json",
		Args:    usage.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := configSchema()
			if stream {
				text, err = schemas.Spec().JSONSchema("A stream file of aqueduck", false)
			}
			if err != nil {
				return err
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
	c.Flags().BoolVar(&stream, "stream", false, "that of a stream file")
	return c
}

func configSchema() ([]byte, error) {
	return config.ConfigSpec().JSONSchema("pipelines.yaml of aqueduck", true)
}
