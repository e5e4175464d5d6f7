package knobs

import "time"

// ExportFile describes the file of an export. The zero value is a .tgz with one CSV file.
type ExportFile struct {
	Form         string  // "": tgz; gzip, zip, csv, ndjson (in a tgz)
	Members      int     // number of files that the rows are spread over; 0: one
	NoMember     bool    // the archive contains no file
	BOM          bool    // a byte order mark before the header
	LF           bool    // lines end with LF instead of CRLF
	Truncate     float64 // share of the file's end that is cut off without any notice
	SecondMember bool    // the file has a second gzip stream
	Added        []string
	Without      []string // ids of attributes that the source no longer has
	Lost         []string // headers that are missing in the file although they were asked for
	Reversed     bool     // columns come in reverse order
	Local        bool     // times are texts in the workspace's zone, without an offset

	Spoil func(file []byte) []byte `json:"-"` // changes the finished file; nil: no change
}

// ExportKnobs turn on optional behaviour of the export service. The zero value follows the document.
type ExportKnobs struct {
	Pending time.Duration // how long a job is pending; 0: 100 ms
	Working time.Duration // how long it works after that; 0: 150 ms
	Hidden  time.Duration // time after enqueueing during which a job answers 404
	Fail    int           // number of jobs, the first ones, that fail
	Status  string        // status of a finished job; "": complete
	NoURL   bool          // download_url stays "" also when complete
	URLLife time.Duration // lifetime of a download URL; 0: an hour
	Expired string        // answer of an expired URL: "", 403, 404, 410 or html (with 200)
	Storage string        // scheme and host of download URLs; "": those of the request
	Outside bool          // rows exactly on the requested bounds are excluded (trap T105)
	File    ExportFile
}
