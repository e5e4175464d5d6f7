package stream

import (
	"context"
	"errors"
	"io"
	"slices"

	"aqueduck/extract"
	"aqueduck/schemas"
)

// readByID reads records by id, with the stream's own request for one record or with the stream that reads them. known is false when neither
// exists.
func readByID(ctx context.Context, t *Task, ids []string) (records []extract.Record, known bool, err error) {
	if t.Stream.Read.Single() != nil {
		page, err := extract.NewReader(t.Workspace.Client, t.phaseRequest(extract.Forward)).ReadByID(ctx, ids)
		return page.Records, true, err
	}
	other, known := streamByID(t)
	if !known {
		return nil, false, nil
	}
	reader := extract.NewReader(t.Workspace.Client, extract.Request{Stream: other, Phase: extract.Forward, IDs: ids})
	for {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return records, true, nil
		}
		if err != nil {
			return records, true, err
		}
		records = append(records, page.Records...)
	}
}

// streamByID returns the stream that reads this stream's records by id: another one, or the stream itself.
func streamByID(t *Task) (*schemas.Stream, bool) {
	if over := t.Stream.Read.Over; t.Stream.With != "" && t.Stream.Read.ByIDs() && over.View != "" && over.Size == 0 {
		return t.Stream, true
	}
	return ByIDStream(t.Run.Runner.Catalogue, t.Stream)
}

// ByIDStream returns the stream that reads another stream's records by id, with one request for each.
func ByIDStream(catalogue *schemas.Catalogue, s *schemas.Stream) (*schemas.Stream, bool) {
	streams := catalogue.Streams()
	i := slices.IndexFunc(streams, func(other *schemas.Stream) bool {
		return (other.With == s.Name || other.Into == s.Name) && other.Read.ByIDs() && other.Read.Over.View != "" && other.Read.Over.Size == 0 &&
			slices.Equal(other.Key, s.Key) && len(s.Key) == 1
	})
	if i < 0 {
		return nil, false
	}
	return streams[i], true
}

// isFedByOthers reports whether the lists of other streams also write into this stream's table. Its own list may lack those rows.
func isFedByOthers(t *Task) bool {
	return slices.ContainsFunc(t.Run.Runner.Catalogue.Streams(), func(other *schemas.Stream) bool {
		return other.Into == t.Stream.Name && !other.Read.ByIDs()
	})
}
