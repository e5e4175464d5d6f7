package transform

import (
	"aqueduck/schemas"
	"aqueduck/transform/internal/scalar"

	"github.com/apache/arrow-go/v18/arrow"
)

// columnKind is a type of the stream files, as a number to switch on.
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

// isFixed says that a value is a number in its cell; others are bytes elsewhere.
func (k columnKind) isFixed() bool { return k > kindJSON }

// typeCodec is how one type of the stream files is stored.
type typeCodec struct {
	kind  columnKind
	sql   string
	arrow arrow.DataType
	width int64 // bytes a row in Arrow, without the text itself
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

// parseScalar reads a value that is stored as a number. The reason is "" when it is one.
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
