package transform

import (
	"aqueduck/schemas"

	"github.com/apache/arrow-go/v18/arrow"
)

// codec is how one type of the stream files is stored.
type codec struct {
	sql   string
	arrow arrow.DataType
}

var codecs = map[schemas.Type]codec{
	schemas.Text:      {"VARCHAR", arrow.BinaryTypes.String},
	schemas.Int:       {"BIGINT", arrow.PrimitiveTypes.Int64},
	schemas.Double:    {"DOUBLE", arrow.PrimitiveTypes.Float64},
	schemas.Bool:      {"BOOLEAN", arrow.FixedWidthTypes.Boolean},
	schemas.Timestamp: {"TIMESTAMPTZ", arrow.FixedWidthTypes.Timestamp_us},
	schemas.Date:      {"DATE", arrow.FixedWidthTypes.Date32},
	schemas.JSON:      {"JSON", arrow.BinaryTypes.String},
}
