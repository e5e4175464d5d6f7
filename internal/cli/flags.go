package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/cli/querying"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
)

// writesJSONLines reports whether a command writes only lines of JSON to stderr: one that runs pipelines, with --log-format json.
func writesJSONLines(env *Env, c *cobra.Command) bool {
	return env.logFormat == "json" && slices.Contains([]string{"serve", "sync", "worker"}, c.Name())
}

// forms is the annotation of a command that lists its output formats besides the usual one.
const forms = "forms"

// valuesOf lists the allowed values of flags that all commands have.
var valuesOf = map[string][]string{
	"output": {"table", "json", "csv", querying.Parquet}, "log-level": {"debug", "info", "warn", "error"}, "log-format": {"auto", "text", "json"},
	"progress": {"auto", "tty", "plain", "json", "none"}, "color": {"auto", "always", "never"},
}

// warnOfVariables warns of variables that look like those of flags and are none. A variable that pipelines.yaml names is the user's own.
func warnOfVariables(env *Env, c *cobra.Command) {
	isNamed := func(name string) bool {
		named, err := mentionedVariables(env)
		return err == nil && slices.ContainsFunc(named, func(o settingOrigin) bool { return o.Setting == name })
	}
	for _, warning := range usage.UnknownVariables(c.Root(), env.Environ, isNamed) {
		env.printNotice(warning)
	}
	files, err := config.ConfigFiles(env.file)
	if err != nil {
		return // what reads the configuration reports it, and what is wrong with .env
	}
	dotenv := filepath.Join(filepath.Dir(files[0]), ".env")
	kept, _ := config.ReadDotenv(dotenv)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if strings.HasPrefix(name, "AQUEDUCK_") && (name == config.WorkspaceVariable || !isNamed(name)) {
			env.printNotice(fmt.Sprintf("warning: the variable %s has no effect in %s: set it in the environment", name, dotenv))
		}
	}
}

// applyVariables sets absent flags from the environment.
func applyVariables(env *Env, c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := env.Lookup(usage.VariableOf(f))
		if !ok || value == "" || f.Changed || err != nil || !usage.HasVariable(c, f) {
			return
		}
		if wrong := f.Value.Set(value); wrong != nil {
			err = usage.Errorf(c, "%s=%s (variable of --%s): %w", usage.VariableOf(f), value, f.Name, usage.DescribeExpected(f, wrong))
		}
	})
	return err
}

// checkGlobals checks the values of the flags that all commands have. An output format that this command lacks is a mistake on the command
// line; from the environment it is ignored, because that sets it for every command.
func checkGlobals(env *Env, c *cobra.Command) error {
	if err := applyVariables(env, c); err != nil {
		return err
	}
	if env.verbose > 0 && !c.Flags().Changed("log-level") {
		env.logLevel = "debug"
	}
	has := strings.Fields("table " + c.Annotations[forms])
	for _, f := range []struct{ name, value string }{{"output", env.output}, {"log-level", env.logLevel}, {"log-format", env.logFormat}, {"progress", env.progress}, {"color", env.color}} {
		if known := valuesOf[f.name]; !slices.Contains(known, f.value) {
			if f.name == "output" && len(has) > 1 {
				known = has
			}
			return usage.Errorf(c, "%s: expected %s or %s", usage.WrittenFlag(c, f.name, f.value), strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
		}
	}
	for _, name := range []string{"select", "exclude", "workspace", "pipeline"} {
		if f := c.Flag(name); f != nil && f.Changed && strings.Join(usage.FlagValues(f), "") == "" {
			return usage.Errorf(c, "--%s has an empty value: give a name, or omit the flag", name)
		}
	}
	env.machine.Store(writesJSONLines(env, c))
	if slices.Contains(has, env.output) {
		return nil
	}
	if c.Flags().Changed("output") && len(has) == 1 {
		return usage.Errorf(c, "--output %s: %s has one output format: omit --output", env.output, c.CommandPath())
	}
	if c.Flags().Changed("output") {
		return usage.Errorf(c, "--output %s: %s supports only %s", env.output, c.CommandPath(), usage.Enumerate(has))
	}
	env.output = "table"
	return nil
}
