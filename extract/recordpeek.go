package extract

import (
	"math"
	"slices"

	"aqueduck/extract/internal/scan"
)

// recordPeek picks from each record of a page, in one pass, the few values that reading needs: its key, its time, and which of
// its nested lists are truncated.
type recordPeek struct {
	heads  []string      // top-level keys that are picked
	field  int           // index of the time in heads; -1: none
	key    *fieldPointer // its key; nil: the key is not one field
	nested []nestedPeek
}

// fieldPointer is a path in a record: the index of its first key in heads, and the rest.
type fieldPointer struct {
	head int
	path []string
}

// nestedPeek is a nested list, and where a record says whether it is complete: the items, their total count and the flag that
// there are more. In nearly all records one object has all three, so that one walk finds them.
type nestedPeek struct {
	list   nestedList
	counts [3]fieldPointer
	parent fieldPointer
	names  []string // of the three in parent; nil when they are in different objects
}

// timeless stands for the time of a record that has none.
const timeless = math.MinInt64

func recordPeekOf(l listRequest) recordPeek {
	g := recordPeek{field: -1}
	if l.key != nil {
		g.key = new(g.pointerTo(l.key))
	}
	if l.search != nil {
		g.field = g.pointerTo([]string{l.search.field}).head
	}
	for _, n := range l.nested {
		of := nestedPeek{list: n, counts: [3]fieldPointer{g.pointerTo(n.from), g.pointerTo(n.count), g.pointerTo(n.more)}}
		last := len(n.from) - 1
		if last > 0 && len(n.count) == last+1 && slices.Equal(n.count[:last], n.from[:last]) {
			of.parent, of.names = g.pointerTo(n.from[:last]), []string{n.from[last], n.count[last], n.more[last]}
		}
		g.nested = append(g.nested, of)
	}
	return g
}

// pointerTo is the pointer for a path; it adds the path's first key to heads.
func (g *recordPeek) pointerTo(path []string) fieldPointer {
	head := slices.Index(g.heads, path[0])
	if head < 0 {
		head = len(g.heads)
		g.heads = append(g.heads, path[0])
	}
	return fieldPointer{head, path[1:]}
}

// valueIn is the value at the pointer; nil when there is none.
func (p fieldPointer) valueIn(picked [][]byte) []byte {
	if picked[p.head] == nil {
		return nil
	}
	return scan.Field(picked[p.head], p.path...)
}

// peekedRecord is what recordPeek finds in one record.
type peekedRecord struct {
	key  []byte       // as sent; nil when it has none
	at   int64        // its time in Unix seconds, timeless when it has none
	cuts []nestedList // its truncated lists
}

// pickValue keeps the value of a top-level key if it is in heads. Of a repeated key the first counts.
func (g recordPeek) pickValue(key, raw []byte, picked [][]byte) {
	for i, head := range g.heads {
		if picked[i] == nil && string(key) == head {
			picked[i] = raw
			return
		}
	}
}

// inspectRecord reads the picked values of a record.
func (g recordPeek) inspectRecord(picked [][]byte) peekedRecord {
	seen := peekedRecord{at: timeless}
	if g.key != nil {
		seen.key = g.key.valueIn(picked)
	}
	if g.field >= 0 {
		if at, ok := scan.UnixTime(picked[g.field]); ok {
			seen.at = at
		}
	}
	for _, n := range g.nested {
		if n.isCut(picked) {
			seen.cuts = append(seen.cuts, n.list)
		}
	}
	return seen
}

// isCut reports whether the list in a record is truncated. has_more alone is not reliable; a list with exactly nestedCap items
// and no count may be truncated, too.
func (n nestedPeek) isCut(picked [][]byte) bool {
	values := n.readCounts(picked)
	got, ok := scan.CountItems(values[0])
	if !ok {
		return false
	}
	total := int64(-1)
	if values[1] != nil {
		total = scan.Count(values[1])
	}
	more := string(values[2])
	return total > int64(got) || more == "true" || got == nestedCap && total < 0 && more != "false"
}

// readCounts is the list, its total count and the flag that there are more, as sent.
func (n nestedPeek) readCounts(picked [][]byte) (values [3][]byte) {
	if n.names != nil {
		scan.Fields(n.parent.valueIn(picked), n.names, values[:])
		return values
	}
	for i, p := range n.counts {
		values[i] = p.valueIn(picked)
	}
	return values
}
