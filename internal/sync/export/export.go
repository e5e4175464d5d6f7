package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

const (
	firstSpan    = 7  // days that the first job of a run asks for, and the first reading of a dataset
	longestSpan  = 28 // days of one job
	usualHistory = 90 // days that a dataset without a configured start goes back
	smallExport  = 8 << 20
	largeExport  = 64 << 20
	mostExport   = 512 << 20   // bytes of one commit, in memory
	jobsASpan    = 3           // jobs that one run starts for the same days
	slotsFull    = time.Minute // the pause while all job slots of the workspace are taken
	slotsPatient = time.Hour   // the run waits so long for a slot
	jobRequests  = 3           // of one job at least: ask for it, its status, its file
)

// EstimateFirstRequests returns how many requests the first reading of a dataset takes, from its start, or usualHistory days back where start is the
// zero time. Each job is taken to be done when its status is asked for, and its file to be small, so that spans grow.
func EstimateFirstRequests(start, now time.Time) int64 {
	days := usualHistory
	if !start.IsZero() {
		days = int(now.Sub(start) / (24 * time.Hour))
	}
	jobs, span := int64(1), firstSpan
	for left := days - firstSpan; left > 0; left -= span {
		span = min(longestSpan, span*2)
		jobs++
	}
	return jobs * jobRequests
}

// wantedFloor returns the first second of the oldest day that the configuration wants: its start, else usualHistory days back.
func (t *exportReader) wantedFloor() int64 {
	if !t.Start.IsZero() {
		return t.Start.Unix()
	}
	return t.export.days.AddDays(cmp.Or(t.export.until, t.State.SyncedTo), -usualHistory)
}

// historyFloor returns the first second of the oldest day to read: the wanted one, and never later than the oldest day that is stored, also by an
// explicit window.
func (t *exportReader) historyFloor() int64 {
	floor := t.wantedFloor()
	if down := t.State.Export.LowestTime; down > 0 {
		floor = min(floor, down)
	}
	return floor
}

// datasetExport is what a task needs to read one dataset of a family of exports.
type datasetExport struct {
	family  *schemas.Stream
	source  export.Source
	set     export.Dataset
	days    stream.DayGrid
	until   int64 // this run reads up to this second; 0 before it began
	top     int64 // the daily refresh ends at this second: later days were just read
	span    int   // days of the next job
	window  int64 // of an explicit window: the second up to which it is stored
	refresh time.Duration
}

// exportReader reads one dataset of exports, with one job for each span of days.
type exportReader struct {
	*stream.Task
	export *datasetExport
}

// ExpandDatasets replaces the families of exports among the workspace's streams by their datasets. Only the source knows which datasets exist. A
// family whose list cannot be read fails alone: its streams carry the error in w.Exports.Broken.
func ExpandDatasets(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	w.Exports = stream.Datasets{Readers: map[string]func(*stream.Task) (stream.DayReader, error){}, Broken: map[*schemas.Stream]error{}}
	var err error
	if w.Exports.States, w.Exports.Known, err = r.Writer.AdoptDatasets(ctx, w.Name, r.Runner.StoredStreams(w.Name)); err != nil {
		return err
	}
	zone, err := time.LoadLocation(r.Config.Warehouse.Timezone)
	if err != nil {
		return fmt.Errorf("load the warehouse's time zone: %w", err)
	}
	var streams []*schemas.Stream
	for _, s := range w.Streams {
		if !s.IsExportFamily() {
			streams = append(streams, s)
			continue
		}
		if w.Lost != nil {
			streams = append(streams, datasetsNotListed(r, w, s, w.Lost)...)
			continue
		}
		source := export.New(w.Client, s)
		sets, odd, err := source.Datasets(ctx, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			streams = append(streams, datasetsNotListed(r, w, s, err)...)
			continue
		}
		if len(odd) > 0 {
			r.AddFinding(load.Finding{Schema: w.Name, Stream: s.Name, Kind: "known", Name: "dataset_odd", Once: true, Found: fmt.Sprint(len(odd)),
				Message: fmt.Sprintf("datasets %q cannot be exported: they have no attributes, or their id is not a valid name. The others are read", odd)})
		}
		streams = append(streams, listDatasets(r, w, s, sets, func(set export.Dataset) *datasetExport {
			return &datasetExport{family: s, source: source, set: set, days: stream.DayGrid{Zone: zone}, span: firstSpan, refresh: config.UsualRefresh}
		})...)
		streams = append(streams, datasetsNotAsked(r, w, s, streams)...)
	}
	w.Streams = streams
	return nil
}

