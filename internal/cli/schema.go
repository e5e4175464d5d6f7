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
		Long: `Print the JSON Schema (draft-07) of pipelines.yaml or of a stream file: keys, values and their meaning. Editors with the YAML
language server use it for completion and validation when the file begins with this line:

    # yaml-language-server: $schema=./pipelines.schema.json

The schema covers the form of the file. aqueduck check also validates names of streams, schedules and tokens.`,
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
	c.Flags().BoolVar(&stream, "stream", false, "print the schema of a stream file")
	return c
}

func configSchema() ([]byte, error) {
	return config.ConfigSpec().JSONSchema("pipelines.yaml of aqueduck", true)
}
