package runlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// Totals is how much a warehouse holds, how fast it grows, and what its pipelines did of late.
type Totals struct {
	Tables  int64           `json:"tables"`           // tables in the published file
	Rows    int64           `json:"rows"`             // of all tables in the published file
	New     int64           `json:"new_records_week"` // records that the runs of the last seven days stored for the first time
	Changed []ChangedStream `json:"changed_week"`     // streams with changes in the last seven days, most first, at most five
	Space   Space           `json:"space"`
	Months  []PipelineMonth `json:"pipelines_month"` // by pipeline, in the file's order
}

// ChangedStream is what runs changed in the tables of a stream.
type ChangedStream struct {
	Workspace string `json:"workspace"`
	Stream    string `json:"stream"`
	New       int64  `json:"new"`     // records stored for the first time
	Changed   int64  `json:"changed"` // stored records whose content changed
	Gone      int64  `json:"gone"`    // records that the source no longer has
}

// PipelineMonth is what the runs of a pipeline did in the last 30 days.
type PipelineMonth struct {
	Pipeline    string        `json:"pipeline"`
	Runs        int           `json:"runs"`                   // ended runs
	Failed      int           `json:"failed"`                 // of them: those that did not end OK
	Rows        int64         `json:"rows"`                   // rows written, over all tables
	Requests    int64         `json:"requests"`               // requests sent, retries included
	Usual       time.Duration `json:"median_ns"`              // median time of a run
	Longest     time.Duration `json:"longest_ns"`             // time of the longest run
	Most        int64         `json:"most_requests"`          // of one run
	MaxRequests int64         `json:"max_requests,omitempty"` // the budget of a run; 0: none
	MaxTime     time.Duration `json:"max_time_ns,omitempty"`  // the time of a run; 0: no limit
}

// RequestShare is the part of the request budget that the largest run used; below 0: there is no budget.
func (m PipelineMonth) RequestShare() float64 {
	if m.MaxRequests == 0 {
		return -1
	}
	return float64(m.Most) / float64(m.MaxRequests)
}

// TimeShare is the part of its time that the longest run used; below 0: there is no limit.
func (m PipelineMonth) TimeShare() float64 {
	if m.MaxTime == 0 {
		return -1
	}
	return float64(m.Longest) / float64(m.MaxTime)
}

// Space is the size of a warehouse on its disk, in bytes.
type Space struct {
	layout.Room
	File   int64 `json:"file_bytes"`                          // of the published file
	Lake   int64 `json:"lake_bytes"`                          // of the lake's files
	Files  int   `json:"files"`                               // published files that are kept
	PerDay int64 `json:"file_growth_per_day_bytes,omitempty"` // of the published file, from the sizes of the kept files; 0: they do not support an estimate
	Days   int   `json:"days_left,omitempty"`                 // days until a run would be refused, at this growth; 0: no estimate
}

const (
	week  = 7 * 24 * time.Hour
	month = 30 * 24 * time.Hour

	manyRuns       = 5000 // runs that are read for the last 30 days
	shownChanged   = 5
	enoughFiles    = 3              // published files from which a growth is estimated,
	enoughSpan     = 48 * time.Hour // over at least this time
	longestOutlook = 3650           // days; an estimate beyond says nothing
)

// ReadTotals reads the published file, the notes of runs and the sizes of files, as seen at a time of the warehouse's clock.
func ReadTotals(ctx context.Context, dir layout.Dir, config *config.Config, now time.Time) (*Totals, error) {
	t := &Totals{Changed: []ChangedStream{}, Months: []PipelineMonth{}}
	err := WithPublished(ctx, dir, func(f PublishedDB) error { return t.readTables(ctx, f, now) })
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return nil, err
	}
	runs, err := PastRuns(ctx, dir, "", manyRuns)
	if err != nil {
		return nil, err
	}
	for _, p := range config.Pipelines {
		t.Months = append(t.Months, monthOf(p, runs, now))
	}
	t.Space, err = readSpace(dir)
	return t, err
}

