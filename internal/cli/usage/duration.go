package usage

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"aqueduck/internal/grammar"
)

// DurationVar adds a flag with a duration, as pipelines.yaml has it, such as 90s, 2h or 1d, or as Go has it, such as 1.5h.
func DurationVar(flags *pflag.FlagSet, p *time.Duration, name, usage string) {
	flags.Func(name, usage, func(text string) (err error) {
		if *p, err = grammar.ParseDuration(text); err != nil {
			*p, err = time.ParseDuration(text)
		}
		if err != nil {
			return errors.New("expected a duration, e.g. 90s, 30m, 2h or 1d")
		}
		if *p < 0 {
			return errors.New("expected 0 or more")
		}
		return nil
	})
}
