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
	"aqueduck/load/read"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// windowEvidence is what a window of time has shown so far of the rows that are stored in it.
type windowEvidence struct {
	window extract.Window
	stored int64 // rows that were stored in the window before it was read
	met    bool  // one of them came
	came   bool  // any record came
}

// Datasets is what a run knows of the exports of one workspace.
type Datasets struct {
	Known []*schemas.Stream // every dataset that has a table, read in this run or not
	// Readers make a task of this run one that reads its dataset, by stream.
	Readers map[string]func(t *Task) (DayReader, error)
	States  map[string]*extract.Export // by stream, as stored
	Broken  map[*schemas.Stream]error  // families whose datasets cannot be listed, names that no dataset has
}

// doubtfulRecords are the records of a stream that an answer did not bring whole. Each is asked for by id once more in the same run, where that
// can be done, and then in each run until it comes whole. What is stored of it stays until then.
type doubtfulRecords struct {
	reasons   map[string]string // why, by key: what earlier runs have noted, and this one
	asked     map[string]bool   // ids that were asked for once more
	cameWhole map[string]bool   // those of them that came whole: what the list says of them is not held against them
	now       bool              // what is taken was asked for by id
	retryIDs  []string          // ids to be asked for once more

	incomplete []transform.Incomplete // for the open batch to note
	completed  []string               // and to take out again
}

// Progress gathers what the streams of a run do, for the log, for run.json and for the estimates in the report.
type Progress struct {
	run *Run

	mu      sync.Mutex // guards what follows
	doing   string
	streams map[*Task]*runlog.RunningStream
	history map[*Task]*backfillProgress

	traces    map[*Task]*streamTrace
	published []runlog.Span
	since     time.Time // when the publish under way began
}

// backfillProgress is how much of a stream's history is read: records stored against what the source counts. Of a source that does
// not count it is seconds read of those from the start to now.
type backfillProgress struct {
	began         time.Time
	before, total int64     // stored when this run began with the history; counted by the source
	known, stored int64     // new records of this run until then, and since; what is read again does not count
	open          int64     // read and not yet stored
	at            time.Time // of the last page
	least         float64   // what earlier runs said: the share goes back for no record that has come to the source since
	from          int64     // of seconds: where the history began in this run; 0 of records
}

// streamReader reads one phase of a stream in one of the ways that there are. The state machine of each way lives in extract; what only the
// warehouse knows, absence and ids, is asked here.
type streamReader interface {
	Read(ctx context.Context, phase extract.Phase) error
}

// DayReader is the reader of a dataset of exports, whose history is days.
type DayReader interface {
	streamReader
	DaysPending() bool                        // days of the history are still to be read
	DaysRead() float64                        // the share of the history that is read
	CommitProgress(ctx context.Context) error // without rows
}

// The ways of reading a stream, but for exports.
type (
	listReader  struct{ *Task } // a list read by time, or on from a bookmark
	sweepReader struct{ *Task } // a list read whole
	queueReader struct{ *Task } // under each row of a parent stream that waits for it
	idReader    struct{ *Task } // by the ids that an SQL file names
)

// ownSQL is a piece of SQL of a user's stream file.
type ownSQL struct {
	read.Rehearsed

	stream, name string
	ids          bool // it names the ids to read
}

// Run is one run of one pipeline: its writer, its workspaces, and what it has done so far.
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
	Now      func() time.Time
	Started  time.Time // by the run's clock
	Deadline time.Time // zero: none

	Workspaces []*Workspace
	Tasks      []*Task
	Stopped    atomic.Bool // whoever wants the first failure to end the run stops every stream
	Held       atomic.Bool // a publish was held back: none is tried before the run's end

	Reported  runlog.Report
	FindMu    sync.Mutex // guards findings
	Findings  []load.Finding
	publishMu sync.Mutex                      // one stream publishes for all
	Publish   func(ctx context.Context) error // what is committed so far
	Newest    bool                            // what is newest is read, and history is still to be
}

// Workspace is one source of the run.
type Workspace struct {
	Name    string
	Config  *config.Workspace
	Source  runner.Source
	Client  *api.Client
	Streams []*schemas.Stream
	Exports Datasets           // datasets of the families among the streams
	Answers map[string]string  // what the source last said of each stream: ok or unavailable
	lethal  map[string]error   // by stream: what its SQL file did to the process that tried it
	Shares  map[string]float64 // of their histories that earlier runs had read, by stream
	Lost    error              // why it could not be asked who it is; nil: it could
	Refused atomic.Bool        // no stream of it is asked any more: it is lost, or answered 401
}

// Task reads one stream of one workspace: pages in, batches committed with the state that they make true.
type Task struct {
	Run             *Run
	Workspace       *Workspace
	Stream          *schemas.Stream
	Tables          []transform.Table
	Start           time.Time // history is read down to here; zero: to the first record
	Decoder         *transform.Decoder
	listFingerprint *transform.FingerprintReader // nil: nothing in a list tells whether a record is stored as it is
	reader          streamReader                 // reads the stream in its way
	Days            DayReader                    // the same, of a dataset of exports; nil: of any other stream
	childQueues     []transform.ChildStream      // streams that are read over what this one commits
	doneIDs         []string                     // ids of the open batch that the stream waits for no longer
	rereadKeys      map[string]bool              // keys of records that this run's walks over a list have read by themselves
	seenKeys        []string                     // of these, what the open batch has met again
	redactedIDs     []string                     // those of them that have no rows, where that takes texts out
	askedAt         time.Time                    // of the ids that it waits for: when the last was put there
	Broken          error                        // why the stream cannot be read at all
	nearlyAlwaysSet map[string]bool              // columns that nearly every stored row has; nil until asked for

	evidence *windowEvidence // of the window at hand; nil: before the first
	doubts   doubtfulRecords

	earlierShare float64 // share of the history that earlier runs had read
	Base         load.Checkpoint
	State        extract.State
	walkBegan    time.Time // when the walk over the list began
	batchOpened  time.Time // when the open batch took its first record
	listCapped   bool      // a record was met whose list the source cuts short
	Done         bool      // the last phase was read to its end
	Newest       bool      // what is newest was: the mark is where the run wanted it, or the whole list was walked
	Result       runlog.StreamResult

	Refreshed bool // a full refresh ended: what the source gives was all read again
}

// streamTrace is what a run notes of one stream while it reads.
type streamTrace struct {
	spans   []runlog.Span
	reading int           // index of the span under way, -1: none
	waited  time.Duration // what of its waiting has a span
}
