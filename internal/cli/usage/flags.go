package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/grammar"
)

// TimeFormats are those of a flag that is a date or a time. A date is its midnight in UTC.
var TimeFormats = []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// DescribeExpected replaces Go's error about a flag's value with one that says what is expected.
func DescribeExpected(f *pflag.Flag, wrong error) error {
	if errors.Is(wrong, strconv.ErrRange) {
		return errors.New("expected a smaller number")
	}
	switch f.Value.Type() {
	case "float64":
		return errors.New("expected a number, e.g. 1.5")
	case "int", "int64":
		return errors.New("expected a whole number, e.g. 10")
	case "uint64":
		return errors.New("expected a whole number, zero or more")
	case "bool":
		return errors.New("expected true or false")
	case "time":
		return errors.New("expected a date or time, e.g. 2026-11-01 or 2026-11-01T02:00:00Z")
	case "stringSlice":
		return errors.New("expected names with commas between them, without quotes")
	}
	return wrong
}

// SuggestFlag adds a similar flag to the error of an unknown one, and the expected value to the error of a wrong one.
func SuggestFlag(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		return fmt.Errorf("--%s %s: %w", value.GetFlag().Name, value.GetValue(), DescribeExpected(value.GetFlag(), errors.Unwrap(value)))
	}
	_, name, found := strings.Cut(err.Error(), "unknown flag: --")
	if !found {
		return err
	}
	if strings.ContainsAny(name, " \t\n") {
		return errors.New("an argument that begins with -- is read as a flag: write -- before it, or pass it on standard input")
	}
	if name == "limit" && c.Name() == "query" {
		return fmt.Errorf("%w; write LIMIT into the statement, e.g. FROM contacts LIMIT 5", err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := grammar.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// RefuseBelow refuses a number below the least one in one of the named flags.
func RefuseBelow(c *cobra.Command, least int, names ...string) error {
	for _, name := range names {
		value := c.Flag(name).Value.String()
		if n, err := strconv.ParseFloat(value, 64); err == nil && n < float64(least) {
			return Errorf(c, "%s: expected %d or more", WrittenFlag(c, name, value), least)
		}
	}
	return nil
}

// WrittenFlag is a flag with its value as the user wrote it: on the command line, or in the variable of the flag.
func WrittenFlag(c *cobra.Command, name, value string) string {
	if c.Flags().Changed(name) {
		return "--" + name + " " + value
	}
	return fmt.Sprintf("%s=%s (variable of --%s)", VariableOf(c.Flag(name)), value, name)
}

// VariableOf returns the environment variable of a flag.
func VariableOf(f *pflag.Flag) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// FlagValues returns the values of a flag; a list may have several.
func FlagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}
