package knobs

import "time"

// ExportFile says what the file of an export looks like. The zero value is a .tgz with one CSV file.
type ExportFile struct {
	Form         string  // "": tgz; gzip, zip, csv, ndjson (in a tgz)
	Members      int     // the rows are spread over so many files; 0: one
	NoMember     bool    // there is none
	BOM          bool    // a byte order mark before the header
	LF           bool    // lines end with LF, not with CRLF
	Truncate     float64 // this share of the file's end is missing, and nothing says so
	SecondMember bool    // a second gzip stream follows
	Added        []string
	Without      []string // ids of attributes that the source no longer has
	Lost         []string // headers that are left out of the file although they were asked for
	Reversed     bool     // columns come in the opposite order
	Local        bool     // times are texts in the workspace's zone, without an offset

	Spoil func(file []byte) []byte `json:"-"` // changes the finished file; nil: as it is
}

// ExportKnobs turn on what export services do to their readers. The zero value follows the document.
type ExportKnobs struct {
	Pending time.Duration // how long a job waits; 0: 100 ms
	Working time.Duration // how long it works after that; 0: 150 ms
	Hidden  time.Duration // for so long after enqueueing a job answers 404
	Fail    int           // so many jobs, the first ones, end as failed
	Status  string        // what a finished job calls itself; "": complete
	NoURL   bool          // download_url stays "" also when complete
	URLLife time.Duration // of a download URL; 0: an hour
	Expired string        // what an expired URL answers: "", 403, 404, 410 or html (with 200)
	Storage string        // where download URLs lead; "": the address that was asked
	Outside bool          // rows on the bounds that were asked for are left out (trap T105)
	File    ExportFile
}
