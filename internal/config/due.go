package config

import (
	"slices"
	"time"

	"aqueduck/internal/schedule"
)

// Due is a time at which `serve` runs a pipeline.
type Due struct {
	Pipeline string    `json:"pipeline"`
	At       time.Time `json:"at"`    // UTC
	Local    string    `json:"local"` // in the time zone of warehouse.timezone
	Zone     string    `json:"zone"`  // abbreviation or offset of the zone at that time
	Note     string    `json:"note"`  // what a change of the clocks does to it; "": nothing
}

// notesOfClocks are the notes about local times that clocks skip or show twice.
var notesOfClocks = map[schedule.Clock]string{
	schedule.Skipped: "daylight saving skips the scheduled time: this is the first minute after it",
	schedule.Twice:   "daylight saving repeats this time: this is the first one",
}

// NextRuns returns the next scheduled times of pipelines, `each` of every one, earliest first. Pipelines without a schedule have none.
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
