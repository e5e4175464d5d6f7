package config

import (
	"slices"
	"time"

	"aqueduck/internal/schedule"
)

// Due is a time at which serve runs a pipeline.
type Due struct {
	Pipeline string    `json:"pipeline"`
	At       time.Time `json:"at"`    // UTC
	Local    string    `json:"local"` // what clocks in warehouse.timezone show
	Zone     string    `json:"zone"`  // its abbreviation or offset at that time
	Note     string    `json:"note"`  // what the clocks do to it; "": nothing
}

// notesOfClocks are what is said of a time that clocks do not show just once.
var notesOfClocks = map[schedule.Clock]string{
	schedule.Skipped: "daylight saving skips the scheduled time: this is the first minute after it",
	schedule.Twice:   "daylight saving repeats this time: this is the first one",
}

// NextRuns gives the next times of pipelines from a time on, so many of each, the earliest first. Those without a schedule have none.
func NextRuns(pipelines []*Pipeline, from time.Time, each int) []Due {
	all := []Due{}
	for _, p := range pipelines {
		at := from
		for range each {
			if p.Schedule == nil {
				break
			}
			if at = p.Schedule.Next(at); at.IsZero() {
				break
			}
			all = append(all, Due{Pipeline: p.Name, At: at.UTC(), Local: at.Format("Mon 2006-01-02 15:04"), Zone: at.Format("MST"), Note: notesOfClocks[p.Schedule.ClockAt(at)]})
		}
	}
	slices.SortStableFunc(all, func(a, b Due) int { return a.At.Compare(b.At) })
	return all
}
