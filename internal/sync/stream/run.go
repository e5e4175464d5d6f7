package stream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/read"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// windowEvidence is what the pages of one window have shown so far about the rows that are stored in that window. A window without
// evidence does not move the watermark: see checkWindowEvidence.
type windowEvidence struct {
	window    extract.Window
	column    string               // of the records' times
	from, to  time.Time            // the window; its end is now where it has none
	stored    int                  // the newest of them, as many as are looked for
	missing   map[string]time.Time // those of them that the source has not returned
	anyRecord bool                 // the source returned any record
}

// Datasets is what a run knows of the exports of one workspace.
type Datasets struct {
	Known []*schemas.Stream // every dataset that has a table, read in this run or not
	// Readers makes the reader of a dataset for a task of this run, by the name of the stream.
	Readers map[string]func(t *Task) (DayReader, error)
	States  map[string]*extract.Export // by stream, as stored
	Broken  map[*schemas.Stream]error  // families whose datasets cannot be listed, names that no dataset has
}

// doubtfulRecords are the records of a stream that the source sent incomplete. A run reads each of them by id once more, where the API can do
// that, and every later run does so until the record arrives complete. Until then the stored row stays as it is.
type doubtfulRecords struct {
	reasons     map[string]string // why a record is incomplete, by key: noted by earlier runs and by this one
	asked       map[string]bool   // ids that this run has read by id
	cameWhole   map[string]bool   // those of them that arrived complete: a list that shows less of them later does not count
	readingByID bool              // the records at hand were read by id
	retryIDs    []string          // ids that this run has still to read by id

	incomplete []transform.Incomplete // the next commit notes these
	completed  []string               // the next commit removes the notes of these keys
}

// Progress gathers what the streams of a run do, for the log, for run.json and for the estimates in the report. Its methods may be called
// from several goroutines.
type Progress struct {
	run *Run

	mu      sync.Mutex // guards what follows
	doing   string
	streams map[*Task]*runlog.RunningStream
	history map[*Task]*backfillProgress

	listed   map[*Task]int64 // records of a list that are still to be read, by the list's own count
	ended    map[*Task]bool  // nothing of the stream is left to be read in this run
	forecast runlog.Forecast

	traces    map[*Task]*streamTrace
	pace      map[*Workspace]*paceCurve
	published []runlog.Span
	since     time.Time // when the publish under way began
	steps     []runlog.PublishStep
	step      int       // index in steps of the step under way
	stepBegan time.Time // when it began; zero: no publish is under way
}

// backfillProgress is how much of a stream's history is read. Its unit is records: stored ones against the number that the source states.
// For a source that states no number the unit is seconds: those that are read against those between the start and now.
type backfillProgress struct {
	began         time.Time
	before, total int64     // records stored when this run's backfill began; records that the source states
	known, stored int64     // new records of this run before the backfill, and since; unchanged and changed records do not count
	open          int64     // records read and not yet committed
	oldest        time.Time // of the source's oldest record; zero: unknown
	at            time.Time // of the last page
	least         float64   // the share that earlier runs reached: new records at the source do not lower it
	from          int64     // where the history began in this run, in Unix seconds; 0 when the unit is records
}

// streamReader reads one phase of a stream. The state machines of the kinds of streams are in extract; the readers here add what only the
// work database knows: which rows are missing from a list, and which ids to read.
type streamReader interface {
	Read(ctx context.Context, phase extract.Phase) error
}

// DayReader reads a dataset of exports. The unit of its history is calendar days.
type DayReader interface {
	streamReader
	DaysPending() bool                        // days of the history are still to be read
	DaysRead() float64                        // the share of the history that is read, 0 to 1
	CommitProgress(ctx context.Context) error // commits the state alone, without rows
}

// The readers of all kinds of streams except exports.
type (
	listReader  struct{ *Task } // a list by time, or from a bookmark on
	sweepReader struct{ *Task } // a whole list, a full-list sweep
	queueReader struct{ *Task } // one list for each row of a parent stream that waits in the queue
	idReader    struct{ *Task } // single records, by the ids that an SQL file selects
)

// ownSQL is a piece of SQL from a user's stream file.
type ownSQL struct {
	read.Rehearsed

	stream, name string
	ids          bool // it selects the ids to read
}

