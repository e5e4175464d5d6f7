package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/grammar"
)

// Error is the error of a wrong command line.
type Error struct {
	Command string // full name of the command, whose help says more
	Err     error  // what is wrong
}

// Error returns the text of the error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns the error of a wrong command line of a command.
func Errorf(c *cobra.Command, format string, args ...any) error {
	return &Error{Command: c.CommandPath(), Err: fmt.Errorf(format, args...)}
}

// NoArguments refuses any argument.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Errorf(c, "%s takes no arguments, found %q", c.CommandPath(), args[0])
	}
	return nil
}

// OneArgument requires exactly one argument, which what describes.
func OneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Errorf(c, "%s takes one argument, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// AtMostOne accepts one argument or none.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return Errorf(c, "%s takes one argument at most, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// Subcommand refuses arguments of a command that only has subcommands: any argument is an unknown subcommand.
func Subcommand(c *cobra.Command, args []string) error { return refuseUnknown(c, args, "") }

// SubcommandOr is Subcommand for a command whose argument may be meant for another one. Where no subcommand has a similar name, the message ends with
// instead and the argument, as in: to show a run: aqueduck runs show ID.
func SubcommandOr(instead string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error { return refuseUnknown(c, args, instead) }
}

func refuseUnknown(c *cobra.Command, args []string, instead string) error {
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
		return Errorf(c, "%s; did you mean %s?", unknown, near)
	}
	if instead != "" {
		return Errorf(c, "%s; %s %s", unknown, instead, args[0])
	}
	return Errorf(c, "%s", unknown)
}

// Enumerate joins words as a sentence does: a, b and c.
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// ShowHelp is the function of a command that only has subcommands.
func ShowHelp(c *cobra.Command, _ []string) error { return c.Help() }
