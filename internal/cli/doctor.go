package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
)

func newDoctor(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show each setting and where it comes from",
		Long: `Show each global setting with its value and its source. A flag overrides its environment variable, the variable overrides
pipelines.yaml, and pipelines.yaml overrides the default. Then list the variables that pipelines.yaml names, and whether the
environment or .env sets them; their values are not shown. doctor sends no request to the workspace: use aqueduck check --online
for that.`,
		Example:     "  aqueduck doctor\n  aqueduck doctor -o csv",
		Annotations: map[string]string{forms: "json csv"},
		Args:        usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			all := globalSettings(env, c)
			named, err := mentionedVariables(env)
			if err != nil {
				return err
			}
			all = append(all, named...)
			if env.output == "json" {
				return env.printJSON(all)
			}
			var rows [][]any
			for _, o := range all {
				rows = append(rows, []any{o.Setting, o.Value, o.From})
			}
			return env.printRows([]string{"setting", "value", "from"}, rows)
		},
	}
}

// settingOrigin is a setting with its source.
type settingOrigin struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from"`
}

// globalSettings returns the settings that all commands have.
func globalSettings(env *Env, c *cobra.Command) (all []settingOrigin) {
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		o := settingOrigin{f.Name, strings.Join(usage.FlagValues(f), ","), flagOrigin(env, f)}
		if f.Name == "dir" && o.From == "default" {
			if config, _, err := env.loadConfig(); err == nil {
				o.Value, o.From = config.Warehouse.Dir, config.Provenance("warehouse.dir")
			}
		}
		all = append(all, o)
	})
	return all
}

// flagOrigin returns the source of a flag's value.
func flagOrigin(env *Env, f *pflag.Flag) string {
	if f.Changed {
		return "flag --" + f.Name
	}
	if value, _ := env.Lookup(usage.VariableOf(f)); value != "" {
		return usage.VariableOf(f)
	}
	return "default"
}

// givenFlags returns the flags that are set, each with its source.
func givenFlags(env *Env, c *cobra.Command) (all []config.Origin) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if from := flagOrigin(env, f); from != "default" {
			all = append(all, config.Origin{Setting: "--" + f.Name, From: from})
		}
	})
	return all
}

// mentionedVariables returns the variables that pipelines.yaml names, without their values; none without such a file.
func mentionedVariables(env *Env) (all []settingOrigin, err error) {
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return nil, err
	}
	configured, err := config.Origins(files)
	var lacking *fs.PathError
	if errors.As(err, &lacking) && errors.Is(err, fs.ErrNotExist) {
		return []settingOrigin{{"configuration", "", "there is no " + lacking.Path}}, nil
	}
	if err != nil {
		return []settingOrigin{{"configuration", "", env.fileNames() + " cannot be read: aqueduck check"}}, nil
	}
	dotenv := filepath.Join(filepath.Dir(files[0]), ".env")
	kept, err := config.ReadDotenv(dotenv)
	if err != nil {
		return nil, err
	}
	for _, o := range configured {
		for _, v := range o.Variables {
			all = append(all, variableOrigin(env, v, o.File, dotenv, kept))
		}
	}
	slices.SortFunc(all, func(a, b settingOrigin) int { return cmp.Compare(a.Setting, b.Setting) })
	return slices.CompactFunc(all, func(a, b settingOrigin) bool { return a.Setting == b.Setting }), nil
}

// notSet is the source of a variable that is not set.
const notSet = "not set"

// variableOrigin returns the source of a variable's value.
func variableOrigin(env *Env, v config.Variable, file, dotenv string, kept map[string]string) settingOrigin {
	o := settingOrigin{v.Name, "", notSet}
	value, _ := env.Lookup(v.Name)
	switch {
	case value != "":
		o.From = "environment"
	case kept[v.Name] != "" && v.Name != config.WorkspaceVariable:
		value, o.From = kept[v.Name], dotenv
	case v.Default:
		o.From = "default of " + file
	}
	if value != "" {
		o.Value = fmt.Sprintf("•••• (%d characters)", len([]rune(value)))
	}
	return o
}
