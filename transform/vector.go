package transform

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// columnVector is one column of a batch while it grows, in Arrow's layout. Arrow's own builders do the same at a third of the
// speed: they see to room, null and offset through a call each, where most cells of a record are null. Here a null
// costs nothing until the next value.
type columnVector struct {
	kind  columnKind
	rows  int // so far, those after the last value aside
	nulls int
	valid []byte  // one bit a row
	longs []int64 // int, double, timestamp
	words []int32 // date; of texts, where each begins
	bytes []byte  // the texts; of bool, one bit a row

	// Lengths of the last batch: the next one is likely to have them, and growing by doubling would copy it.
	last struct{ valid, longs, words, bytes int }
}

// isWide says that a value has eight bytes.
func (k columnKind) isWide() bool { return k == kindInt || k == kindDouble || k == kindTimestamp }

func (v *columnVector) appendText(row int, text []byte) {
	v.markValid(row)
	v.words = append(v.words, int32(len(v.bytes)))
	v.bytes = append(v.bytes, text...)
}

func (v *columnVector) appendNumber(row int, n uint64) {
	v.markValid(row)
	switch {
	case v.kind.isWide():
		v.longs = append(v.longs, int64(n))
	case v.kind == kindDate:
		v.words = append(v.words, int32(n))
	default:
		v.bytes = extendBitmap(v.bytes, row+1)
		v.bytes[row>>3] |= byte(n) << (row & 7)
	}
}

// markValid makes the rows before this one null, as far as they have no value, and this one not.
func (v *columnVector) markValid(row int) {
	if v.rows < row {
		v.padNulls(row)
	}
	v.rows = row + 1
	if row>>3 >= len(v.valid) {
		v.valid = extendBitmap(v.valid, row+1)
	}
	v.valid[row>>3] |= 1 << (row & 7)
}

// padNulls adds nulls up to a number of rows.
func (v *columnVector) padNulls(rows int) {
	missing := rows - v.rows
	v.nulls += missing
	v.rows = rows
	switch {
	case v.kind.isWide():
		v.longs = append(v.longs, make([]int64, missing)...)
	case v.kind == kindBool:
		v.bytes = extendBitmap(v.bytes, rows)
	default:
		from := len(v.words)
		v.words = append(v.words, make([]int32, missing)...)
		if !v.kind.isFixed() {
			setAll(v.words[from:], int32(len(v.bytes)))
		}
	}
}

func setAll(words []int32, value int32) {
	for i := range words {
		words[i] = value
	}
}

// extendBitmap makes a bitmap long enough for a number of rows.
func extendBitmap(bits []byte, rows int) []byte {
	if missing := (rows+7)/8 - len(bits); missing > 0 {
		bits = append(bits, make([]byte, missing)...)
	}
	return bits
}

// takeArray ends the column at a number of rows and begins the next one.
func (v *columnVector) takeArray(rows int, t arrow.DataType, mem *memoryPool) arrow.Array {
	v.padNulls(rows)
	v.valid = extendBitmap(v.valid, rows)
	buffers := []*memory.Buffer{mem.lendBuffer(v.valid)}
	switch {
	case v.kind.isWide():
		buffers = append(buffers, mem.lendBuffer(arrow.Int64Traits.CastToBytes(v.longs)))
	case v.kind == kindBool:
		buffers = append(buffers, mem.lendBuffer(v.bytes))
	case v.kind == kindDate:
		buffers = append(buffers, mem.lendBuffer(arrow.Int32Traits.CastToBytes(v.words)))
	default:
		v.words = append(v.words, int32(len(v.bytes)))
		buffers = append(buffers, mem.lendBuffer(arrow.Int32Traits.CastToBytes(v.words)), mem.lendBuffer(v.bytes))
	}
	data := array.NewData(t, rows, buffers, nil, v.nulls, 0)
	defer data.Release()
	for _, b := range buffers {
		b.Release() // the data holds on to it
	}
	made := array.MakeFromData(data)
	next := columnVector{kind: v.kind}
	next.last.valid, next.last.longs, next.last.words, next.last.bytes = len(v.valid), len(v.longs), len(v.words), len(v.bytes)
	*v = next
	return made
}

// reserveRoom makes room for a batch like the last one, or a little longer. It is called when a first row comes, and not
// before: by then the last batch may have been released.
func (v *columnVector) reserveRoom(mem *memoryPool) {
	v.valid = mem.takeRoom(v.last.valid)
	v.longs = arrow.Int64Traits.CastFromBytes(mem.takeRoom(v.last.longs * 8))
	v.words = arrow.Int32Traits.CastFromBytes(mem.takeRoom(v.last.words * 4))
	v.bytes = mem.takeRoom(v.last.bytes)
}
