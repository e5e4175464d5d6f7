package sync

import (
	"context"
	"slices"

	"aqueduck/internal/sync/stream"
	"aqueduck/schemas"
)

// evolveTables gives the streams of a workspace with the columns widened that were found not to hold what came, where the
// configuration wants that, or that are wide already: a column never narrows.
func evolveTables(ctx context.Context, r *stream.Run, w *stream.Workspace, streams []*schemas.Stream) ([]*schemas.Stream, error) {
	evolved, err := r.Writer.EvolveStreams(ctx, w.Name, streams, func(stream string) bool { return r.Config.Settings(stream).OnChange == "evolve" })
	if err != nil {
		return nil, err
	}
	for i, s := range streams {
		if at := slices.Index(w.Streams, s); at >= 0 {
			w.Streams[at] = evolved[i]
		}
	}
	return evolved, nil
}
