package transform

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
)

// ContentFingerprint is equal for two readings of a list that a commit would merge in the same way: the same keys with the same
// content hashes, in the same order, in the own table and in those of nested lists that have hashes of their own. It is "" where a
// commit has more to do than to merge rows: dead letters, deletions, ids to note.
func ContentFingerprint(batches []Batch) string {
	sum := sha256.New()
	for _, b := range batches {
		if len(b.Seen)+len(b.Answered)+len(b.RedactedIDs)+len(b.Incomplete)+len(b.Completed)+len(b.DeadLetters) > 0 || b.Refresh || b.Mode != Merge {
			return ""
		}
		fmt.Fprintf(sum, "%q %d %q\n", b.Table.Name, b.Rows.NumRows(), b.SchemaDrift)
		names := append(slices.Clone(b.Table.Key), HashColumn, AbsentColumn)
		if b.Table.Gone {
			at := b.Rows.Schema().FieldIndices(GoneColumn)
			if len(at) > 0 && b.Rows.Column(at[0]).NullN() < b.Rows.Column(at[0]).Len() {
				return ""
			}
		}
		for _, name := range names {
			at := b.Rows.Schema().FieldIndices(name)
			if len(at) != 1 {
				continue // a nested list that is covered by the hash of its record
			}
			column := b.Rows.Column(at[0])
			for row := range column.Len() {
				text := column.ValueStr(row)
				_, _ = sum.Write(binary.AppendUvarint(nil, uint64(len(text)))) // a hash takes everything
				_, _ = sum.Write([]byte(text))
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
