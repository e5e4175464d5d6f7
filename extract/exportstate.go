package extract

import (
	"errors"
	"fmt"
)

// Export is the part of a State that only streams of export datasets have: the dataset, the columns that its files have had, and
// the job under way.
type Export struct {
	Family     string         `json:"family"`              // name of the stream file
	Dataset    string         `json:"dataset"`             // id of the dataset at the source
	Doc        string         `json:"doc,omitempty"`       // the source's description of a row
	Columns    []ExportColumn `json:"columns,omitempty"`   // in the order of the table; columns are only added
	Job        *ExportJob     `json:"job,omitempty"`       // asked for, or about to be
	Refresh    *ExportSpan    `json:"refresh,omitempty"`   // the rest of the refresh under way
	Refreshed  int64          `json:"refreshed,omitempty"` // first second of the day on which the last refresh began
	LowestTime int64          `json:"down,omitempty"`      // earliest time ever read; a full refresh reads down to it
	Zone       string         `json:"zone,omitempty"`      // the time zone in which times without one were read; "": not recorded
}

// ExportColumn is a column of a dataset: its name in the table, its header in the file, and the id of its attribute where that is
// known.
type ExportColumn struct {
	Name      string `json:"name"`
	Header    string `json:"header"`
	Attribute string `json:"attribute,omitempty"`
	Gone      bool   `json:"gone,omitempty"` // the last file did not have it
}

// ExportSpan is a span of whole days; To is exclusive.
type ExportSpan struct {
	From int64 `json:"from"` // Unix seconds
	To   int64 `json:"to"`   // Unix seconds
}

// ExportJob is one export job of the source. It is stored twice: without an ID before the request, and with the ID from the
// answer. After a crash between the two the job may exist without our knowing its ID.
type ExportJob struct {
	ExportSpan
	Kind  string `json:"kind"`            // forward, refresh, history, window
	ID    string `json:"id,omitempty"`    // empty: no answer tells whether the source has the job
	Asked int64  `json:"asked"`           // when it was asked for, Unix seconds
	Tries int    `json:"tries,omitempty"` // earlier jobs for the same span
}

// The kinds of jobs.
const (
	ExportForward = "forward" // advances the watermark
	ExportRefresh = "refresh" // finds late and changed rows
	ExportHistory = "history" // backfill: reads downward
	ExportWindow  = "window"  // an explicit window; moves no watermark
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
