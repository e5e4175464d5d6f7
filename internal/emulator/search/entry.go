package search

import "cmp"

// Entry is a record's position in an ordering.
type Entry struct {
	key int64
	Num int32 // number of the record
}

func compareEntries(a, b Entry) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return cmp.Compare(a.Num, b.Num)
}
