package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/grammar"
)

// usageError is a command line that cannot be understood.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func misused(c *cobra.Command, format string, args ...any) error {
	return &usageError{command: c.CommandPath(), err: fmt.Errorf(format, args...)}
}

// noArguments refuses any argument.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misused(c, "%s takes no arguments, found %q", c.CommandPath(), args[0])
	}
	return nil
}

// oneArgument takes exactly one, said in words.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return misused(c, "%s takes one argument, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// atMostOne takes one argument or none.
func atMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return misused(c, "%s takes one argument at most, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// subcommand is for commands that only have others below them: any argument is one that is not known.
func subcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	unknown := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if near := grammar.Nearest(args[0], names); near != "" {
		return misused(c, "%s; did you mean %s?", unknown, near)
	}
	return misused(c, "%s", unknown)
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// told says in words what value a flag takes, where its own error is one of the language that the program is written in.
func told(f *pflag.Flag, wrong error) error {
	switch f.Value.Type() {
	case "duration":
		return errors.New("it is a duration, as 90s, 30m or 2h")
	case "int":
		return errors.New("it is a whole number")
	case "uint64":
		return errors.New("it is a whole number, not below zero")
	case "bool":
		return errors.New("it is true or false")
	}
	return wrong
}

// suggestFlag names the flag that was meant, when one is close, and says of a value that is none what it may be.
func suggestFlag(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fmt.Errorf("--%s %s: %w", value.GetFlag().Name, value.GetValue(), told(value.GetFlag(), errors.Unwrap(value)))
	}
	_, name, found := strings.Cut(err.Error(), "unknown flag: --")
	if !found {
		return err
	}
	if strings.ContainsAny(name, " \t\n") {
		return errors.New("an argument that begins with -- is taken for a flag: write -- in front of it, or give it on standard input")
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := grammar.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// forms is the annotation that says which forms of output a command has beside its usual one.
const forms = "forms"

// verbosity counts how often -v was given.
type verbosity int

// String is a number only where once is not enough.
func (v *verbosity) String() string {
	if *v > 1 {
		return strconv.Itoa(int(*v))
	}
	return strconv.FormatBool(*v > 0)
}

// Set takes one more for each true, and a number as the count.
func (v *verbosity) Set(text string) error {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		*v = verbosity(n)
		return nil
	}
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("it is true, false or how often")
	}
	if *v++; !yes {
		*v = 0
	}
	return nil
}

// Type is what help says of flags that need no value.
func (v *verbosity) Type() string { return "bool" }

// valuesOf are the values that flags of all commands may have.
var valuesOf = map[string][]string{
	"output": {"table", "json", "csv", parquet}, "log-level": {"debug", "info", "warn", "error"}, "log-format": {"auto", "text", "json"},
	"progress": {"auto", "tty", "plain", "json", "none"}, "color": {"auto", "always", "never"},
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// variableOf is the variable of the environment that a flag may be given by.
func variableOf(f *pflag.Flag) string {
	return "AQUEDUCK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// values are those of a flag, of which a list has several.
func values(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// applyVariables gives the flags that the command line left out what their variables say. Those that say yes to what is asked for have
// none, and the emulator has variables of its own.
func applyVariables(env *Env, c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := env.Lookup(variableOf(f))
		if !ok || value == "" || f.Changed || err != nil || slices.Contains([]string{"yes", "force", "help"}, f.Name) || c.Name() == "emulate" {
			return
		}
		if wrong := f.Value.Set(value); wrong != nil {
			err = misused(c, "%s=%s, which stands for --%s: %w", variableOf(f), value, f.Name, told(f, wrong))
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
			return misused(c, "--%s %s: it is %s or %s", f.name, f.value, strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
		}
	}
	env.machine.Store(writesJSONLines(env, c))
	has := strings.Fields("table " + c.Annotations[forms])
	if slices.Contains(has, env.output) {
		return nil
	}
	if c.Flags().Changed("output") {
		return misused(c, "--output %s: %s writes %s only", env.output, c.CommandPath(), strings.Join(has, " or "))
	}
	env.output = "table"
	return nil
}
