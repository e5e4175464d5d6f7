package usage

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestFlagsTakeTheDurationsOfTheConfiguration, and those of Go.
func TestFlagsTakeTheDurationsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "90s": 90 * time.Second, "1.5h": 90 * time.Minute, "0": 0, "soon": -1, "-1h": -1, "5": -1, "": -1} {
		got := 30 * time.Minute
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		DurationVar(flags, &got, "wait", "")
		if err := flags.Set("wait", text); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
}
