package envelope

import (
	"math"
	"slices"

	"aqueduck/extract/internal/scan"
)

// Peek picks from each record of a page, in one pass, the few values that reading needs: its key, its time, and which of
// its nested lists are truncated.
type Peek struct {
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
	list   NestedList
	counts [3]fieldPointer
	parent fieldPointer
	names  []string // of the three in parent; nil when they are in different objects
}

// Timeless stands for the time of a record that has none.
const Timeless = math.MinInt64

// PeekOf picks the values at the path of a record's key, of its field with the time, and of its nested lists; nil and "" for none.
func PeekOf(key []string, field string, nested []NestedList) Peek {
	g := Peek{field: -1}
	if key != nil {
		g.key = new(g.pointerTo(key))
	}
	if field != "" {
		g.field = g.pointerTo([]string{field}).head
	}
	for _, n := range nested {
		of := nestedPeek{list: n, counts: [3]fieldPointer{g.pointerTo(n.From), g.pointerTo(n.Count), g.pointerTo(n.More)}}
		last := len(n.From) - 1
		if last > 0 && len(n.Count) == last+1 && slices.Equal(n.Count[:last], n.From[:last]) {
			of.parent, of.names = g.pointerTo(n.From[:last]), []string{n.From[last], n.Count[last], n.More[last]}
		}
		g.nested = append(g.nested, of)
	}
	return g
}

// pointerTo is the pointer for a path; it adds the path's first key to heads.
func (g *Peek) pointerTo(path []string) fieldPointer {
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

// Peeked is what Peek finds in one record.
type Peeked struct {
	Key  []byte       // as sent; nil when it has none
	At   int64        // its time in Unix seconds, Timeless when it has none
	Cuts []NestedList // its truncated lists
}

// pickValue keeps the value of a top-level key if it is in heads. Of a repeated key the first counts.
func (g Peek) pickValue(key, raw []byte, picked [][]byte) {
	for i, head := range g.heads {
		if picked[i] == nil && string(key) == head {
			picked[i] = raw
			return
		}
	}
}

// inspectRecord reads the picked values of a record.
func (g Peek) inspectRecord(picked [][]byte) Peeked {
	seen := Peeked{At: Timeless}
	if g.key != nil {
		seen.Key = g.key.valueIn(picked)
	}
	if g.field >= 0 {
		if at, ok := scan.UnixTime(picked[g.field]); ok {
			seen.At = at
		}
	}
	for _, n := range g.nested {
		if n.isCut(picked) {
			seen.Cuts = append(seen.Cuts, n.list)
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
