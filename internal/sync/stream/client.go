package stream

import (
	"time"

	"aqueduck/internal/runner"
)

func SourceClock(s runner.Source, machine func() time.Time) func() time.Time {
	if s.Now != nil {
		return s.Now
	}
	return machine
}

func FirstSet[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}
