package transform

import (
	"aqueduck/schemas"
	"aqueduck/transform/internal/scalar"

	"github.com/apache/arrow-go/v18/arrow"
)

// columnKind is a schemas.Type as a number, which is faster to compare.
type columnKind uint8

const (
	kindText columnKind = iota
	kindJSON
	kindInt
	kindDouble
	kindBool
	kindTimestamp
	kindDate
)

// isFixed reports whether a cell has the value as a number; other kinds have a text span.
func (k columnKind) isFixed() bool { return k > kindJSON }

// typeCodec is how a type of the stream files is stored.
type typeCodec struct {
	kind  columnKind
	sql   string
	arrow arrow.DataType
	width int64 // bytes per row in Arrow, without the texts
}

var codecs = map[schemas.Type]typeCodec{
	schemas.Text:      {kindText, "VARCHAR", arrow.BinaryTypes.String, 4},
	schemas.Int:       {kindInt, "BIGINT", arrow.PrimitiveTypes.Int64, 8},
	schemas.Double:    {kindDouble, "DOUBLE", arrow.PrimitiveTypes.Float64, 8},
	schemas.Bool:      {kindBool, "BOOLEAN", arrow.FixedWidthTypes.Boolean, 1},
	schemas.Timestamp: {kindTimestamp, "TIMESTAMPTZ", arrow.FixedWidthTypes.Timestamp_us, 8},
	schemas.Date:      {kindDate, "DATE", arrow.FixedWidthTypes.Date32, 4},
	schemas.JSON:      {kindJSON, "JSON", arrow.BinaryTypes.String, 4},
}

// parseScalar parses a value of a fixed kind into its bits. The reason is "" when it is valid.
func (k columnKind) parseScalar(t jsonValue, text []byte) (uint64, string) {
	if t.isContainer() || k != kindBool && (t.first == 't' || t.first == 'f') {
		return 0, ReasonType
	}
	var v int64
	var reason string
	switch k {
	case kindInt:
		v, reason = scalar.ParseInt(text)
	case kindDouble:
		return scalar.ParseDouble(text)
	case kindBool:
		return scalar.ParseBool(text)
	case kindTimestamp:
		v, reason = scalar.ParseTimestamp(text)
	case kindDate:
		v, reason = scalar.ParseDate(text)
	}
	return uint64(v), reason
}
