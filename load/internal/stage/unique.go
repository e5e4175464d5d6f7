package stage

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// hasUniqueKeys reports that no key repeats in a batch. It compares hashes, so it may answer false for unique keys, but
// never true for repeated ones. After false, DuckDB looks for repeated keys itself, at ten times the cost.
func hasUniqueKeys(rows arrow.RecordBatch, key []string) bool {
	columns := make([]arrow.Array, len(key))
	for i, name := range key {
		at := rows.Schema().FieldIndices(name)
		if len(at) != 1 || rows.Column(at[0]).NullN() > 0 {
			return false
		}
		columns[i] = rows.Column(at[0])
	}
	seed := maphash.MakeSeed()
	seen := make(map[uint64]struct{}, rows.NumRows())
	var hash maphash.Hash
	hash.SetSeed(seed)
	for row := range int(rows.NumRows()) {
		hash.Reset()
		for _, c := range columns {
			if !addValue(&hash, c, row) {
				return false
			}
		}
		seen[hash.Sum64()] = struct{}{}
	}
	return len(seen) == int(rows.NumRows())
}

// addValue adds one value of a key to a hash; false for a type that no key has.
func addValue(hash *maphash.Hash, column arrow.Array, row int) bool {
	var number [8]byte
	switch c := column.(type) {
	case *array.String:
		binary.LittleEndian.PutUint64(number[:], uint64(len(c.Value(row))))
		_, _ = hash.Write(number[:]) // a hash takes everything
		_, _ = hash.WriteString(c.Value(row))
	case *array.Int64:
		binary.LittleEndian.PutUint64(number[:], uint64(c.Value(row)))
		_, _ = hash.Write(number[:])
	case *array.Timestamp:
		binary.LittleEndian.PutUint64(number[:], uint64(c.Value(row)))
		_, _ = hash.Write(number[:])
	default:
		return false
	}
	return true
}
