package extract

import (
	"fmt"
	"hash/maphash"

	"aqueduck/extract/internal/envelope"
)

const (
	stalledPages = 10   // pages in a row without a new record after which a list has no end
	repeatsSlack = 1000 // repeated records that a list may send beyond twice its total_count: records change and come again while it is read
	capUnit      = 1000 // a total_count that is a multiple of this may be where the server stops counting
)

// recordTally counts the distinct records of a walk and compares them with the list's total_count.
type recordTally struct {
	seenKeys    map[uint64]struct{} // hashes of the keys read
	resumedRows int64               // records before the position that the walk resumed at
	distinct    int64               // resumedRows, and the records that came for the first time
	rows        int64               // records read, repeated ones included
	latest      int64               // latest time of a record; envelope.Timeless when the list has no times
	minTotal    int64               // smallest total_count of a page, -1: none
	maxTotal    int64               // largest total_count of a page
	stalled     int                 // pages in a row without a new record
}

// keySeed makes the hashes of one process comparable. They are not stored.
var keySeed = maphash.MakeSeed()

// tallyPage counts a page. A record is identified by its key. A known record with a newer time is not a new one, but shows that
// the list progresses.
func (t *recordTally) tallyPage(e *envelope.Envelope) {
	moved := false
	for i, g := range e.Seen {
		key := g.Key
		if key == nil {
			key = e.Records[i]
		}
		hash := maphash.Bytes(keySeed, key)
		if _, known := t.seenKeys[hash]; !known {
			t.seenKeys[hash] = struct{}{}
			t.distinct++
			moved = true
		}
		if g.At > t.latest {
			t.latest, moved = g.At, true
		}
	}
	t.rows += int64(len(e.Records))
	t.stalled++
	if moved || len(e.Records) == 0 {
		t.stalled = 0
	}
	if e.Total < 0 || e.Total == 0 && t.rows > 0 {
		return
	}
	t.maxTotal = max(t.maxTotal, e.Total)
	if t.minTotal < 0 || e.Total < t.minTotal {
		t.minTotal = e.Total
	}
}

// missingRecords is the total_count minus the distinct records. The total may change while the list is read. The smallest one
// counts, because records may have disappeared.
func (t *recordTally) missingRecords() int64 { return max(0, t.minTotal-t.distinct) }

// checkEndless returns why a list that still continues has no end; nil while it may have one.
func (t *recordTally) checkEndless() error {
	if t.stalled >= stalledPages {
		return fmt.Errorf("%d pages in a row returned no new record", t.stalled)
	}
	if t.maxTotal > 0 && t.maxTotal%capUnit != 0 && t.rows > 2*t.maxTotal+repeatsSlack {
		return fmt.Errorf("the list states %[2]d records, but returned %[1]d and goes on", t.rows, t.maxTotal)
	}
	return nil
}
