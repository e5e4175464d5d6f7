package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/grammar"
)

// prefix begins the environment variables of flags.
const prefix = "AQUEDUCK_"

// otherVariables are those that the program reads, or sets for the commands of `after:`, without a flag.
var otherVariables = []string{"AQUEDUCK_DEBUG", "AQUEDUCK_DATABASE", "AQUEDUCK_PIPELINE", "AQUEDUCK_RUN"}

// emulatorPrefix begins the variables of the embedded workspace. Other programs have such variables too, so only a near one is a mistake.
const emulatorPrefix = "EMULATOR_"

// emulatorVariables are those that help env lists.
var emulatorVariables = []string{"EMULATOR_HOURS", "EMULATOR_SEED", "EMULATOR_POPULATION", "EMULATOR_CONTACTS"}

// HasVariable reports whether a variable of the environment sets the flag of a command: not confirmations such as --yes, and none of the emulator,
// which has separate variables.
func HasVariable(c *cobra.Command, f *pflag.Flag) bool {
	return !slices.Contains([]string{"yes", "force", "help"}, f.Name) && c.Name() != "emulate"
}

// UnknownVariables returns a warning for each variable that begins as those of flags do, and is none. isNamed reports whether the user's configuration
// names a variable.
func UnknownVariables(root *cobra.Command, environ []string, isNamed func(name string) bool) (warnings []string) {
	known := slices.Clone(otherVariables)
	addVariables(root, &known)
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if near := nearestVariable(emulatorPrefix, name, emulatorVariables); near != "" && near != name && value != "" && !isNamed(name) {
			warnings = append(warnings, fmt.Sprintf("warning: the environment variable %s has no effect; did you mean %s?", name, near))
		}
		if !strings.HasPrefix(name, prefix) || value == "" || slices.Contains(known, name) || isNamed(name) {
			continue
		}
		text := fmt.Sprintf("warning: the environment variable %s has no effect: no flag takes it", name)
		if near := nearestVariable(prefix, name, known); near != "" {
			text += "; did you mean " + near + "?"
		}
		warnings = append(warnings, text)
	}
	slices.Sort(warnings)
	return warnings
}

// addVariables adds the variables of the flags of a command and of all below it.
func addVariables(c *cobra.Command, known *[]string) {
	for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if HasVariable(c, f) {
				*known = append(*known, VariableOf(f))
			}
		})
	}
	for _, below := range c.Commands() {
		addVariables(below, known)
	}
}

// nearestVariable compares what follows the prefix, which all names share; "" if name has another prefix, or none is near.
func nearestVariable(prefix, name string, known []string) string {
	rest, found := strings.CutPrefix(name, prefix)
	if !found {
		return ""
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = strings.TrimPrefix(k, prefix)
	}
	if near := grammar.Nearest(rest, words); near != "" {
		return prefix + near
	}
	return ""
}
