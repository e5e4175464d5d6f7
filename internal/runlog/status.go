package runlog

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Status is what is known about a warehouse from files that no run is writing.
type Status struct {
	Dir         string             `json:"dir"`
	AsOf        time.Time          `json:"data_as_of,omitzero"` // everything before this time is in the published file
	Foreign     error              `json:"-"`                   // why the directory is not a warehouse; nil: it is, or may become one
	Running     *Running           `json:"running"`             // nil: no run is under way
	Lost        *Running           `json:"lost"`                // a crashed run that is not noted yet
	Next        []NextRun          `json:"next"`
	Given       problem.CLIFlags   `json:"-"`    // flags that commands in next steps repeat
	Runs        []PastRun          `json:"runs"` // newest first, and the newest of each pipeline that was not limited to a part of it
	Streams     []StreamStatus     `json:"streams"`
	NotRead     []NotRead          `json:"not_read,omitempty"`             // pipelines with streams that no run has read yet
	Unfinished  []StreamStatus     `json:"-"`                              // streams that no run has read to its end: so there is no AsOf
	Drift       []Drift            `json:"schema_drift"`                   // of the last run and the DriftDays days before it, newest first
	Remote      *remote.StoreState `json:"remote,omitempty"`               // the object store; nil: none
	Gone        bool               `json:"published_files_gone,omitempty"` // runs published, and no published file is left
	MissingLink string             `json:"missing_link,omitempty"`         // the link to the newest published file; "": it is there, or no file is
	Erasing     bool               `json:"erasing,omitempty"`              // files may still have erased data: the next run finishes an erasure or a masking
	Unpublished bool               `json:"-"`                              // nothing is published
	Emulated    bool               `json:"emulated"`                       // all times are those of an emulated workspace
	RolledBack  *Rollback          `json:"rolled_back,omitempty"`          // the rollback since which nothing was published
	Now         time.Time          `json:"now"`                            // by the clock of the warehouse, as all times here

	tried map[string]bool // WORKSPACE.STREAM of all streams that runs have tried to read
}

// RepeatFlags adds the flags of the command line to all next steps.
func (s *Status) RepeatFlags(given problem.CLIFlags) {
	s.Given = given
	for i := range s.Runs {
		s.Runs[i].Next = given.Append(s.Runs[i].Next)
	}
	for i := range s.Streams {
		s.Streams[i].Hint = given.Append(s.Streams[i].Hint)
	}
}

// MissingModels are the models that the published file lacks, by the last run that published; "": none.
func (s *Status) MissingModels() string {
	i := slices.IndexFunc(s.Runs, PastRun.hasFile)
	if i < 0 {
		return ""
	}
	return s.Runs[i].MissingModels
}

// FindMissingModels gives the MissingModels of a warehouse, whose status is not read.
func FindMissingModels(ctx context.Context, dir layout.Dir) (string, error) {
	runs, err := PastRuns(ctx, dir, "", shownRuns)
	return (&Status{Runs: runs}).MissingModels(), err
}

// NextRun is the next run of a pipeline.
type NextRun struct {
	Pipeline string    `json:"pipeline"`
	At       time.Time `json:"at"`            // when it begins
	Try      int       `json:"try,omitempty"` // the number of the retry; 0: a scheduled run
	Machine  time.Time `json:"-"`             // when it begins by this machine's clock, if the warehouse has an emulated one
}

// StreamStatus is the state of one stream.
type StreamStatus struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	SyncedTo  time.Time `json:"synced_to,omitzero"`    // the watermark
	HistoryTo time.Time `json:"history_to,omitzero"`   // the oldest time read; absent when the history is complete
	Checked   time.Time `json:"checked_at,omitzero"`   // when a run last sent a request for it
	OK        time.Time `json:"read_well_at,omitzero"` // start of the last run that read it up to date
	Freshness Freshness `json:"freshness,omitempty"`   // "": no schedule and no limit, or never read and not yet late
	Outcome   string    `json:"outcome"`               // of its last run
	Backfill  float64   `json:"backfill"`              // share of its history that is read, 0 to 1
	Error     string    `json:"error,omitempty"`       // of its last run
	Hint      string    `json:"next,omitempty"`

	Refreshing bool `json:"refreshing,omitempty"` // a full refresh was cut: the next run continues it, and readers have the rows from before it

	RewoundFrom time.Time `json:"rewound_from,omitzero"` // the watermark before `state rewind` moved it back; absent: a run has moved it since

	unread bool // no run has begun it: it is here because it is too old

	first time.Time // start of the first run that was to read it while the workspace had it
}

// shownRuns is the number of past runs in a status.
const shownRuns = 10