// datasetsNotAsked returns the streams of datasets that were read before, and that the source no longer lists, or lists without a usable id or
// attributes. They fail. Streams that are already among others are not repeated.
func datasetsNotAsked(r *stream.Run, w *stream.Workspace, family *schemas.Stream, others []*schemas.Stream) (streams []*schemas.Stream) {
	for _, s := range w.Exports.Known {
		if slices.ContainsFunc(others, func(other *schemas.Stream) bool { return other.Name == s.Name }) {
			continue
		}
		if e := w.Exports.States[s.Name]; e.Family == family.Name && wantsDataset(r, family, s.Name) {
			w.Exports.Broken[s] = &problem.Problem{Class: "source", Next: "wait for the next run; if the workspace no longer has it, name the other datasets in pipelines.yaml; stored data is safe, and the watermark stays",
				What: fmt.Sprintf("stream %s: dataset %q is not in the list, or cannot be exported", s.Name, e.Dataset)}
			streams = append(streams, s)
		}
	}
	return streams
}

// datasetsNotListed returns the streams that fail because the list of their family cannot be read: the datasets that were read before, or the
// family itself when there are none.
func datasetsNotListed(r *stream.Run, w *stream.Workspace, family *schemas.Stream, err error) (streams []*schemas.Stream) {
	for _, s := range w.Exports.Known {
		if e := w.Exports.States[s.Name]; e.Family == family.Name && wantsDataset(r, family, s.Name) {
			streams = append(streams, s)
		}
	}
	if len(streams) == 0 {
		streams = []*schemas.Stream{family}
	}
	for _, s := range streams {
		w.Exports.Broken[s] = err
	}
	return streams
}

// listDatasets returns the streams of a family that this run reads, and one that fails for each dataset that the configuration names and the
// source does not have.
func listDatasets(r *stream.Run, w *stream.Workspace, family *schemas.Stream, sets []export.Dataset, with func(export.Dataset) *datasetExport) []*schemas.Stream {
	var streams []*schemas.Stream
	var all []string
	names := map[string]bool{}
	for _, set := range sets {
		name := family.Name + "_" + export.SnakeCase(set.ID)
		all = append(all, name)
		if names[name] {
			r.AddFinding(load.Finding{Schema: w.Name, Stream: family.Name, Table: name, Kind: "known", Name: "dataset_odd", Once: true, Found: set.ID,
				Message: fmt.Sprintf("dataset %q would have the table %s, which another dataset has; it is not read", set.ID, name)})
			continue
		}
		if !wantsDataset(r, family, name) {
			continue
		}
		names[name] = true
		e := w.Exports.States[name]
		if e == nil {
			e = &extract.Export{Family: family.Name, Dataset: set.ID}
		}
		if e.Doc = set.Doc; e.Doc == "" {
			e.Doc = set.Name
		}
		w.Exports.States[name] = e
		x := with(set)
		if d := r.Config.Settings(name).Refresh; d > 0 {
			x.refresh = d
		}
		w.Exports.Readers[name] = func(t *stream.Task) (stream.DayReader, error) { return newExportReader(t, x) }
		streams = append(streams, dictionary.DatasetStream(family, name, e))
	}
	for _, pattern := range slices.Concat(r.Pipeline.Datasets, r.Pipeline.OwnPatterns(r.Options.Select)) {
		if config.PatternRank(pattern) == 1 && strings.HasPrefix(pattern, family.Name+"_") && !names[pattern] && wantsDataset(r, family, pattern) {
			s := &schemas.Stream{Name: pattern, File: family.File, Read: family.Read, Dataset: pattern}
			next := "remove it from pipelines.yaml; the workspace lists no dataset"
			if len(all) > 0 {
				next = "name one of the datasets of the workspace: " + strings.Join(all, ", ")
			}
			w.Exports.Broken[s] = &problem.Problem{Class: "config", What: "the workspace has no dataset for " + pattern, Next: next}
			names[pattern] = true
			streams = append(streams, s)
		}
	}
	return streams
}

