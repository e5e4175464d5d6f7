package usage

import (
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/grammar"
)

// Error is a command line that cannot be understood.
type Error struct {
	Command string // as it is called, whose help tells more
	Err     error  // what is wrong
}

// Error says what is wrong with the command line.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives what it says.
func (e *Error) Unwrap() error { return e.Err }

// Errorf says what is wrong with the command line of a command.
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

// OneArgument takes exactly one, said in words.
func OneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Errorf(c, "%s takes one argument, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// AtMostOne takes one argument or none.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return Errorf(c, "%s takes one argument at most, %s, found %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// Subcommand is for commands that only have others below them: any argument is one that is not known.
func Subcommand(c *cobra.Command, args []string) error {
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
	return Errorf(c, "%s", unknown)
}

// ShowHelp is what a command does that only has others below it.
func ShowHelp(c *cobra.Command, _ []string) error { return c.Help() }
