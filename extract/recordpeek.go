package extract

import (
	"math"
	"slices"

	"aqueduck/extract/internal/scan"
)

// recordPeek takes from a page's records, in one pass over each, the little that reading needs to know of them: their times,
// and which of their nested lists are cut short.
type recordPeek struct {
	heads  []string      // keys of a record that are looked at
	field  int           // which of them is the time; -1 none is
	key    *fieldPointer // where its key is; nil: it has none of one field
	nested []nestedPeek
}

// fieldPointer is a path in a record: one of the heads, and what follows.
type fieldPointer struct {
	head int
	path []string
}

// nestedPeek is a nested list, and where a record has what tells whether it is whole: its items, their true number and
// the flag that there are more. Nearly always one object has all three, and one walk through it finds them.
type nestedPeek struct {
	list   nestedList
	counts [3]fieldPointer
	parent fieldPointer
	names  []string // of the three in parent; nil when they are not beside one another
}

// timeless stands for a time that a record does not have.
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

// pointerTo makes a pointer.
func (g *recordPeek) pointerTo(path []string) fieldPointer {
	head := slices.Index(g.heads, path[0])
	if head < 0 {
		head = len(g.heads)
		g.heads = append(g.heads, path[0])
	}
	return fieldPointer{head, path[1:]}
}

// valueIn follows the pointer; nil when it leads nowhere.
func (p fieldPointer) valueIn(picked [][]byte) []byte {
	if picked[p.head] == nil {
		return nil
	}
	return scan.Field(picked[p.head], p.path...)
}

// peekedRecord is what is known of one record.
type peekedRecord struct {
	key  []byte       // its key as it was sent; nil when it has none
	at   int64        // its time, timeless when it has none
	cuts []nestedList // its lists that are cut short
}

// pickValue keeps a record's value if it is one that is looked at. Of a key that is there twice the first counts.
func (g recordPeek) pickValue(key, raw []byte, picked [][]byte) {
	for i, head := range g.heads {
		if picked[i] == nil && string(key) == head {
			picked[i] = raw
			return
		}
	}
}

// inspectRecord looks at a record's picked values.
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

// isCut reports whether the list in a record is not whole. has_more alone is not to be trusted; and a list of exactly the
// known cap that says nothing about its length may be cut.
func (n nestedPeek) isCut(picked [][]byte) bool {
	told := n.readCounts(picked)
	got, ok := scan.CountItems(told[0])
	if !ok {
		return false
	}
	total := int64(-1)
	if told[1] != nil {
		total = scan.Count(told[1])
	}
	more := string(told[2])
	return total > int64(got) || more == "true" || got == nestedCap && total < 0 && more != "false"
}

// readCounts finds what tells whether the list is whole.
func (n nestedPeek) readCounts(picked [][]byte) (told [3][]byte) {
	if n.names != nil {
		scan.Fields(n.parent.valueIn(picked), n.names, told[:])
		return told
	}
	for i, p := range n.counts {
		told[i] = p.valueIn(picked)
	}
	return told
}