// ReadStatus reads the published file, run.json and the notes of ended runs, and judges them when this machine's clock shows the given time.
// Without a configuration there are no next runs, and no stream is late.
func ReadStatus(ctx context.Context, dir layout.Dir, config *config.Config, catalogue *schemas.Catalogue, machine time.Time) (*Status, error) {
	s := &Status{Dir: string(dir), Foreign: layout.Foreign(dir), Next: []NextRun{}, Runs: []PastRun{}, Streams: []StreamStatus{}}
	machine = machine.UTC()
	s.Now, s.Emulated = WarehouseTime(dir, machine)
	var err error
	if s.Running, s.Lost, err = readRunFile(dir); err != nil {
		return nil, err
	}
	s.Remote, s.Erasing = remote.ReadState(dir), dir.Erasing()
	if s.RolledBack, err = LastRollback(dir); err != nil {
		return nil, err
	}
	if s.Gone, err = LostPublished(dir); err != nil {
		return nil, err
	}
	if catalogue == nil {
		if catalogue, err = schemas.Builtin(); err != nil {
			return nil, err
		}
	}
	err = WithPublished(ctx, dir, func(f PublishedDB) error { return s.readStreams(ctx, f, catalogue) })
	if errors.Is(err, failure.ErrNothingPublished) {
		var files []string
		s.Unpublished = true
		files, err = dir.PublishedFiles()
		if len(files) > 0 {
			s.MissingLink = dir.Link()
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	runs, err := PastRuns(ctx, dir, "", keptEnds)
	if err != nil {
		return nil, err
	}
	s.Runs = append(s.Runs, recentRuns(runs, shownRuns)...)
	if s.Drift, err = ReadDrift(ctx, dir, catalogue); err != nil {
		return nil, err
	}
	s.asOf(config, catalogue)
	if config != nil {
		if place := config.Warehouse.Remote; s.Remote == nil && place != "" {
			s.Remote = &remote.StoreState{Place: place} // no run has reached it yet
		}
		ends, err := ReadRunNotes(dir)
		if err != nil {
			return nil, err
		}
		for _, p := range config.Pipelines {
			if p.Schedule != nil {
				s.Next = append(s.Next, s.byClock(nextRun(p, ends, machine), machine))
			}
		}
		s.judgeFreshness(config, catalogue)
		s.findNotRead(config)
		s.addNeverRead(config, catalogue, ends)
	}
	return s, nil
}

// byClock returns a run that begins at a time of this machine's clock with the time that the warehouse's clock would have then.
func (s *Status) byClock(n NextRun, machine time.Time) NextRun {
	if s.Emulated {
		n.Machine = n.At
	}
	n.At = n.At.Add(s.Now.Sub(machine))
	return n
}

// readStreams reads the state of each stream from the published file.
func (s *Status) readStreams(ctx context.Context, f PublishedDB, catalogue *schemas.Catalogue) error {
	// A stream that no run has reached has no checkpoint: only the last run of its pipeline knows it. A run that was limited to a span of time moves
	// no watermark, so the run that has read a stream up to date is the first one with its watermark. A stream by ids moves its watermark only when
	// there are ids to read: it is up to date after each run that left none waiting.
	const streams = `SELECT schema, stream, f.synced_to, f.history_to, f.checked_at, l.outcome, l.backfill, l.hint, coalesce(l.reached, f.synced_to), l.first, l.error, l.ok, c.refreshing, p.waiting
		FROM _sync.freshness f FULL JOIN (
			SELECT schema, stream, arg_max(outcome, started_at) AS outcome, arg_max(backfill, started_at) AS backfill,
			       arg_max(coalesce(hint, ''), started_at) AS hint, arg_max(coalesce(error, ''), started_at) AS error, max(started_at) FILTER (outcome = 'ok') AS ok,
			       min(started_at) FILTER (outcome = 'ok' AND synced_to = newest) AS reached,
			       min(started_at) FILTER (outcome <> 'unavailable') AS first, arg_max(run_id, started_at) AS run
			FROM (SELECT *, arg_max(synced_to, started_at) FILTER (outcome = 'ok') OVER (PARTITION BY schema, stream) AS newest FROM _sync.stream_runs)
			GROUP BY schema, stream) l USING (schema, stream)
			LEFT JOIN (SELECT schema, stream, json_extract_string(state, '$.replace') = 'true' OR json_extract_string(state, '$.due') = 'true' AS refreshing FROM _sync.checkpoints) c USING (schema, stream)
			LEFT JOIN (SELECT schema, stream, true AS waiting FROM _sync.pending GROUP BY ALL) p USING (schema, stream)
		WHERE f.stream IS NOT NULL OR l.ok IS NULL AND l.outcome <> 'unavailable' AND l.run IN (SELECT arg_max(run_id, started_at) FROM _sync.runs GROUP BY pipeline)
		ORDER BY ALL`
	err := f.queryStatement(ctx, streams, func(v []any) error {
		one := StreamStatus{Workspace: AsText(v[0]), Stream: AsText(v[1]), SyncedTo: AsTime(v[2]),
			HistoryTo: AsTime(v[3]), Checked: AsTime(v[4]), Outcome: AsText(v[5]), Backfill: asShare(v[6]), Hint: AsText(v[7]), OK: AsTime(v[8]),
			first: AsTime(v[9]), Error: AsText(v[10]), Refreshing: v[12] == true}
		known, ok := catalogue.Stream(one.Stream)
		switch {
		case ok && known.Read.ByIDs() && (one.SyncedTo.IsZero() || v[13] == nil):
			one.OK = AsTime(v[11])
		case ok && one.OK.Equal(one.SyncedTo) && !one.OK.IsZero(): // no run that ended well is known, only the watermark
			one.OK = one.OK.Add(known.Read.Since.Lag)
		}
		s.Streams = append(s.Streams, one)
		return nil
	})
	if err != nil {
		return err
	}
	s.tried = map[string]bool{}
	err = f.queryStatement(ctx, "SELECT DISTINCT schema || '.' || stream FROM _sync.stream_runs", func(v []any) error { s.tried[AsText(v[0])] = true; return nil })
	if err != nil {
		return err
	}
	s.limitByParents(catalogue)
	moves, err := f.readMoves(ctx)
	for i := range s.Streams {
		s.Streams[i].noteRewinds(moves)
	}
	return err
}

// limitByParents makes no stream that is read along with another one fresher than that: a run of a span of time reads only some of its ids.
func (s *Status) limitByParents(catalogue *schemas.Catalogue) {
	for i := range s.Streams {
		one := &s.Streams[i]
		known, ok := catalogue.Stream(one.Stream)
		if !ok || !known.Read.ByIDs() || known.With == "" {
			continue
		}
		for _, parent := range s.Streams {
			if parent.Workspace == one.Workspace && parent.Stream == known.With && parent.OK.Before(one.OK) {
				one.OK = parent.OK
			}
		}
	}
}

// noteRewinds sets RewoundFrom from all moves of checkpoints, newest first.
func (s *StreamStatus) noteRewinds(moves []CheckpointMove) {
	at := s.SyncedTo
	for _, m := range moves {
		if m.Workspace != s.Workspace || m.Stream != s.Stream {
			continue
		}
		if m.To.IsZero() || !m.To.Equal(at) {
			return
		}
		at, s.RewoundFrom = m.From, m.From
	}
}

// publishedTo is the time up to which all data is published. A rewind takes no row away.
func (s *StreamStatus) publishedTo() time.Time {
	if s.RewoundFrom.After(s.SyncedTo) {
		return s.RewoundFrom
	}
	return s.SyncedTo
}

// asOf sets the time before which all data is published. There is none while a stream was begun and never read to its end. Streams by ids without current ids, and
// streams that the workspace does not have, do not count, nor do those that no pipeline of the configuration reads; nil: it is not known.
func (s *Status) asOf(c *config.Config, catalogue *schemas.Catalogue) {
	s.AsOf, s.Unfinished = time.Time{}, nil
	for _, stream := range s.Streams {
		reads := func(p *config.Pipeline) bool { return ReadsStream(p, c, catalogue, stream.Workspace, stream.Stream) }
		if stream.unread || c != nil && !slices.ContainsFunc(c.Pipelines, reads) {
			continue
		}
		known, ok := catalogue.Stream(stream.Stream)
		if stream.OK.IsZero() && stream.Outcome != string(StatusUnavailable) && !(ok && known.Read.ByIDs()) {
			s.Unfinished = append(s.Unfinished, stream)
			continue
		}
		idle := ok && known.Read.ByIDs() && stream.Outcome == string(StatusOK)
		if to := stream.publishedTo(); !idle && !to.IsZero() && (s.AsOf.IsZero() || to.Before(s.AsOf)) {
			s.AsOf = to
		}
	}
	if len(s.Unfinished) > 0 {
		s.AsOf = time.Time{}
	}
}

// LastRuns returns when each pipeline last started by this machine's clock, which the ids of runs have, as far as the published file and the notes of
// ended runs know. Of the notes, a run by hand counts only if it read the whole pipeline well: another one does not replace a scheduled run.
func LastRuns(ctx context.Context, dir layout.Dir) (map[string]time.Time, error) {
	last := map[string]time.Time{}
	take := func(pipeline, run string) {
		if id, err := ulid.Parse(run); err == nil && id.Timestamp().After(last[pipeline]) {
			last[pipeline] = id.Timestamp().UTC()
		}
	}
	notes, err := ReadRunNotes(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range notes {
		if e.Try > 0 || e.Outcome == "OK" && !e.Part {
			take(e.Pipeline, e.Run)
		}
	}
	err = QueryPublished(ctx, dir, "SELECT pipeline, max(run_id) FROM _sync.runs GROUP BY ALL", func(v []any) error {
		take(AsText(v[0]), AsText(v[1]))
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		return last, nil
	}
	return last, err
}