// Run is one run of one pipeline: its writer, its workspaces and its results so far. The streams of a run read it from several goroutines.
type Run struct {
	Runner   *runner.Runner
	Config   *config.Config
	Pipeline *config.Pipeline
	Options  runner.Options
	ID       string
	HashKey  []byte
	Rehash   bool // stored values were hashed with another key
	Writer   *warehouse.Writer
	Progress *Progress
	Withdraw func() // ends what Progress.Announce began; nil: it was not called
	Now      func() time.Time
	Started  time.Time // by the warehouse's clock
	Deadline time.Time // zero: none

	Workspaces  []*Workspace
	Tasks       []*Task
	Stopped     atomic.Bool // a stream failed and the options say that the first failure ends the run
	PublishHeld atomic.Bool // a publish was held back: the next attempt is at the end of the run

	Reported  runlog.Report
	FindMu    sync.Mutex // guards Findings, and the notes and changes in Reported
	Findings  []load.Finding
	publishMu sync.Mutex                      // one stream publishes for all
	Publish   func(ctx context.Context) error // publishes what is committed so far
	Newest    bool                            // the forward pass of all streams is done; the backfill may be pending
}

// Workspace is one source of the run.
type Workspace struct {
	Name       string
	Config     *config.Workspace
	Source     runner.Source
	Client     *api.Client
	Streams    []*schemas.Stream
	Exports    Datasets                   // datasets of the families among the streams
	Answers    map[string]string          // how the last request for each stream ended: ok or unavailable
	crashedSQL map[string]error           // by stream: how its SQL file crashed the process that tried it
	Past       map[string]facts.PastReads // by stream: how earlier runs read it
	Lost       error                      // why the request for the workspace's identity failed; nil when it succeeded
	Refused    atomic.Bool                // no more requests for any stream: the workspace is lost, or answered 401
}

// Task reads one stream of one workspace. It decodes pages into an open batch, and commits each batch together with the checkpoint that is
// true once those rows are stored. One goroutine at a time reads a task; Progress and the report look at it meanwhile.
type Task struct {
	Run             *Run
	Workspace       *Workspace
	Stream          *schemas.Stream
	Tables          []transform.Table
	Start           time.Time // the backfill ends here; zero: at the first record
	Decoder         *transform.Decoder
	listFingerprint *transform.FingerprintReader // nil: a list does not show whether a record differs from its stored row
	reader          streamReader
	Days            DayReader               // the reader of a dataset of exports; nil for all other streams
	childQueues     []transform.ChildStream // child streams: a commit of this stream puts its rows into their queues
	doneIDs         []string                // ids that the next commit removes from this stream's own queue
	rereadKeys      map[string]bool         // keys of records that the sweeps of this run have already read by id
	seenKeys        []string                // keys of the open batch that a sweep has seen and that bring no row
	redactedIDs     []string                // those of doneIDs without any record, where that means that the source redacted the text
	askedAt         time.Time               // when the newest of the ids at hand entered the queue
	Broken          error                   // why the stream cannot be read at all
	nearlyAlwaysSet map[string]bool         // columns that nearly every stored row has, of those that were absent at the first query; nil before it

	evidence map[extract.Window]*windowEvidence // of the windows that are being read
	doubts   doubtfulRecords

	earlierShare float64         // the share of the history that earlier runs had read, 0 to 1
	Base         load.Checkpoint // as committed
	State        extract.State   // as it becomes true with the commit of the open batch
	swept        sweptList       // the list of the current sweep
	walkBegan    time.Time       // when the current sweep began, by the clock of the work database
	batchOpened  time.Time       // when the open batch received its first record
	keysRepeat   bool            // records of one answer had the same key, and the finding is noted
	listCapped   bool            // the source sent a record with a truncated list, and the finding is noted
	Done         bool            // the last phase was read to its end
	Newest       bool            // the forward pass is complete: the watermark is where the run wanted it, or the sweep ended
	Result       runlog.StreamResult

	Refreshed  bool           // a full refresh of the stream has ended in this run
	beforePage *extract.State // what is stored while no page of the full refresh has come: the state before it, with RefreshDue; nil: a page has come, or there is no refresh
}

// streamTrace is what a run notes of one stream while it reads.
type streamTrace struct {
	spans   []runlog.Span
	reading int           // index of the span under way, -1: none
	waited  time.Duration // how much of the client's waiting time has a span already
}
