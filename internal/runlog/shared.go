package runlog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Shared is what the machines that run a warehouse tell each other of it: ids, times, codes and classes, and no text of the source.
type Shared struct {
	Runs     []SharedRun    `json:"runs"`               // the last one of each pipeline, and the last of a part of it, newest first
	Streams  []sharedStream `json:"streams"`            // as the published file has them that the object store has
	Emulated bool           `json:"emulated,omitempty"` // all times are those of an emulated workspace
	Now      time.Time      `json:"now"`                // by the clock of the warehouse, when this was written
}

// SharedRun is a run and the name of the machine that ran it.
type SharedRun struct {
	PastRun
	Host string `json:"host"`
}

// sharedStream is the state of a stream with what its freshness is judged from.
type sharedStream struct {
	StreamStatus
	First time.Time `json:"first_run_at,omitzero"`
}

// ReadShared reads what machines have told. The zero value is that of machines that have told nothing, or in another form.
func ReadShared(content []byte) (s Shared) {
	if json.Unmarshal(content, &s) != nil {
		return Shared{}
	}
	return s
}

// AddRun returns what machines have told together with a run of this one. whole: readers of this machine have the file that the object store has.
func (s Shared) AddRun(ctx context.Context, dir layout.Dir, past *PastRun, host string, whole bool, catalogue *schemas.Catalogue) (Shared, error) {
	one := *past
	one.Error, one.Next, one.Line, one.MissingModels, one.Restored = "", "", "", "", ""
	s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r SharedRun) bool { return r.Pipeline == one.Pipeline && r.Part == one.Part })
	s.Runs = append(s.Runs, SharedRun{PastRun: one, Host: host})
	slices.SortStableFunc(s.Runs, func(a, b SharedRun) int { return b.Started.Compare(a.Started) })
	s.Emulated, s.Now = past.Emulated, past.Finished
	if !whole {
		return s, nil
	}
	var own Status
	err := WithPublished(ctx, dir, func(f PublishedDB) error { return own.readStreams(ctx, f, catalogue) })
	if err != nil {
		if errors.Is(err, failure.ErrNothingPublished) {
			err = nil
		}
		return s, err
	}
	s.Streams = nil
	for _, stream := range own.Streams {
		stream.Error, stream.Hint = "", ""
		s.Streams = append(s.Streams, sharedStream{stream, stream.first})
	}
	return s, nil
}

// takeShared gives a status what other machines have told, if one of their runs is newer than those that this machine knows, and returns the runs of both.
func (s *Status) takeShared(shared *Shared, runs []PastRun, config *config.Config, catalogue *schemas.Catalogue) []PastRun {
	if shared.Emulated && (s.Now.Before(shared.Now) || !s.Emulated) {
		s.Now, s.Emulated = shared.Now, true
	}
	if len(runs) == 0 || shared.Runs[0].Started.After(runs[0].Started) {
		s.Streams = []StreamStatus{}
		for _, stream := range shared.Streams {
			stream.first = stream.First
			s.Streams = append(s.Streams, stream.StreamStatus)
		}
		s.asOf(config, catalogue)
	}
	for _, r := range shared.Runs {
		if !slices.ContainsFunc(runs, func(known PastRun) bool { return known.Run == r.Run }) {
			if r.Class != "" {
				r.Next = "on " + r.Host + ": aqueduck runs show " + r.Run
			}
			runs = append(runs, r.PastRun)
		}
	}
	newestFirst(runs)
	return runs
}
