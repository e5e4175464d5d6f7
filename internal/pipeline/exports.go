package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// exporting is what a task needs that reads one dataset of a family of exports.
type exporting struct {
	family  *schemas.Stream
	source  export.Source
	set     export.Dataset
	days    days
	until   int64 // what this run reads up to; 0 before it began
	top     int64 // what the refresh of this run ends at: the rest was just read
	span    int   // days that one job asks for
	window  int64 // of an explicit window: what is stored of it
	refresh time.Duration
}

// exportReader reads one dataset of exports: job after job, span after span of days.
type exportReader struct {
	*task
	export *exporting
}

// exported is what a run knows of the exports of one workspace.
type exported struct {
	known []*schemas.Stream // every dataset that has a table, read in this run or not
	// readers make a task of this run one that reads its dataset, by stream.
	readers map[string]func(t *task) (dayReader, error)
	states  map[string]*extract.Export // by stream, as stored
	broken  map[*schemas.Stream]error  // families whose datasets cannot be listed, names that no dataset has
}

// datasetStream is the stream of one dataset: its columns are texts, as the source sends them, behind the time that rows
// are asked by. They stand in the order in which they were first met.
func datasetStream(family *schemas.Stream, name string, e *extract.Export) *schemas.Stream {
	s := &schemas.Stream{Name: name, File: family.File, Doc: e.Doc, Table: name, Dataset: e.Dataset, Read: family.Read}
	if len(e.Columns) == 0 {
		return s // it has no table before its first file told what is in it
	}
	s.Newest = export.TimeColumn
	s.Columns = []schemas.Column{{Name: export.TimeColumn, From: []string{export.TimeColumn}, Type: schemas.Timestamp, Required: true,
		Doc: "The time of the row, as an instant: the column that the dataset is asked by."}}
	for _, c := range e.Columns {
		s.Columns = append(s.Columns, schemas.Column{Name: c.Name, From: []string{c.Name}, Type: schemas.Text, Doc: c.Header})
	}
	mark(s, family.Marks)
	return s
}

// mark says of the columns of a dataset what the family's file knows of their names. What is personal is about the persons,
// and those of the records, that the row names.
func mark(s *schemas.Stream, marks []schemas.Mark) {
	var whose []string
	for i := range s.Columns[1:] {
		c := &s.Columns[1+i]
		for _, m := range marks {
			if !slices.ContainsFunc(m.Columns, func(pattern string) bool { ok, err := path.Match(pattern, c.Name); return ok && err == nil }) {
				continue
			}
			c.Person, c.PII = c.Person || m.Person, c.PII || m.PII && !c.Person
			if m.References != "" {
				c.References = m.References
			}
		}
		if c.Person || c.References != "" {
			whose, c.PII = append(whose, c.Name), false
		}
	}
	for i := range s.Columns {
		if s.Columns[i].PII {
			s.Columns[i].Whose = whose
		}
	}
}

// storedDatasets gives the datasets that checkpoints tell of, of families that are still read, by stream.
func storedDatasets(states map[string]string, families []*schemas.Stream) (map[string]*extract.Export, []*schemas.Stream, error) {
	stored := map[string]*extract.Export{}
	var streams []*schemas.Stream
	for name, text := range states {
		state, err := extract.ParseState(text)
		if err != nil || state.Export == nil {
			continue // whoever reads the stream meets the same, and says so
		}
		at := slices.IndexFunc(families, func(s *schemas.Stream) bool { return s.Family() && s.Name == state.Export.Family })
		if at < 0 {
			continue
		}
		stored[name] = state.Export
		if s := datasetStream(families[at], name, state.Export); len(s.Columns) > 0 {
			streams = append(streams, s)
		}
	}
	slices.SortFunc(streams, func(a, b *schemas.Stream) int { return strings.Compare(a.Name, b.Name) })
	return stored, streams, nil
}

