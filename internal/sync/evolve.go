package sync

import (
	"context"
	"slices"

	"aqueduck/internal/sync/stream"
	"aqueduck/schemas"
)

// evolveTables returns the streams of a workspace with their columns as wide as stored, and with `on_change: evolve` as wide as new values need. A
// column never narrows: the run notes where a stream file says otherwise.
func evolveTables(ctx context.Context, r *stream.Run, w *stream.Workspace, streams []*schemas.Stream) ([]*schemas.Stream, error) {
	evolved, notes, err := r.Writer.EvolveStreams(ctx, w.Name, streams, func(stream string) bool { return r.Config.Settings(stream).OnChange == "evolve" })
	if err != nil {
		return nil, err
	}
	r.Reported.Notes = append(r.Reported.Notes, notes...)
	for i, s := range streams {
		if at := slices.Index(w.Streams, s); at >= 0 {
			w.Streams[at] = evolved[i]
		}
	}
	return evolved, nil
}