func (t *Totals) readTables(ctx context.Context, f PublishedDB, now time.Time) error {
	err := f.queryStatement(ctx, "SELECT count(*), coalesce(sum(rows), 0)::BIGINT FROM _sync.tables", func(v []any) error {
		t.Tables, t.Rows = AsWhole(v[0]), AsWhole(v[1])
		return nil
	})
	if err != nil {
		return err
	}
	statement := fmt.Sprintf(`SELECT schema, stream, sum(added)::BIGINT, sum(changed)::BIGINT, sum(gone)::BIGINT FROM _sync.stream_runs WHERE started_at > %s::TIMESTAMPTZ
		GROUP BY ALL HAVING sum(added + changed + gone) > 0 ORDER BY sum(added + changed + gone) DESC, schema, stream`, quoteText(now.Add(-week).UTC().Format(time.RFC3339)))
	return f.queryStatement(ctx, statement, func(v []any) error {
		one := ChangedStream{AsText(v[0]), AsText(v[1]), AsWhole(v[2]), AsWhole(v[3]), AsWhole(v[4])}
		t.New += one.New
		if len(t.Changed) < shownChanged {
			t.Changed = append(t.Changed, one)
		}
		return nil
	})
}

// monthOf sums the finished runs of a pipeline in the last 30 days.
func monthOf(p *config.Pipeline, runs []PastRun, now time.Time) PipelineMonth {
	m := PipelineMonth{Pipeline: p.Name, MaxRequests: p.MaxRequests, MaxTime: p.MaxTime}
	var times []time.Duration
	for _, r := range runs {
		if r.Pipeline != p.Name || now.Sub(r.Started) > month || r.Outcome == Unfinished {
			continue
		}
		m.Runs, m.Rows, m.Requests, m.Most = m.Runs+1, m.Rows+r.Rows, m.Requests+r.Requests, max(m.Most, r.Requests)
		if r.Outcome != "OK" {
			m.Failed++
		}
		times = append(times, r.Finished.Sub(r.Started))
	}
	if len(times) > 0 {
		m.Usual, m.Longest = median(times), slices.Max(times)
	}
	return m
}

// publishedSize is the size of a published file, and when it was written.
type publishedSize struct {
	bytes int64
	at    time.Time // by this machine's clock
}

func readSpace(dir layout.Dir) (s Space, err error) {
	if s.Room, err = dir.Room(); err != nil {
		return s, err
	}
	paths, err := dir.PublishedFiles()
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	var sizes []publishedSize
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a publish has just removed it
		}
		if err != nil {
			return s, err
		}
		sizes = append(sizes, publishedSize{info.Size(), info.ModTime()})
		if path == dir.Current() {
			s.File = info.Size()
		}
	}
	err = filepath.WalkDir(dir.Lake(""), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil {
			s.Lake += info.Size()
		}
		return ignoreMissing(err)
	})
	s.estimate(sizes)
	return s, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// estimate sets the growth, if the kept files support one: enough of them, over enough time, and each larger than the one before. Every byte by which the
// published file grows takes a byte of each kept file, its share of the lake, and three of what a run needs.
func (s *Space) estimate(sizes []publishedSize) {
	s.Files = len(sizes)
	slices.SortFunc(sizes, func(a, b publishedSize) int { return a.at.Compare(b.at) })
	if len(sizes) < enoughFiles || s.File == 0 {
		return
	}
	for i := range sizes[1:] {
		if sizes[i+1].bytes <= sizes[i].bytes {
			return
		}
	}
	first, last := sizes[0], sizes[len(sizes)-1]
	if last.at.Sub(first.at) < enoughSpan {
		return
	}
	perDay := float64(last.bytes-first.bytes) / (last.at.Sub(first.at).Hours() / 24)
	s.PerDay = int64(perDay)
	const needed = 3
	if days := float64(s.Free-s.Needs) / (perDay * (float64(len(sizes)+needed) + float64(s.Lake)/float64(s.File))); days >= 1 && days < longestOutlook {
		s.Days = int(days)
	}
}
