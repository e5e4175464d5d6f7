package extract

import (
	"context"
	"io"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
)

// feedReader reads a list that only grows, oldest first. The State keeps the cursor of the last page that held records. The next
// reading begins with that page again, because the source may have added records to it, also in its middle (T38).
type feedReader struct {
	*Reader
	walk         *listWalk
	id           []string // path of a record's id; nil when it has none
	lastReadID   string   // id of the last record of the previous reading, until this one has found it
	pages        int
	fresh        bool // no answer has come yet
	gap          bool // the feed no longer has the position where the previous reading ended (T39)
	opened       time.Time
	cursorDeaths int
}

func readFeed(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return readNothing
	}
	f := &feedReader{Reader: r, fresh: true, id: keyPath(r.r.Stream)}
	return f.nextFeedPage
}

func (f *feedReader) nextFeedPage(ctx context.Context) (Page, error) {
	if f.walk == nil {
		f.resumeBookmark()
	}
	if f.walk.ended {
		return Page{}, io.EOF
	}
	sh, err := f.walk.nextPage(ctx)
	for api.ClassOf(err) == api.ClassCursor && f.recoverCursor() {
		sh, err = f.walk.nextPage(ctx)
	}
	if err != nil {
		return Page{}, err
	}
	if f.fresh {
		if err := f.refuseFuture(sh.date); err != nil {
			return Page{}, err
		}
		f.fresh, f.opened = false, sh.date
	}
	return f.buildFeedPage(sh), nil
}

func (f *feedReader) resumeBookmark() {
	from := f.state.Bookmark
	f.walk = f.startFeed(from)
	if from != nil && from.Fingerprint == f.walk.fingerprint {
		f.lastReadID = from.Last
	}
}

func (f *feedReader) startFeed(from *Position) *listWalk {
	l := listOf(f.r.Stream, 0)
	l.isGrowing = true
	return f.startWalk(l, from)
}

// recoverCursor restarts at the feed's first record after the server has lost a cursor. All records that the feed still has are
// read again; that does no harm.
func (f *feedReader) recoverCursor() bool {
	if f.cursorDeaths++; f.cursorDeaths > maxCursorDeaths {
		return false
	}
	f.c.NoteRestart()
	f.gap, f.lastReadID = true, ""
	f.walk = f.startFeed(nil)
	return true
}

func (f *feedReader) buildFeedPage(sh listPage) Page {
	walk := f.walk
	f.detectGap(&sh)
	p := pageOf(sh)
	p.setProgress(sh.nextPosition.Rows, sh.Total)
	p.Gap, f.gap = f.gap, false // told once

	p.State = f.state
	p.State.Version = f.c.Version()
	// The cursor of an empty page is no bookmark: a record that the source adds late would lie before it. Nor is a page before the
	// previous reading's end is found: a run that is killed here must look for that end again.
	if n := len(sh.Records); n > 0 && f.lastReadID == "" && f.walk == walk {
		bookmark := sh.position
		bookmark.Last = f.recordID(sh.Records[n-1])
		p.State.Bookmark = &bookmark
	}
	if sh.end {
		p.Boundary, p.Left = true, min(p.Left, 0)
		if !f.opened.IsZero() {
			p.State.SyncedTo = max(p.State.SyncedTo, f.opened.Add(-f.r.Stream.Read.Since.Lag).Unix())
		}
	}
	return p
}

// detectGap notes that the feed no longer has the position where the previous reading ended: its cursor has expired, or
// its last record is neither on the first page nor on the second. The second is allowed because the source may have added records
// before it. The reading then begins at the feed's first record: a server may take a cursor that it has lost for any place, or for
// the end.
func (f *feedReader) detectGap(sh *listPage) {
	f.pages++
	if f.lastReadID != "" && f.hasRecord(sh, f.lastReadID) {
		f.lastReadID = ""
	}
	if f.lastReadID != "" && (f.pages == 2 || sh.end) {
		f.gap, f.lastReadID = true, ""
		if f.r.State.Bookmark.Token != "" {
			f.ahead.stop()
			sh.end = !f.recoverCursor()
		}
	}
}

// hasRecord reports whether a page has the record with an id.
func (f *feedReader) hasRecord(sh *listPage, id string) bool {
	for _, raw := range sh.Records {
		if f.recordID(raw) == id {
			return true
		}
	}
	return false
}

// recordID is a record's id as text; "" when it has none.
func (f *feedReader) recordID(raw []byte) string {
	if f.id == nil {
		return ""
	}
	id, _ := scan.Scalar(scan.Field(raw, f.id...))
	return id
}
