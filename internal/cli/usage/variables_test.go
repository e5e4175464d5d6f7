package usage

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
)

// TestUnknownVariablesAreNamedWithTheNearest: a misspelled variable of a flag has no effect, and nobody would notice.
func TestUnknownVariablesAreNamedWithTheNearest(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "aqueduck"}
	root.PersistentFlags().String("log-format", "", "")
	sync := &cobra.Command{Use: "sync"}
	sync.Flags().String("max-time", "", "")
	sync.Flags().Bool("yes", false, "")
	emulate := &cobra.Command{Use: "emulate"}
	emulate.Flags().String("port", "", "")
	root.AddCommand(sync, emulate)
	environ := []string{"AQUEDUCK_MAX_TIME=1h", "AQUEDUCK_MAXTIME=1h", "AQUEDUCK_LOGFORMAT=json", "AQUEDUCK_DEBUG=1", "AQUEDUCK_RUN=x", "AQUEDUCK_YES=1",
		"AQUEDUCK_PORT=1", "AQUEDUCK_EMPTY=", "AQUEDUCK_TOKEN=x", "HOME=/",
		"EMULATOR_HOUR=2", "EMULATOR_SEED=7", "EMULATOR_HOST=x", "EMULATOR_CONTACT="}
	got := UnknownVariables(root, environ, func(name string) bool { return name == "AQUEDUCK_TOKEN" })
	want := []string{
		"warning: the environment variable AQUEDUCK_LOGFORMAT has no effect: no flag takes it; did you mean AQUEDUCK_LOG_FORMAT?",
		"warning: the environment variable AQUEDUCK_MAXTIME has no effect: no flag takes it; did you mean AQUEDUCK_MAX_TIME?",
		"warning: the environment variable AQUEDUCK_PORT has no effect: no flag takes it",
		"warning: the environment variable AQUEDUCK_YES has no effect: no flag takes it",
		"warning: the environment variable EMULATOR_HOUR has no effect; did you mean EMULATOR_HOURS?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it warns %q", got)
	}
}