// adopt has the datasets of a schema published with the rest, whether or not they are read now.
func (w *writer) adopt(ctx context.Context, schema string, families []*schemas.Stream) (map[string]*extract.Export, []*schemas.Stream, error) {
	var states map[string]string
	err := w.use(func(work *load.Work) (err error) {
		states, err = work.States(ctx, schema)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	stored, streams, err := storedDatasets(states, families)
	for _, t := range tables(streams) {
		w.announce(schema, t)
	}
	return stored, streams, err
}

// announce adds a table to what is published, or puts its newer form in the place of the older.
func (w *writer) announce(schema string, t transform.Table) {
	for i := range w.spec.Schemas {
		s := &w.spec.Schemas[i]
		if s.Name != schema {
			continue
		}
		s.Tables = replaced(s.Tables, t)
	}
}

func replaced(tables []transform.Table, t transform.Table) []transform.Table {
	tables = slices.Clone(tables)
	at := slices.IndexFunc(tables, func(other transform.Table) bool { return other.Name == t.Name })
	if at < 0 {
		return append(tables, t)
	}
	tables[at] = t
	return tables
}

// widen makes a table, or adds its new columns, between two commits. The log is folded before and after: it never holds
// changed columns and rows together.
func (w *writer) widen(ctx context.Context, schema string, t transform.Table) ([]load.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.work == nil {
		return nil, w.closed()
	}
	changes, err := w.work.Ensure(ctx, schema, []transform.Table{t})
	if err != nil {
		return nil, err
	}
	w.tables[schema] = replaced(w.tables[schema], t)
	w.announce(schema, t)
	if len(changes) == 0 {
		return nil, nil
	}
	return changes, w.work.Fold(ctx)
}

// expandDatasets puts the datasets that the pipeline means in the place of their families: only the source knows which there are.
func expandDatasets(ctx context.Context, r *run, w *workspace) error {
	w.exports = exported{readers: map[string]func(*task) (dayReader, error){}, broken: map[*schemas.Stream]error{}}
	var err error
	if w.exports.states, w.exports.known, err = r.writer.adopt(ctx, w.name, r.runner.stored(w.name)); err != nil {
		return err
	}
	zone, err := time.LoadLocation(r.config.Warehouse.Timezone)
	if err != nil {
		return fmt.Errorf("load the warehouse's time zone: %w", err)
	}
	var streams []*schemas.Stream
	for _, s := range w.streams {
		if !s.Family() {
			streams = append(streams, s)
			continue
		}
		if w.lost != nil {
			streams = append(streams, datasetsNotListed(r, w, s, w.lost)...)
			continue
		}
		source := export.New(w.client, s)
		sets, odd, err := source.Datasets(ctx, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			streams = append(streams, datasetsNotListed(r, w, s, err)...)
			continue
		}
		if len(odd) > 0 {
			r.find(load.Finding{Schema: w.name, Stream: s.Name, Kind: "known", Name: "dataset_odd", Once: true, Found: fmt.Sprint(len(odd)),
				Message: fmt.Sprintf("datasets %q cannot be asked for: they have no id that makes a name, or no attributes. The others are read", odd)})
		}
		streams = append(streams, listDatasets(r, w, s, sets, func(set export.Dataset) *exporting {
			return &exporting{family: s, source: source, set: set, days: days{zone}, span: firstSpan, refresh: usualRefresh}
		})...)
		streams = append(streams, datasetsNotAsked(r, w, s, odd, streams)...)
	}
	w.streams = streams
	return nil
}

// datasetsNotAsked are the streams, but for those that others say something of already, of datasets that were read before and that the list says
// nothing of that can be asked for: they fail.
func datasetsNotAsked(r *run, w *workspace, family *schemas.Stream, odd []string, others []*schemas.Stream) (streams []*schemas.Stream) {
	for _, s := range w.exports.known {
		if slices.ContainsFunc(others, func(other *schemas.Stream) bool { return other.Name == s.Name }) {
			continue
		}
		if e := w.exports.states[s.Name]; e.Family == family.Name && slices.Contains(odd, e.Dataset) && wantsDataset(r, family, s.Name) {
			w.exports.broken[s] = &Problem{Class: "source", Next: sourceNext,
				What: fmt.Sprintf("stream %s: the list says nothing of dataset %q that can be asked for", s.Name, e.Dataset)}
			streams = append(streams, s)
		}
	}
	return streams
}

// datasetsNotListed are the streams of a family whose list cannot be read: those that were read before, or the family where none was.
func datasetsNotListed(r *run, w *workspace, family *schemas.Stream, err error) (streams []*schemas.Stream) {
	for _, s := range w.exports.known {
		if e := w.exports.states[s.Name]; e.Family == family.Name && wantsDataset(r, family, s.Name) {
			streams = append(streams, s)
		}
	}
	if len(streams) == 0 {
		streams = []*schemas.Stream{family}
	}
	for _, s := range streams {
		w.exports.broken[s] = err
	}
	return streams
}

// listDatasets are the streams of a family in this run.
func listDatasets(r *run, w *workspace, family *schemas.Stream, sets []export.Dataset, with func(export.Dataset) *exporting) []*schemas.Stream {
	var streams []*schemas.Stream
	names := map[string]bool{}
	for _, set := range sets {
		name := family.Name + "_" + export.Name(set.ID)
		if names[name] || !wantsDataset(r, family, name) {
			continue
		}
		names[name] = true
		e := w.exports.states[name]
		if e == nil {
			e = &extract.Export{Family: family.Name, Dataset: set.ID}
		}
		if e.Doc = set.Doc; e.Doc == "" {
			e.Doc = set.Name
		}
		w.exports.states[name] = e
		x := with(set)
		if d := r.config.Settings(name).Refresh; d > 0 {
			x.refresh = d
		}
		w.exports.readers[name] = func(t *task) (dayReader, error) { return newExportReader(t, x) }
		streams = append(streams, datasetStream(family, name, e))
	}
	for _, pattern := range slices.Concat(r.pipeline.datasets, r.pipeline.own(r.options.Select)) {
		if exact(pattern) == 1 && strings.HasPrefix(pattern, family.Name+"_") && !names[pattern] && wantsDataset(r, family, pattern) {
			s := &schemas.Stream{Name: pattern, File: family.File, Read: family.Read, Dataset: pattern}
			w.exports.broken[s] = &Problem{Class: "config", What: "the workspace has no dataset for " + pattern, Next: "aqueduck plan --ask names those it has"}
			names[pattern] = true
			streams = append(streams, s)
		}
	}
	return streams
}

// wantsDataset says whether this run reads a dataset.
func wantsDataset(r *run, family *schemas.Stream, name string) bool {
	means := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return meansDataset(p, family.Name, name) })
	}
	return means(r.pipeline.datasets) && (len(r.options.Select) == 0 || means(r.pipeline.own(r.options.Select))) && !means(r.pipeline.own(r.options.Exclude))
}

