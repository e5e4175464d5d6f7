package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/cli/usage"
)

// parquet is the form of output that is a file, which no terminal shows.
const parquet = "parquet"

// writesJSONLines says that a command writes nothing to stderr but lines of JSON: one that runs pipelines, where its log was asked to be so.
func writesJSONLines(env *Env, c *cobra.Command) bool {
	return env.logFormat == "json" && slices.Contains([]string{"serve", "sync"}, c.Name())
}

// forms is the annotation that says which forms of output a command has beside its usual one.
const forms = "forms"

// valuesOf are the values that flags of all commands may have.
var valuesOf = map[string][]string{
	"output": {"table", "json", "csv", parquet}, "log-level": {"debug", "info", "warn", "error"}, "log-format": {"auto", "text", "json"},
	"progress": {"auto", "tty", "plain", "json", "none"}, "color": {"auto", "always", "never"},
}

// applyVariables gives the flags that the command line left out what their variables say. Those that say yes to what is asked for have
// none, and the emulator has variables of its own.
func applyVariables(env *Env, c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := env.Lookup(usage.VariableOf(f))
		if !ok || value == "" || f.Changed || err != nil || slices.Contains([]string{"yes", "force", "help"}, f.Name) || c.Name() == "emulate" {
			return
		}
		if wrong := f.Value.Set(value); wrong != nil {
			err = usage.Errorf(c, "%s=%s (variable of --%s): %w", usage.VariableOf(f), value, f.Name, usage.DescribeExpected(f, wrong))
		}
	})
	return err
}

// checkGlobals checks the values of the flags that all commands have. A form of output that this command does not have is a
// mistake when it was asked for here, and nothing when the environment asks for it everywhere.
func checkGlobals(env *Env, c *cobra.Command) error {
	if err := applyVariables(env, c); err != nil {
		return err
	}
	if env.verbose > 0 && !c.Flags().Changed("log-level") {
		env.logLevel = "debug"
	}
	for _, f := range []struct{ name, value string }{{"output", env.output}, {"log-level", env.logLevel}, {"log-format", env.logFormat}, {"progress", env.progress}, {"color", env.color}} {
		if known := valuesOf[f.name]; !slices.Contains(known, f.value) {
			return usage.Errorf(c, "--%s %s: expected %s or %s", f.name, f.value, strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
		}
	}
	env.machine.Store(writesJSONLines(env, c))
	has := strings.Fields("table " + c.Annotations[forms])
	if slices.Contains(has, env.output) {
		return nil
	}
	if c.Flags().Changed("output") {
		return usage.Errorf(c, "--output %s: %s supports only %s", env.output, c.CommandPath(), strings.Join(has, " and "))
	}
	env.output = "table"
	return nil
}