// wantsDataset reports whether the pipeline and the options of this run select a dataset.
func wantsDataset(r *stream.Run, family *schemas.Stream, name string) bool {
	means := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return config.MatchesDataset(p, family.Name, name) })
	}
	return means(r.Pipeline.Datasets) && (len(r.Options.Select) == 0 || means(r.Pipeline.OwnPatterns(r.Options.Select))) && !means(r.Pipeline.OwnPatterns(r.Options.Exclude))
}

// newExportReader makes the reader of a dataset from the restored checkpoint of the task and the source's description of today.
func newExportReader(t *stream.Task, x *datasetExport) (stream.DayReader, error) {
	w := t.Workspace
	t.Start = dayOf(t.Start, x.days)
	if t.State.Export == nil {
		t.State.Export = &extract.Export{Family: x.family.Name, Dataset: x.set.ID}
		if stored := w.Exports.States[t.Stream.Name]; stored != nil {
			// A reset of the checkpoint keeps the table, so its columns and its oldest day must be known.
			t.State.Export.Columns, t.State.Export.LowestTime = stored.Columns, stored.LowestTime
		}
	}
	t.State.Export.Doc = t.Stream.Doc
	was, zone := t.State.Export.Zone, x.days.Zone.String()
	moved := was != "" && was != zone
	if moved {
		t.Run.AddNote(fmt.Sprintf("%s was read in the time zone %s: its days are read again in %s, because their times may have no zone", t.Stream.Name, was, zone))
	}
	if version := t.State.Version; moved || version != "" && version != w.Config.APIVersion {
		// Another API version exports other rows, so everything that was read is read again (T108).
		t.State.HistoryDone = false
		if t.State.SyncedTo > 0 { // the day of 1 January 1970 begins before 1970 in most zones
			t.State.HistoryTo = x.days.Of(t.State.SyncedTo)
		}
		t.State.Export = withoutJob(t.State.Export) // its days alone would count as the whole history
	}
	t.State.Export.Zone = zone
	reader := &exportReader{t, x}
	if len(t.Stream.Columns) == 0 {
		return reader, nil
	}
	return reader, reader.setDecoder(t.Stream)
}

// setDecoder gives the task a decoder for the columns of a stream. Masking that does not fit the columns breaks this task, and not the run.
func (t *exportReader) setDecoder(s *schemas.Stream) error {
	o, err := t.maskOptions(s)
	if err != nil {
		t.Broken = err
		return nil // the other streams are read
	}
	decoder, err := transform.NewDecoder(s, o)
	if err != nil {
		return fmt.Errorf("stream %s: %w", s.Name, err)
	}
	t.Run.Progress.Reshaped(func() { t.Stream, t.Decoder, t.Tables = s, decoder, transform.Tables(s) })
	return nil
}

// dayOf returns the instant at which a configured date begins in the grid's zone. The zero time stays zero.
func dayOf(start time.Time, grid stream.DayGrid) time.Time {
	if start.IsZero() {
		return start
	}
	y, m, d := start.Date()
	return time.Unix(grid.Begin(y, m, d), 0)
}

// maskOptions returns the names of hash and drop that the dataset has as columns. A pattern applies to the datasets that have such a column. A
// name under the dataset's own name must exist: otherwise personal data would be stored unmasked.
func (t *exportReader) maskOptions(s *schemas.Stream) (transform.Options, error) {
	o := transform.Options{APIVersion: t.Workspace.Config.APIVersion, HashKey: t.Run.HashKey}
	hash, drop := t.Run.Config.MaskedNames(s)
	for _, each := range []struct {
		names []string
		into  *[]string
	}{{hash, &o.Hash}, {drop, &o.Drop}} {
		for _, name := range each.names {
			if slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return c.Name == name }) {
				*each.into = append(*each.into, name)
			} else if t.Run.Config.NamesColumn(s.Name, name) {
				return o, &problem.Problem{Class: "config", What: fmt.Sprintf("stream %s has no column %q to mask", s.Name, name),
					Next: "correct streams." + s.Name + " in pipelines.yaml; nothing was stored"}
			}
		}
	}
	return o, nil
}
