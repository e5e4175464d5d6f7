package stream

import (
	"time"

	"aqueduck/internal/runner"
)

// SourceClock returns the clock of a source: its own where it has one, as the emulator does, or else the machine's.
func SourceClock(s runner.Source, machine func() time.Time) func() time.Time {
	if s.Now != nil {
		return s.Now
	}
	return machine
}

// FirstSet returns the first value that is not zero, or zero.
func FirstSet[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}
