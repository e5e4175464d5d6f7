package extract

import (
	"errors"
	"fmt"
)

// Export is what the stream of a dataset remembers besides its marks: what the source calls it, the columns that its files
// have had, and the job that it waits for.
type Export struct {
	Family     string         `json:"family"`              // name of the stream file
	Dataset    string         `json:"dataset"`             // its id at the source
	Doc        string         `json:"doc,omitempty"`       // what one row is, in the source's words
	Columns    []ExportColumn `json:"columns,omitempty"`   // in the order of the table; never fewer
	Job        *ExportJob     `json:"job,omitempty"`       // asked for, or about to be
	Refresh    *ExportSpan    `json:"refresh,omitempty"`   // what is left of the refresh under way
	Refreshed  int64          `json:"refreshed,omitempty"` // first second of the day on which the last refresh began
	LowestTime int64          `json:"down,omitempty"`      // the lowest time ever read: what is read anew goes down to it
}

// ExportColumn is a column of a dataset: the name here, the header there, and the attribute it is of where that is known.
type ExportColumn struct {
	Name      string `json:"name"`
	Header    string `json:"header"`
	Attribute string `json:"attribute,omitempty"`
	Gone      bool   `json:"gone,omitempty"` // the last file did not have it
}

// ExportSpan is a span of whole days, its end excluded.
type ExportSpan struct {
	From int64 `json:"from"` // Unix seconds
	To   int64 `json:"to"`   // Unix seconds
}

// ExportJob is one export. It is stored twice: before it is asked for, without an ID, and once the source has named it.
type ExportJob struct {
	ExportSpan
	Kind  string `json:"kind"`         // forward, refresh, history, window
	ID    string `json:"id,omitempty"` // empty: nobody heard whether the source took it
	Asked int64  `json:"asked"`
	Tries int    `json:"tries,omitempty"` // jobs for the same span before it
}

// The kinds of jobs.
const (
	ExportForward = "forward" // moves the mark
	ExportRefresh = "refresh" // finds what came late and what changed
	ExportHistory = "history" // reads downward
	ExportWindow  = "window"  // was asked for by its days, and moves nothing
)

func (e *Export) validateExport() error {
	if e.Family == "" || e.Dataset == "" {
		return errors.New("an export of no dataset")
	}
	names := map[string]bool{}
	for _, c := range e.Columns {
		if c.Name == "" || names[c.Name] {
			return fmt.Errorf("column %q has no name, or that of another", c.Header)
		}
		names[c.Name] = true
	}
	if e.Refreshed < 0 || e.LowestTime < 0 || e.Refresh != nil && !e.Refresh.isValidSpan() {
		return errors.New("a refresh has no period")
	}
	if j := e.Job; j != nil && (!j.isValidSpan() || j.Asked < 0 || j.Tries < 0 ||
		j.Kind != ExportForward && j.Kind != ExportRefresh && j.Kind != ExportHistory && j.Kind != ExportWindow) {
		return errors.New("a job has no period or no kind")
	}
	return nil
}

func (s ExportSpan) isValidSpan() bool { return s.From > 0 && s.To > s.From }
