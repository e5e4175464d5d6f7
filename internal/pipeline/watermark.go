package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/schemas"
)

// pullBackWatermark takes back a watermark that lies in the future, by the server's clock and by ours: they were wrong when it was set. Nothing
// after the newest stored record is known to be read, whatever the watermark says.
func pullBackWatermark(ctx context.Context, t *task, work *load.Work) error {
	latest := t.state.Latest()
	if t.workspace.lost != nil || t.days != nil || !t.workspace.client.InFuture(latest) {
		return nil
	}
	to := t.workspace.client.Now()
	if column := t.stream.TimeColumn(); column != "" {
		newest, err := work.Newest(ctx, t.workspace.name, t.tables[0], column, to)
		if err != nil {
			return fmt.Errorf("stream %s: find its newest record: %w", t.stream.Name, err)
		}
		to = newest
	}
	t.state = t.state.PulledBack(to)
	t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "soft", Name: "watermark_pulled_back",
		Expected: "at most " + stamp(t.workspace.client.Now()), Found: stamp(latest),
		Message: "the watermark was in the future, and was pulled back to the newest record that is stored: " + stamp(to)})
	return nil
}

// stamp writes a time for people.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "none"
	}
	return t.UTC().Format(time.RFC3339)
}

// outdated says that what is stored of a stream came under another API version, which sends other records.
func outdated(s *schemas.Stream, state extract.State, version string) bool {
	return s.Outdated && state.Version != "" && state.Version != version
}

// olderVersion says whether a version is older than another; nothing is older than none, and words are not compared.
func olderVersion(a, b string) bool {
	number := func(text string) (n [2]int, ok bool) {
		_, err := fmt.Sscanf(text, "%d.%d", &n[0], &n[1])
		return n, err == nil
	}
	x, ok := number(a)
	y, ok2 := number(b)
	return ok && ok2 && slices.Compare(x[:], y[:]) < 0
}
