package extract

import (
	"fmt"
	"hash/maphash"
)

const (
	stalledPages = 10   // pages in a row without a new record, that no list has which comes any further
	repeatsSlack = 1000 // records that a list may give beyond twice its own total: they change and come again while it is read
	capUnit      = 1000 // a total of so many thousands exactly is where a server stops counting, not a count
)

// recordTally counts the records that a walk brings, each of them once, and holds them against what the list states of itself.
type recordTally struct {
	seenKeys    map[uint64]struct{} // hashes of the keys that came
	resumedRows int64               // records before the place that the walk resumed at
	distinct    int64               // those, and the ones that came for the first time
	rows        int64               // records that came, repeated ones too
	latest      int64               // the latest time of a record; timeless where the list has no times
	minTotal    int64               // the smallest total that a page stated, -1: none did
	maxTotal    int64               // the largest
	stalled     int                 // pages in a row that brought nothing new
}

func newTally(before int64) recordTally {
	return recordTally{seenKeys: map[uint64]struct{}{}, resumedRows: before, distinct: before, latest: timeless, minTotal: -1, maxTotal: -1}
}

// keySeed makes the hashes of one process agree with each other; they are kept nowhere else.
var keySeed = maphash.MakeSeed()

// tallyPage takes in a page. A record is known by its key; one that has changed since it came is no new one, but shows that the list
// moves on.
func (t *recordTally) tallyPage(e *listEnvelope) {
	moved := false
	for i, g := range e.seen {
		key := g.key
		if key == nil {
			key = e.records[i]
		}
		hash := maphash.Bytes(keySeed, key)
		if _, known := t.seenKeys[hash]; !known {
			t.seenKeys[hash] = struct{}{}
			t.distinct++
			moved = true
		}
		if g.at > t.latest {
			t.latest, moved = g.at, true
		}
	}
	t.rows += int64(len(e.records))
	t.stalled++
	if moved || len(e.records) == 0 {
		t.stalled = 0
	}
	if e.total < 0 || e.total == 0 && t.rows > 0 {
		return
	}
	t.maxTotal = max(t.maxTotal, e.total)
	if t.minTotal < 0 || e.total < t.minTotal {
		t.minTotal = e.total
	}
}

// missingRecords is how many records the list states that it has and has not given. While it is read its total moves: the smallest one
// counts, which records that left have made so.
func (t *recordTally) missingRecords() int64 { return max(0, t.minTotal-t.distinct) }

// checkEndless says why a list that has not ended by now has no end; nil while it may have one.
func (t *recordTally) checkEndless() error {
	if t.stalled >= stalledPages {
		return fmt.Errorf("%d pages in a row returned no new record", t.stalled)
	}
	if t.maxTotal > 0 && t.maxTotal%capUnit != 0 && t.rows > 2*t.maxTotal+repeatsSlack {
		return fmt.Errorf("the list states %[2]d records, but returned %[1]d and goes on", t.rows, t.maxTotal)
	}
	return nil
}
