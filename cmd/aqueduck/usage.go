package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// suggestFlag names the flag that was meant, when one is close.
func suggestFlag(c *cobra.Command, err error) error {
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

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// globals checks the values of the flags that all commands have. A form of output that this command does not have is a
// mistake when it was asked for here, and nothing when the environment asks for it everywhere.
func (a *app) globals(c *cobra.Command) error {
	if !slices.Contains([]string{"table", "json", "csv"}, a.output) {
		return misused(c, "--output %s: it is table, json or csv", a.output)
	}
	if _, ok := levels[a.logLevel]; !ok {
		return misused(c, "--log-level %s: it is debug, info, warn or error", a.logLevel)
	}
	for _, f := range []struct{ name, value, known string }{{"log-format", a.logForm, "auto text json"},
		{"progress", a.progress, "auto tty plain json none"}, {"color", a.colour, "auto always never"}} {
		if known := strings.Fields(f.known); !slices.Contains(known, f.value) {
			return misused(c, "--%s %s: it is %s or %s", f.name, f.value, strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
		}
	}
	has := strings.Fields("table " + c.Annotations[forms])
	if slices.Contains(has, a.output) {
		return nil
	}
	if c.Flags().Changed("output") {
		return misused(c, "--output %s: %s writes %s only", a.output, c.CommandPath(), strings.Join(has, " or "))
	}
	a.output = "table"
	return nil
}