// newExportReader makes a task one that reads a dataset: its checkpoint, as it was restored, and what the source says today.
func newExportReader(t *task, x *exporting) (dayReader, error) {
	w := t.workspace
	t.start = dayOf(t.start, x.days)
	if t.state.Export == nil {
		t.state.Export = &extract.Export{Family: x.family.Name, Dataset: x.set.ID}
		if stored := w.exports.states[t.stream.Name]; stored != nil {
			// Forgetting how far it is read does not forget the table, nor how far back its days go.
			t.state.Export.Columns, t.state.Export.Down = stored.Columns, stored.Down
		}
	}
	t.state.Export.Doc = t.stream.Doc
	if version := w.config.APIVersion; t.state.Version != "" && t.state.Version != version {
		// Versions export different rows: all that was read under another one is read again (T108).
		t.state.HistoryDone = false
		t.state.HistoryTo = x.days.of(t.state.SyncedTo)
	}
	reader := &exportReader{t, x}
	if len(t.stream.Columns) == 0 {
		return reader, nil
	}
	return reader, reader.decodes(t.stream)
}

// decodes gives the task a decoder for the columns of its stream.
func (t *exportReader) decodes(s *schemas.Stream) error {
	o, err := t.hides(s)
	if err != nil {
		t.broken = err
		return nil // the others are read
	}
	decoder, err := transform.NewDecoder(s, o)
	if err != nil {
		return fmt.Errorf("stream %s: %w", s.Name, err)
	}
	t.run.progress.reshaped(func() { t.stream, t.decoder, t.tables = s, decoder, transform.Tables(s) })
	return nil
}

// dayOf is a date of the configuration as the instant at which it begins.
func dayOf(start time.Time, grid days) time.Time {
	if start.IsZero() {
		return start
	}
	y, m, d := start.Date()
	return time.Unix(grid.begin(y, m, d), 0)
}

// hides gives the names of hash and drop that a dataset has. A pattern means whichever datasets have such a column; a
// dataset that is named has it, or is not read.
func (t *exportReader) hides(s *schemas.Stream) (transform.Options, error) {
	o := transform.Options{APIVersion: t.workspace.config.APIVersion, HashKey: t.run.hashKey}
	settings := t.run.config.Settings(s.Name)
	for _, each := range []struct {
		names []string
		into  *[]string
	}{{settings.Hash, &o.Hash}, {settings.Drop, &o.Drop}} {
		for _, name := range each.names {
			if slices.ContainsFunc(s.Columns, func(c schemas.Column) bool { return c.Name == name }) {
				*each.into = append(*each.into, name)
			} else if t.run.config.namesColumn(s.Name, name) {
				return o, &Problem{Class: "config", What: fmt.Sprintf("stream %s has no column %q to hide", s.Name, name),
					Next: "correct streams." + s.Name + " in pipelines.yaml; nothing was stored"}
			}
		}
	}
	return o, nil
}

// namesColumn says whether a column is hidden under the dataset's own name, not under a pattern.
func (c *Config) namesColumn(stream, column string) bool {
	return slices.ContainsFunc(c.datasets, func(d datasetSettings) bool {
		return d.pattern == stream && (slices.Contains(d.settings.Hash, column) || slices.Contains(d.settings.Drop, column))
	})
}

// describeExport says what a run would read of a dataset.
func describeExport(state extract.State) string {
	text := "days since " + orDash(unix(state.SyncedTo)) + ", and those that may have changed"
	if !state.HistoryDone {
		text += ", then from " + orDash(unix(state.HistoryTo)) + " back"
	}
	if state.Export.Job != nil {
		text += "; goes on with an export that is under way"
	}
	return text
}

// waitingFirst puts the exports that are under way before those that are not yet asked for: so no more are under way at once
// than streams are read side by side, which is three of the workspace's five.
func waitingFirst(tasks []*task) {
	later := func(t *task) int {
		if t.days != nil && t.state.Export.Job == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(tasks, func(a, b *task) int { return later(a) - later(b) })
}

// changed notes what a run did to the tables while it was reading.
func (r *run) changed(changes []load.Change) {
	r.findMu.Lock()
	defer r.findMu.Unlock()
	r.reported.Changes = append(r.reported.Changes, changes...)
}

// errOver ends the waiting for an export when the run's time is spent: the next run goes on with it.
var errOver = errors.New("the run is over")
