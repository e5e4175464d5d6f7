package extract

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// at is a time before noon, in seconds.
func at(before time.Duration) int64 { return noon.Add(-before).Unix() }

const day = 24 * time.Hour

func TestNewStreamReadsForwardThenHistory(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t)
	for i := range 1000 {
		ws.touch(fmt.Sprintf("c%04d", i), at(time.Duration(i)*30*time.Hour)-3600) // three and a half years
	}
	c := ws.client(t)

	ids, pages := drain(t, c.Read(Request{Stream: searchStream()}))
	s := last(pages)
	u := noon.Add(-15 * time.Minute).Unix()
	want := State{SyncedTo: u, HistoryTo: u - 7*24*3600, Version: "2.17"}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Fatalf("state after the forward window (-want +got):\n%s", diff)
	}
	if len(ids) != 6 {
		t.Errorf("%d records in the forward window, want the 6 of a week", len(ids))
	}

	more, pages := drain(t, c.Read(Request{Stream: searchStream(), State: s, Phase: History}))
	if diff := cmp.Diff(ws.ids(), distinct(append(ids, more...))); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	var spans []int64
	for _, p := range pages {
		if p.Boundary {
			spans = append(spans, p.State.HistorySpan/86400)
		}
	}
	if got := fmt.Sprint(spans[:6]); got != "[14 28 56 112 224 448]" || len(spans) != 7 {
		t.Errorf("history windows of %v days", spans)
	}
	if got := last(pages); !got.HistoryDone || got.HistoryTo != 0 || got.SyncedTo != u || got.Window != nil || got.Position != nil {
		t.Errorf("state after the history: %s", got)
	}
}
