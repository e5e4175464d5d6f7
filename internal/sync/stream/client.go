package stream

import (
	"time"

	"aqueduck/internal/runner"
)

// SourceClock is the clock that a source lives by: its own, or the machine's.
func SourceClock(s runner.Source, machine func() time.Time) func() time.Time {
	if s.Now != nil {
		return s.Now
	}
	return machine
}

// FirstSet is the first of the values that is not zero.
func FirstSet[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}
